import { fchmodSync, fstatSync, lstatSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { Fault } from '../../base/fault.ts';
import { readIfThere } from './detached-process.ts';
import { identifyFile } from './files.ts';
import { findProcess } from './running-process.ts';

/** What other programs need to find a running node. AvalancheGo: config/node/process_context.go, which has the first three fields. */
export type ProcessContext = {
  /** The process to stop: the node, or its supervisor. */
  readonly pid: number;
  /** The URL of the node's APIs. */
  readonly uri: string;
  /** The address of the node for other nodes, the same that `info.getNodeIP` returns. */
  readonly stakingAddress: string;
  /** When the process with this ID started; see `RunningProcess`. */
  readonly processStart?: string | undefined;
  /** The file that the node has written this to, as `identifyFile` names it: a copy of a data directory has the context of another node. */
  readonly file?: string | undefined;
  /** The log of a node in the background. */
  readonly log?: string | undefined;
};

/** As AvalancheGo writes it: utils/perms/perms.go, ReadWrite. */
const mode = 0o640;

/**
 * Writes the context: to a draft that is renamed, so that a program that waits for the file never reads an empty one. A device or a link is written
 * to, not replaced. The file stays open as long as this process runs: some file systems would give it another identity otherwise.
 */
export function writeProcessContext(path: string, context: Omit<ProcessContext, 'processStart' | 'file'>): void {
  const isReplaced = lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? true;
  const draft = isReplaced ? `${path}.${process.pid}.new` : path;
  try {
    const file = openSync(draft, 'w', mode);
    // Not of a device: as root, /dev/null would be closed to others.
    if (fstatSync(file).isFile()) fchmodSync(file, mode);
    const { pid, uri, stakingAddress, log } = context;
    const identity = { processStart: findProcess(pid)?.start, file: identifyFile(draft) };
    writeSync(file, JSON.stringify({ pid, uri, stakingAddress, ...identity, log }, undefined, 2));
    if (isReplaced) renameSync(draft, path);
  } catch (cause) {
    if (isReplaced) rmSync(draft, { force: true });
    const reason = (cause as { code?: string }).code ?? cause;
    throw new ProcessContextError(
      `cannot write the process context to ${path}: ${reason}; choose another file with --process-context-file`,
      {
        code: 'PROCESS_CONTEXT_FAILED',
        path,
      },
    );
  }
}

/** Says that the node has stopped. A missing file is not an error. */
export const removeProcessContext = (path: string): void => rmSync(path, { force: true });

/**
 * Returns the running node of a process context file; undefined if there is none. The process must have started when the node says that it
 * did, since its ID may have been used again, and the file must be the one that the node wrote. Where one of these is not known, because of
 * the system or of an older version of the node, the held lock of the data directory decides (`isLocked`, undefined for a chain in memory).
 */
export function findRunningNode(path: string | undefined, isLocked: () => boolean | undefined): ProcessContext | undefined {
  const context = path === undefined ? undefined : parseContext(readIfThere(path));
  const found = context && findProcess(context.pid);
  if (path === undefined || context === undefined || found === undefined) return undefined;
  const { processStart, file } = context;
  const isSame =
    processStart === undefined || found.start === undefined || file === undefined
      ? (isLocked() ?? found.start === undefined)
      : processStart === found.start && file === identifyFile(path);
  return isSame ? context : undefined;
}

function parseContext(text: string | undefined): ProcessContext | undefined {
  try {
    const context = JSON.parse(text ?? '') as Partial<ProcessContext>;
    const isComplete = Number.isSafeInteger(context.pid) && (context.pid as number) > 1 && typeof context.uri === 'string';
    return isComplete ? (context as ProcessContext) : undefined;
  } catch {
    return undefined;
  }
}

class ProcessContextError extends Fault<{ code: 'PROCESS_CONTEXT_FAILED'; path: string }> {}
