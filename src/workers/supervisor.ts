import type { Check } from '../health/result.ts';
import type { Handler } from '../http/message.ts';
import type { Family } from '../metrics/family.ts';
import { createBackoff } from '../timing/backoff.ts';
import { hungAfter, watchSilence } from './heartbeat.ts';
import type { FromReader, ToReader } from './messages.ts';
import { type Channel, serveRelay } from './relay.ts';

/** Another process of the node. */
export type Child = Channel & { readonly exited: Promise<number>; readonly kill: (signal: 'SIGTERM' | 'SIGKILL') => void };

export type SupervisorEnv = {
  readonly spawnReader: () => Child;
  readonly timers: { readonly soon: (run: () => void) => void; readonly after: (ms: number, run: () => void) => () => void };
  /** Milliseconds that only go forward. */
  readonly clock: { readonly monotonic: () => number };
  readonly random: (length: number) => Uint8Array;
  readonly log: (line: string, level?: 'info' | 'warn') => void;
};

/** The processes that read beside the one that writes, from the writer's side. */
export type Readers = {
  readonly count: number;
  readonly families: () => Promise<Family[][]>;
  /** Fails while a reader that was running is missing. */
  readonly check: Check;
  /** Tells the readers to report that the node is stopping, while it still answers. */
  readonly tellStopping: () => void;
  readonly stop: () => Promise<void>;
};

export type ReadersOptions = {
  readonly handler: Handler;
  readonly start: Omit<Extract<ToReader, { reader: 'start' }>, 'reader'>;
  /** The result of the check has changed. */
  readonly onChange: () => void;
};

/** Milliseconds that a reader may take to count or to stop. */
const patience = 400;

/** Milliseconds that a reader may take until it serves. */
const longestStart = 30_000;

/** A reader is replaced for ever; one that keeps failing, less and less often. After a minute of service the next failure is a new one. */
const backoff = { first: 100, longest: 30_000 } as const;
const steady = 60_000;

/** The readers start while the writer already answers: they only take part of the load. */
export function startReaders(count: number, env: SupervisorEnv, options: ReadersOptions): Readers {
  const slots = Array.from({ length: count }, () => runReader(env, options));
  return {
    count,
    families: () => Promise.all(slots.map((slot) => slot.families())),
    check: () => {
      const failed = slots.map((slot) => slot.failure()).filter((failure) => failure !== undefined);
      const details = { wanted: count, serving: slots.filter((slot) => slot.isServing()).length, replaced: sumOf(slots) };
      return { details, error: failed.length > 0 ? failed.join('; ') : undefined };
    },
    tellStopping: () => {
      for (const slot of slots) slot.send({ reader: 'stopping' });
    },
    stop: async () => void (await Promise.all(slots.map((slot) => slot.stop()))),
  };
}

type Slot = {
  readonly families: () => Promise<Family[]>;
  readonly isServing: () => boolean;
  /** Why the reader was replaced, until its replacement serves. */
  readonly failure: () => string | undefined;
  readonly replaced: () => number;
  readonly send: (message: ToReader) => void;
  readonly stop: () => Promise<void>;
};

const sumOf = (slots: readonly Slot[]): number => slots.reduce((sum, slot) => sum + slot.replaced(), 0);

/** One reader and its replacements. */
function runReader(env: SupervisorEnv, { handler, start, onChange }: ReadersOptions): Slot {
  const waits = createBackoff(backoff, () => Buffer.from(env.random(4)).readUInt32BE() / 2 ** 32);
  let child: Child | undefined;
  let families = async (): Promise<Family[]> => [];
  let servingSince: number | undefined;
  let failure: string | undefined;
  let replaced = 0;
  let cancelRestart = () => {};
  let isStopping = false;

  const failed = (why: string): void => {
    if (servingSince !== undefined && env.clock.monotonic() - servingSince > steady) waits.reset();
    failure = why;
    servingSince = undefined;
    onChange();
  };

  const restart = (): void => {
    if (isStopping) return;
    const wait = waits.next();
    env.log(`serac: ${failure}; starting another one in ${Math.round(wait)} ms`, 'warn');
    cancelRestart = env.timers.after(wait, () => {
      replaced++;
      spawn();
    });
  };

  const spawn = (): void => {
    try {
      watch(env.spawnReader());
    } catch (error) {
      failed(`a reading process cannot be started: ${error}`);
      restart();
    }
  };

  const watch = (spawned: Child): void => {
    child = spawned;
    families = createCounting(spawned, env);
    let isHung = false;
    const silence = watchSilence(env.timers, (silent) => {
      if (isHung) return;
      spawned.send({ reader: 'ping' } satisfies ToReader);
      if (silent < (servingSince === undefined ? longestStart : hungAfter)) return;
      isHung = true;
      failed(`a reading process has not answered for ${silent / 1000} s and was ended`);
      spawned.kill('SIGKILL');
    });
    spawned.onMessage((message) => {
      const told = message as FromReader;
      // While it starts, only that it serves counts as an answer: a start that hangs must come to an end too.
      if (told.reader !== 'pong' || !told.isServing || isHung) return;
      silence.heard();
      if (servingSince !== undefined) return;
      servingSince = env.clock.monotonic();
      failure = undefined;
      onChange();
    });
    serveRelay(spawned, handler, env.timers.soon);
    void spawned.exited.then((code) => {
      silence.stop();
      child = undefined;
      families = async () => [];
      if (isStopping) return;
      if (!isHung) failed(`a reading process ended with code ${code}`);
      restart();
    });
    spawned.send({ reader: 'start', ...start } satisfies ToReader);
  };

  spawn();
  return {
    families: () => families(),
    isServing: () => servingSince !== undefined,
    failure: () => failure,
    replaced: () => replaced,
    send: (message) => child?.send(message),
    stop: async () => {
      isStopping = true;
      cancelRestart();
      const last = child;
      if (last === undefined) return;
      last.send({ reader: 'stop' } satisfies ToReader);
      const cancelKill = env.timers.after(patience, () => last.kill('SIGKILL'));
      await last.exited;
      cancelKill();
    },
  };
}

/** Asks a reader what it counted. One that does not answer in time is left out: its counts are not lost, only not shown. */
function createCounting(child: Child, env: SupervisorEnv): () => Promise<Family[]> {
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
