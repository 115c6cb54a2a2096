import type { Handler } from '../http/message.ts';
import { serveRelay } from '../http/relay.ts';
import type { Family } from '../metrics/family.ts';
import type { Child, Env } from './env.ts';
import type { FromReader, ToReader } from './reader.ts';

/** The processes that read beside the one that writes, from the writer's side. */
export type Readers = {
  readonly count: number;
  readonly families: () => Promise<Family[][]>;
  /** They shall say so while the node still answers. */
  readonly tellStopping: () => void;
  readonly stop: () => Promise<void>;
};

/** A reader that falls is replaced, but not without end: something is wrong if they keep falling. */
const maxReplacements = 10;

/** How long a reader may take to count or to stop, in milliseconds. */
const patience = 400;

/** They come up while the writer answers already: a reader that shares the port later only takes part of the load. */
export function startReaders(
  count: number,
  env: Env,
  handler: Handler,
  told: Omit<Extract<ToReader, { reader: 'start' }>, 'reader'>,
): Readers {
  const readers = new Map<Child, () => Promise<Family[]>>();
  let replacements = 0;
  let stopping = false;

  const start = (): void => {
    const child = env.spawnReader();
    readers.set(child, createCounting(child, env));
    serveRelay(child, handler, env.timers.soon);
    void child.exited.then((code) => {
      readers.delete(child);
      if (stopping) return;
      env.log(`serac: a reading process ended with code ${code}`);
      if (replacements++ < maxReplacements) start();
    });
    child.send({ reader: 'start', ...told } satisfies ToReader);
  };
  for (let i = 0; i < count; i++) start();

  return {
    count,
    families: () => Promise.all([...readers.values()].map((counted) => counted())),
    tellStopping: () => {
      for (const child of readers.keys()) child.send({ reader: 'stopping' } satisfies ToReader);
    },
    stop: async () => {
      stopping = true;
      await Promise.all(
        [...readers.keys()].map(async (child) => {
          child.send({ reader: 'stop' } satisfies ToReader);
          const kill = env.timers.after(patience, () => child.kill('SIGKILL'));
          await child.exited;
          kill();
        }),
      );
    },
  };
}

/** Asks a reader what it counted. One that does not answer in time is left out: its counts are not lost, only not shown. */
function createCounting(child: Child, env: Env): () => Promise<Family[]> {
  const asked = new Map<number, (families: Family[]) => void>();
  let lastId = 0;
  child.onMessage((message) => {
    const counted = message as FromReader;
    if (counted.reader === 'counted') asked.get(counted.id)?.(counted.families);
  });
  return async () => {
    const id = ++lastId;
    const families = await new Promise<Family[]>((resolve) => {
      asked.set(id, resolve);
      env.timers.after(patience, () => resolve([]));
      child.send({ reader: 'count', id } satisfies ToReader);
    });
    asked.delete(id);
    return families;
  };
}
