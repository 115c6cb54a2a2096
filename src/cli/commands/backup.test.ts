import { expect, test } from 'bun:test';
import type { Config } from '../../app/config/config.ts';
import { dataFilesIn } from '../../app/node/data-files.ts';
import type { Env } from '../../app/platform/env.ts';
import { backUp } from './backup.ts';

test.each(['database', 'keys', 'webhooks'] as const)('a directory that has a file %s is not overwritten', (name) => {
  const existing = [dataFilesIn('data').database, dataFilesIn('copy')[name]];
  const changed: string[] = [];
  const env = {
    openFile: (path: string) => (existing.includes(path) ? { close: () => {}, size: () => 0, read: () => new Uint8Array() } : undefined),
    makeFolder: (path: string) => changed.push(path),
  } as unknown as Env;
  expect(() => backUp({ dataDir: 'data' } as Config, 'copy', env)).toThrow(
    `${dataFilesIn('copy')[name]} exists already; give a new directory`,
  );
  expect(changed).toEqual([]);
});
