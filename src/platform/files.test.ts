import { afterEach, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileSystem, files } from './files.ts';

const made: string[] = [];
const fresh = () => {
  const folder = mkdtempSync(join(tmpdir(), 'serac-files-'));
  made.push(folder);
  return folder;
};
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const rights = (path: string) => statSync(path).mode & 0o777;

test('a private file and its folder are the owner’s alone', () => {
  const folder = join(fresh(), 'data', 'staking');
  files.writePrivate(join(folder, 'signer.key'), Uint8Array.of(1, 2, 3));
  expect(rights(folder)).toBe(0o700);
  expect(rights(join(folder, 'signer.key'))).toBe(0o600);
  expect([...(files.read(join(folder, 'signer.key')) ?? [])]).toEqual([1, 2, 3]);
});

test('a neighbour left by a crash is in nobody’s way, and none is left behind', () => {
  const path = join(fresh(), 'staker.key');
  writeFileSync(`${path}.new`, 'half a key', { mode: 0o644 });
  files.writePrivate(path, Uint8Array.of(7));
  expect(existsSync(`${path}.new`)).toBe(false);
  expect(rights(path)).toBe(0o600);
});

test('a missing file is undefined; a folder in its place is an error', () => {
  const folder = fresh();
  expect(files.read(join(folder, 'none'))).toBeUndefined();
  expect(() => files.read(folder)).toThrow();
});

test('the file system has a size, and not more free than that', () => {
  const { blocks, availableBlocks, blockBytes } = fileSystem(fresh());
  expect(blocks > 0n && blockBytes > 0n && availableBlocks <= blocks).toBe(true);
});
