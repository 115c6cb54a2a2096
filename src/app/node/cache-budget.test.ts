import { expect, test } from 'bun:test';
import { processCaches } from '../../base/cache/cache-budget.ts';
import { type CacheName, cacheTable } from '../../base/cache/cache-table.ts';
import { type Config, configFrom } from '../config/config.ts';
import { parseFlags } from '../config/flags.ts';
import { cacheBytesPerProcess, limitCaches, limitWriterCaches } from './cache-budget.ts';

const configOf = (...args: string[]): Config => {
  const flags = parseFlags(args, { vars: {}, readFile: String });
  if (flags.kind !== 'run') throw new TypeError(JSON.stringify(flags));
  return configFrom(flags.options);
};
const totalOf = (config: Config, cores: number): number => cacheBytesPerProcess(config, { cores, distributesConnections: true });

test('the caches of all processes together get --cache-bytes', () => {
  const data = ['--data-dir=/nowhere', '--cache-bytes=64000000'];
  expect(totalOf(configOf('--cache-bytes=64000000'), 8)).toBe(64_000_000);
  expect(totalOf(configOf(...data), 1)).toBe(64_000_000);
  expect(totalOf(configOf(...data), 2)).toBe(32_000_000);
  expect(totalOf(configOf(...data, '--workers=0'), 2)).toBe(64_000_000);
  expect(totalOf(configOf(...data, '--workers=3'), 2)).toBe(16_000_000);
});

test('--cache-bytes sets the size of the caches of this process, of SQLite too', () => {
  // Other tests of the process may have set another size.
  limitCaches(configOf(), { cores: 1, distributesConnections: false });
  const before = processCaches.bytesOf('pieces');
  limitCaches(configOf('--cache-bytes=1048576', '--data-dir=/nowhere', '--workers=1'), { cores: 2, distributesConnections: true });
  expect(processCaches.bytesOf('pieces')).toBe(cacheTable.pieces.share * 512);
  expect(processCaches.bytesOf('databasePages')).toBe(cacheTable.databasePages.share * 512);
  limitCaches(configOf(), { cores: 1, distributesConnections: false });
  expect(processCaches.bytesOf('pieces')).toBe(before);
});

test('a process that only writes gives seven eighths of all bytes to the caches of the writer', () => {
  const sum = (names: readonly string[]) => names.reduce((bytes, name) => bytes + processCaches.bytesOf(name as CacheName), 0);
  const names = Object.keys(cacheTable);
  limitWriterCaches(configOf('--cache-bytes=64000000'));
  const [unspent, all] = [processCaches.bytesOf('unspentOutputs'), sum(names)];
  limitCaches(configOf('--cache-bytes=64000000'), { cores: 1, distributesConnections: false });
  expect(all).toBeLessThanOrEqual(64_000_000);
  expect(all).toBeGreaterThan(64_000_000 - names.length);
  expect(unspent).toBeGreaterThan(6 * processCaches.bytesOf('unspentOutputs'));
  limitCaches(configOf(), { cores: 1, distributesConnections: false });
});

test('a size that is not a number of bytes is rejected', () => {
  for (const size of ['-1', '64MB', '1.5', '2000000000000'])
    expect(parseFlags([`--cache-bytes=${size}`], { vars: {}, readFile: String })).toMatchObject({ kind: 'error' });
});
