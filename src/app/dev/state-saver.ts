import { createMutex } from '../../base/timing/slots.ts';
import { StateFileError } from '../../ledger/snapshot/state-file.ts';
import type { OffsetFile } from '../../ledger/store/offset-file.ts';
import type { StateFiles } from '../config/config.ts';
import type { Env, FileEnv } from '../platform/env.ts';
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
  logError: (error: unknown) => void,
): Promise<() => Promise<void>> {
  const { readVersion } = transfer;
  if (path !== undefined) checkSavable(path, env);
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

  const writeTo = async (target: string): Promise<void> => {
    const temporary = temporaryOf(target);
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
    env.renameFile(temporary, target);
  };
  /** One save at a time: the last one may begin while one at an interval writes the same temporary file. */
  const oneAtATime = createMutex();
  const save = (): Promise<void> =>
    oneAtATime(async () => {
      const now = readVersion();
      if (now === saved) return;
      await writeTo(path);
      saved = now;
    });
  /** The last save: the chain is in memory, so what cannot be written now is lost. */
  const saveSomewhere = async (): Promise<void> => {
    try {
      await save();
    } catch (error) {
      const reason = messageOf(error);
      const second = `${env.tempFolder()}/serac-${Buffer.from(env.random(6)).toString('hex')}.state`;
      try {
        await writeTo(second);
      } catch (again) {
        throw notSaved(path, `cannot save the state to ${path} (${reason}), nor to ${second} (${messageOf(again)}); it is lost`);
      }
      throw notSaved(path, `cannot save the state to ${path} (${reason}); it was saved to ${second}: load it with --load-state`, second);
    }
  };
  const schedule = (): void => {
    if (interval > 0 && !isStopped) cancel = env.timers.after(interval, () => void save().catch(logError).finally(schedule));
  };
  schedule();
  return async () => {
    isStopped = true;
    cancel();
    await saveSomewhere();
  };
}

const temporaryOf = (path: string): string => `${path}.tmp`;

/** Throws at start what saving would throw at exit, when there is nothing left to do about it: a missing folder, no permission, a directory. */
function checkSavable(path: string, env: FileEnv): void {
  try {
    env.openFile(temporaryOf(path), 'write').close();
    env.removeFile(temporaryOf(path));
    const existing = env.openFile(path, 'read');
    try {
      existing?.read(0, Buffer.alloc(1));
    } finally {
      existing?.close();
    }
  } catch (error) {
    throw notSaved(path, `the state could not be saved to ${path}: ${messageOf(error)}`);
  }
}

const messageOf = (error: unknown): string => (error as { message?: string } | null)?.message ?? String(error);

const notSaved = (path: string, message: string, savedTo?: string) =>
  new StateFileError(message, { code: 'STATE_FILE_NOT_SAVED', path, savedTo });

async function* readChunks(file: OffsetFile): AsyncGenerator<Uint8Array> {
  for (let offset = 0; ; ) {
    const chunk = Buffer.alloc(1 << 20);
    const count = file.read(offset, chunk);
    if (count === 0) return;
    yield chunk.subarray(0, count);
    offset += count;
  }
}
