import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, statfsSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Fault } from '../fault.ts';

/** Small files on the real disk. */
export const files = { read, writePrivate };

/** Only the owner may list it. */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new FolderError(`cannot make the folder ${path}: ${codeOf(cause) ?? cause}`, { code: 'FOLDER_FAILED', path });
  }
}

/** Free and whole size of the file system that holds a path, in blocks. */
export function fileSystem(path: string): { blocks: bigint; availableBlocks: bigint; blockBytes: bigint } {
  const { blocks, bavail, bsize } = statfsSync(path, { bigint: true });
  return { blocks, availableBlocks: bavail, blockBytes: bsize };
}

/** undefined: there is no such file. */
function read(path: string): Uint8Array | undefined {
  try {
    return readFileSync(path);
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined;
    throw cause;
  }
}

/** All of it or nothing: a temporary neighbour is filled, brought to disk and renamed. Only the owner may read it or list its folder. */
function writePrivate(path: string, bytes: Uint8Array): void {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const neighbour = `${path}.new`;
  removeIfThere(neighbour);
  const handle = openSync(neighbour, 'wx', 0o600);
  try {
    writeFileSync(handle, bytes);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(neighbour, path);
  syncFolder(folder);
}

/** What a crash before the rename left behind. */
function removeIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (cause) {
    if (codeOf(cause) !== 'ENOENT') throw cause;
  }
}

/** The rename itself must survive a power cut. Some systems cannot open a folder; they have no such promise to give. */
function syncFolder(folder: string): void {
  try {
    const handle = openSync(folder, 'r');
    try {
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  } catch (cause) {
    if (!['EISDIR', 'EPERM', 'EACCES', 'EINVAL'].includes(codeOf(cause) ?? '')) throw cause;
  }
}

const codeOf = (cause: unknown): string | undefined => (cause as { code?: string } | undefined)?.code;

export type FolderFault = { code: 'FOLDER_FAILED'; path: string };
export class FolderError extends Fault<FolderFault> {}
