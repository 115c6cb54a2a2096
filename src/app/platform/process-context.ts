import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { Fault } from '../../base/fault.ts';

/** What other programs need to find a running node. AvalancheGo: config/node/process_context.go. */
export type ProcessContext = {
  readonly pid: number;
  /** The URL of the node's APIs. */
  readonly uri: string;
  /** The address of the node for other nodes, the same that `info.getNodeIP` returns. */
  readonly stakingAddress: string;
};

/** As AvalancheGo writes it: utils/perms/perms.go, ReadWrite. */
const mode = 0o640;

export function writeProcessContext(path: string, context: ProcessContext): void {
  try {
    writeFileSync(path, JSON.stringify(context, undefined, 2), { mode });
    chmodSync(path, mode);
  } catch (cause) {
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

class ProcessContextError extends Fault<{ code: 'PROCESS_CONTEXT_FAILED'; path: string }> {}
