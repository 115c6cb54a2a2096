import { afterAll, expect, test } from 'bun:test';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { limitLogSize } from './log-size.ts';

const folder = mkdtempSync(join(tmpdir(), 'serac-log-size-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a log above the limit begins anew, its text is kept once, and writers go on in the same file', () => {
  const path = join(folder, 'serac.log');
  const log = openSync(path, 'a');
  const read = (name: string) => readFileSync(name, 'utf8');
  writeSync(log, 'one\n');
  limitLogSize(path, 4);
  expect(read(path)).toBe('one\n');
  writeSync(log, 'two\n');
  limitLogSize(path, 4);
  expect([read(path), read(`${path}.1`)]).toEqual(['', 'one\ntwo\n']);
  writeSync(log, 'three\n');
  limitLogSize(path, 4);
  writeSync(log, 'four\n');
  expect([read(path), read(`${path}.1`)]).toEqual(['four\n', 'three\n']);
  closeSync(log);
});

test('a log that does not exist is not created', () => {
  limitLogSize(join(folder, 'none.log'), 4);
  expect(() => readFileSync(join(folder, 'none.log'))).toThrow('ENOENT');
});
