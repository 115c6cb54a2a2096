import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statfsSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { attempt, Fault } from '../../base/fault.ts';

/** Reads and writes small files on disk. */
export const files = { read, writePrivate };

/** Creates a folder that only its owner can access. */
export function createFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new FolderError(`cannot create the folder ${path}: ${codeOf(cause) ?? cause}`, { code: 'FOLDER_FAILED', path });
  }
}

/** Creates an empty file that only its owner can read, unless it exists or cannot be created: whoever opens it then says why. */
export const createPrivateFile = (path: string): void => attempt(() => closeSync(openSync(path, 'ax', 0o600)));

/** Total and available size of the file system of a path, in blocks. */
export function readFileSystemSize(path: string): { blocks: bigint; availableBlocks: bigint; blockBytes: bigint } {
  const { blocks, bavail, bsize } = statfsSync(path, { bigint: true });
  return { blocks, availableBlocks: bavail, blockBytes: bsize };
}

/** Returns undefined if there is no file of this name. A file that is deleted and created again is another one. */
export function identifyFile(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}

/** Returns undefined if the file does not exist. */
function read(path: string): Uint8Array | undefined {
  try {
    return readFileSync(path);
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined;
    throw cause;
  }
}

/** Writes a file atomically: a temporary file is written, synced and renamed. Only the owner can read the file and list its folder. */
function writePrivate(path: string, bytes: Uint8Array): void {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const temporary = `${path}.new`;
  removeIfExists(temporary);
  const handle = openSync(temporary, 'wx', 0o600);
  try {
    writeFileSync(handle, bytes);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(temporary, path);
  syncFolder(folder);
}

/** Renames a file, replacing another one, so that it survives a power failure. The file must be synced. */
export function renameFile(from: string, to: string): void {
  renameSync(from, to);
  syncFolder(dirname(to));
}

/** Removes a temporary file that a crash before the rename has left behind. */
function removeIfExists(path: string): void {
  try {
    unlinkSync(path);
  } catch (cause) {
    if (codeOf(cause) !== 'ENOENT') throw cause;
  }
}

/** Syncs a folder, so that a rename in it survives a power failure. Ignored on systems that cannot open a folder. */
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

type FolderFault = { code: 'FOLDER_FAILED'; path: string };
class FolderError extends Fault<FolderFault> {}
