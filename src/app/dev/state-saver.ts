import { StateFileError } from '../../ledger/snapshot/state-file.ts';
import type { OffsetFile } from '../../ledger/store/offset-file.ts';
import type { StateFiles } from '../config/config.ts';
import type { Env } from '../setup/env.ts';
import type { StateTransfer } from './state-transfer.ts';

/** Limit of the database in a state file that is loaded at start: that of a database in memory. */
const maxLoadedBytes = 2 ** 30;

/**
 * Loads a state file at start, and saves one at intervals. Returns a function that stops this and saves a last time. A save writes another
 * file, syncs and renames it, so a crash leaves the old file or the new one. An unchanged state is not saved again.
 */
export async function startStateSaver(
  { load, save: path, interval }: StateFiles,
  env: Env,
  transfer: StateTransfer,
  report: (error: unknown) => void,
): Promise<() => Promise<void>> {
  const { readVersion } = transfer;
  const existing = load && env.openFile(load.path, 'read');
  if (load?.isRequired && existing === undefined)
    throw new StateFileError(`cannot read the state file ${load.path} of --load-state`, { code: 'STATE_FILE_MISSING', path: load.path });
  if (existing !== undefined)
    try {
      await transfer.load(readChunks(existing), maxLoadedBytes);
    } finally {
      existing.close();
    }
  if (path === undefined) return async () => {};
  let saved = existing === undefined || load?.path !== path ? undefined : readVersion();
  let cancel = (): void => {};
  let isStopped = false;

  const save = async (): Promise<void> => {
    const now = readVersion();
    if (now === saved) return;
    const temporary = `${path}.tmp`;
    const file = env.openFile(temporary, 'write');
    try {
      file.truncate(0);
      let size = 0;
      for await (const chunk of transfer.save()) {
        file.write(size, chunk);
        size += chunk.length;
      }
      file.sync();
    } finally {
      file.close();
    }
    env.renameFile(temporary, path);
    saved = now;
  };
  const schedule = (): void => {
    if (interval > 0 && !isStopped) cancel = env.timers.after(interval, () => void save().catch(report).finally(schedule));
  };
  schedule();
  return async () => {
    isStopped = true;
    cancel();
    await save();
  };
}

async function* readChunks(file: OffsetFile): AsyncGenerator<Uint8Array> {
  for (let offset = 0; ; ) {
    const chunk = Buffer.alloc(1 << 20);
    const count = file.read(offset, chunk);
    if (count === 0) return;
    yield chunk.subarray(0, count);
    offset += count;
  }
}
