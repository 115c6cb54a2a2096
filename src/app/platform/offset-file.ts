import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { Fault } from '../../base/fault.ts';
import type { OffsetFile } from '../../ledger/store/offset-file.ts';

/** Opens a file on disk. `read`: returns undefined if it does not exist. `write`: creates it if it does not exist. */
export function openFile(path: string, access: 'read'): OffsetFile | undefined;
export function openFile(path: string, access: 'write'): OffsetFile;
export function openFile(path: string, access: 'read' | 'write'): OffsetFile | undefined {
  const withFault = createFaultWrapper(path);
  const handle = withFault(() =>
    access === 'read' ? openExisting(path, 'r') : (openExisting(path, 'r+') ?? openSync(path, 'wx+', 0o600)),
  );
  if (handle === undefined) return undefined;
  return {
    size: () => fstatSync(handle).size,
    read: (offset, into) => withFault(() => readAll(handle, offset, into)),
    write: (offset, bytes) => withFault(() => writeAll(handle, offset, bytes)),
    truncate: (size) => withFault(() => ftruncateSync(handle, size)),
    sync: () => withFault(() => fdatasyncSync(handle)),
    close: () => closeSync(handle),
  };
}

/** The text of a file, such as one that a flag names. */
export const readText = (path: string): string => createFaultWrapper(path)(() => readFileSync(path, 'utf8'));

function openExisting(path: string, mode: 'r' | 'r+'): number | undefined {
  try {
    return openSync(path, mode);
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined;
    throw cause;
  }
}

function readAll(handle: number, offset: number, into: Uint8Array): number {
  let done = 0;
  while (done < into.length) {
    const count = readSync(handle, into, done, into.length - done, offset + done);
    if (count === 0) break;
    done += count;
  }
  return done;
}

function writeAll(handle: number, offset: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(handle, bytes, done, bytes.length - done, offset + done);
}

/** Wraps work on a file, so that an error of the operating system becomes a fault that names the file. */
const createFaultWrapper =
  (path: string) =>
  <T>(work: () => T): T => {
    try {
      return work();
    } catch (cause) {
      const reason = codeOf(cause) ?? String(cause);
      throw new FileError(`cannot use the file ${path}: ${reasons[reason] ?? reason}`, { code: 'FILE_FAILED', path, reason });
    }
  };

const reasons: { readonly [code: string]: string } = {
  ENOENT: 'it or its folder does not exist',
  EISDIR: 'it is a directory',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOTDIR: 'a part of its path is not a directory',
  ENOSPC: 'the disk is full',
  EROFS: 'the file system is read-only',
  EIO: 'the disk reports an error',
};

const codeOf = (cause: unknown): string | undefined => (cause as { code?: string } | undefined)?.code;

type FileFault = { code: 'FILE_FAILED'; path: string; reason: string };
class FileError extends Fault<FileFault> {}
