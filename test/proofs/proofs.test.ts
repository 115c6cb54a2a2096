import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { formatProof } from '../../tools/proofs.ts';
import { type LongRunName, longRuns } from './long-runs.ts';
import { readProof, recordProof } from './proof.ts';

const root = resolve(import.meta.dir, '../..');
const folder = mkdtempSync(join(tmpdir(), 'serac-proofs-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const names = Object.keys(longRuns) as LongRunName[];

describe('the result of a long run', () => {
  test('is kept with date, commit, numbers and what was found, and replaces the last one', () => {
    recordProof('kills', 1000, { kills: 1000 }, [], folder);
    expect(readProof('kills', folder)).toEqual({
      date: new Date().toISOString().slice(0, 10),
      commit: expect.stringMatching(/^[0-9a-f]{10}( with changes)?$|^not a git repository$/),
      numbers: { kills: 1000 },
      found: 'nothing',
    });
    recordProof('kills', 2000, { kills: 2000 }, ['a follower failed', 'x'.repeat(5000)], folder);
    expect(readProof('kills', folder)?.numbers).toEqual({ kills: 2000 });
    expect(readProof('kills', folder)?.found).toMatch(/^a follower failed; x{1981}$/);
  });

  test('of a shorter run is not kept', () => {
    recordProof('disk', 999, { seeds: 999 }, [], folder);
    expect(readProof('disk', folder)).toBeUndefined();
  });

  test('is listed with its command', () => {
    const proof = { date: '2030-01-02', commit: '0123456789', numbers: { kills: 1000, transactions: 52_000 }, found: 'nothing' };
    expect(formatProof('kills', proof).split('\n').slice(1)).toEqual([
      '  run    SERAC_KILLS=1000 npx bun test ./test/crash.test.ts',
      '  kept   from 1,000 kills on',
      '  last   2030-01-02, commit 0123456789',
      '         kills 1,000, transactions 52,000',
      '  found  nothing',
    ]);
    expect(formatProof('kills', undefined)).toEndWith('\n  last   not recorded');
  });
});

test('every file of test/proofs/ is the result of a long run', () => {
  const files = readdirSync(import.meta.dir).filter((name) => name.endsWith('.json'));
  expect(files.length).toBeGreaterThan(9);
  expect(files.filter((file) => !names.includes(file.replace('.json', '') as LongRunName))).toEqual([]);
  for (const name of names) {
    const proof = readProof(name);
    if (proof === undefined) continue;
    expect([name, proof.date, proof.commit !== '', proof.found !== '']).toEqual([
      name,
      expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      true,
      true,
    ]);
    for (const value of Object.values(proof.numbers)) expect([name, value]).toEqual([name, expect.any(Number)]);
  }
});

test.each(names.filter((name) => longRuns[name].file !== undefined && name !== 'mutants'))('the run %s writes its result', (name) => {
  const source = readFileSync(join(root, longRuns[name].file as string), 'utf8');
  expect(new RegExp(`recordProof\\(\\s*'${name}',`).test(source)).toBe(true);
});
