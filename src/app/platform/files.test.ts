import { afterEach, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { files, readFileSystemSize } from './files.ts';

const folders: string[] = [];
const createScratchFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'serac-files-'));
  folders.push(folder);
  return folder;
};
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const permissions = (path: string) => statSync(path).mode & 0o777;

test('only the owner can access a private file and its folder', () => {
  const folder = join(createScratchFolder(), 'data', 'staking');
  files.writePrivate(join(folder, 'signer.key'), Uint8Array.of(1, 2, 3));
  expect(permissions(folder)).toBe(0o700);
  expect(permissions(join(folder, 'signer.key'))).toBe(0o600);
  expect([...(files.read(join(folder, 'signer.key')) ?? [])]).toEqual([1, 2, 3]);
});

test('a temporary file left by a crash is replaced, and none remains', () => {
  const path = join(createScratchFolder(), 'staker.key');
  writeFileSync(`${path}.new`, 'half a key', { mode: 0o644 });
  files.writePrivate(path, Uint8Array.of(7));
  expect(existsSync(`${path}.new`)).toBe(false);
  expect(permissions(path)).toBe(0o600);
});

test('reading a missing file returns undefined; reading a folder throws', () => {
  const folder = createScratchFolder();
  expect(files.read(join(folder, 'none'))).toBeUndefined();
  expect(() => files.read(folder)).toThrow();
});

test('the available size of the file system is at most its total size', () => {
  const { blocks, availableBlocks, blockBytes } = readFileSystemSize(createScratchFolder());
  expect(blocks > 0n && blockBytes > 0n && availableBlocks <= blocks).toBe(true);
});
