import { afterAll, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFile, readText } from './offset-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'serac-offset-file-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a file is written and read at offsets, cut and kept', () => {
  const path = join(folder, 'file');
  expect(openFile(path, 'read')).toBeUndefined();
  const file = openFile(path, 'write');
  file.write(0, Buffer.from('abcdef'));
  file.write(3, Buffer.from('XY'));
  file.sync();
  const into = Buffer.alloc(4, '.');
  expect([file.size(), file.read(1, into), into.toString()]).toEqual([6, 4, 'bcXY']);
  // Less than was asked for at the end of the file.
  into.fill('.');
  expect([file.read(4, into), into.toString(), file.read(9, into)]).toEqual([2, 'Yf..', 0]);
  file.truncate(2);
  expect([file.size(), readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual([2, 'ab', 0o600]);
  file.close();
  const again = openFile(path, 'write');
  again.write(2, Buffer.from('c'));
  again.close();
  const reader = openFile(path, 'read');
  expect([reader?.size(), readText(path)]).toEqual([3, 'abc']);
  expect(() => reader?.write(0, Buffer.from('x'))).toThrow(`cannot use the file ${path}: `);
  reader?.close();
});

test('a file that cannot be used is named with the reason', () => {
  const gone = join(folder, 'gone', 'file');
  expect(() => readText(gone)).toThrow(`cannot use the file ${gone}: it or its folder does not exist`);
  expect(() => openFile(gone, 'write')).toThrow('it or its folder does not exist');
  expect(() => openFile(folder, 'write')).toThrow(`cannot use the file ${folder}: it is a directory`);
  const plain = join(folder, 'plain');
  writeFileSync(plain, '');
  expect(() => readText(join(plain, 'x'))).toThrow('a part of its path is not a directory');
  mkdirSync(join(folder, 'other'));
  expect(() => readText(join(folder, 'other'))).toThrow('it is a directory');
});
