import { limitScript } from './limit-script.ts';
import type { Redis } from './redis.ts';
import { scriptOn } from './scripts.ts';
import { settleTimes, syncScript } from './sync-script.ts';

/**
 * What processes that share limits through Redis know of each other, so that each can count alone without exceeding the limits together: how
 * many they are, what the others admitted, and whether the counts in Redis hold all of it.
 */
export type LimitSync = {
  /** Names the counts in Redis; undefined while they are incomplete or out of reach, and this process counts alone. */
  readonly epoch: () => string | undefined;
  /** How many processes share the limits, as last known. */
  readonly processes: () => number;
  /** How often the counts in Redis were lost, as far as this process saw. */
  readonly losses: () => number;
  /** Redis did not answer, or says that its counts are incomplete. */
  readonly lose: (why: 'unreachable' | 'incomplete') => void;
  /** Tells the others of an admitted request, and Redis if it was counted alone. */
  readonly admitted: (client: string, weight: number, alone: boolean) => void;
  /** One exchange; `start` does one after the other. */
  readonly exchange: () => Promise<void>;
  readonly start: () => void;
  readonly close: () => Promise<void>;
};

export type LimitSyncOptions = {
  readonly redis: Redis;
  /** Names this process among the others. */
  readonly id: string;
  /** Told what other processes admitted. */
  readonly note: (client: string, weight: number) => void;
  readonly after: (milliseconds: number, run: () => void) => () => void;
  /** Begins every key. */
  readonly prefix?: string;
  /** Milliseconds, instead of both settle times: for tests. */
  readonly settleTime?: number;
};

/** Of a process that has never reached Redis. */
const assumedProcesses = 4;

/** Milliseconds between two exchanges. What others admitted in the last two of them may be unknown when Redis is lost. */
const interval = 50;

/** Clients in one exchange, and clients that wait for one. */
const maxBatch = 200;
const maxPending = 100_000;

export function createLimitSync(options: LimitSyncOptions): LimitSync {
  const { redis, id, note, after, prefix = 'serac:', settleTime } = options;
  const runSync = scriptOn(redis, syncScript);
  const runLimit = scriptOn(redis, limitScript);
  const keys = ['state', 'processes', 'log'].map((name) => `${prefix}limits:${name}`);
  /** What the others are to be told, and what Redis has not counted: weights by client. */
  const untold = new Map<string, number>();
  const uncounted = new Map<string, number>();
  const times = [settleTime ?? settleTimes.lost, settleTime ?? settleTimes.kept].map(String);
  let known = '';
  let isShared = false;
  let isUnreachable = false;
  let admittedUnreachable = false;
  let cursor = '';
  let processes = assumedProcesses;
  let losses = 0;
  let cancel = (): void => {};
  let closed = false;
  let exchanges = 0;

  /** No two are the same, not even of one process. */
  const freshEpoch = (): string => `${id}-${++exchanges}`;

  const lose = (why: 'unreachable' | 'incomplete'): void => {
    isShared = false;
    if (why === 'unreachable') isUnreachable = true;
  };

  const admitted = (client: string, weight: number, alone: boolean): void => {
    if (weight === 0) return;
    add(untold, client, weight);
    if (!alone) return;
    add(uncounted, client, weight);
    if (isUnreachable) admittedUnreachable = true;
  };

  /** Has Redis count what was counted alone: ahead of everything that this process sends later, since it is one connection. */
  const countInRedis = (): void => {
    for (const [client, weight] of takeSome(uncounted))
      runLimit(['2', `${prefix}limit:${client}`, keys[0] as string, String(weight), '0', '0', '', '']).catch(() => {
        lose('unreachable');
        add(uncounted, client, weight);
      });
  };

  const exchange = async (): Promise<void> => {
    let told: [string, number][] = [];
    let wasAlone = false;
    try {
      // Known before it is used, or what is sent in order would not be run in order.
      if (isUnreachable) await redis.send('SCRIPT', ['LOAD', limitScript]);
      wasAlone = admittedUnreachable;
      isUnreachable = false;
      admittedUnreachable = false;
      countInRedis();
      told = takeSome(untold);
      const text = told.length === 0 ? '' : JSON.stringify(told);
      const args = [id, known, freshEpoch(), wasAlone ? '1' : '0', cursor, text, ...times];
      const answer = (await runSync(['3', ...keys, ...args])) as [string, number, number, string, string[]];
      const [epoch, incomplete, count, last, others] = answer;
      if (known !== '' && known !== epoch) losses++;
      known = epoch;
      cursor = last;
      // After a loss processes come back one by one: those that are still missing keep their share.
      processes = incomplete === 1 ? Math.max(processes, count) : count;
      for (const entries of others) for (const [client, weight] of JSON.parse(entries) as [string, number][]) note(client, weight);
      countInRedis();
      isShared = incomplete === 0 && uncounted.size === 0 && !isUnreachable;
    } catch {
      lose('unreachable');
      admittedUnreachable ||= wasAlone;
      for (const [client, weight] of told) add(untold, client, weight);
    }
  };

  const repeat = (): void => {
    cancel = after(interval, () => {
      void exchange().then(() => {
        if (!closed) repeat();
      });
    });
  };

  return {
    epoch: () => (isShared ? known : undefined),
    processes: () => processes,
    losses: () => losses,
    lose,
    admitted,
    exchange,
    start: repeat,
    close: async () => {
      closed = true;
      cancel();
      await exchange();
      await redis.send('ZREM', [keys[1] as string, id]).catch(() => undefined);
    },
  };
}

function add(weights: Map<string, number>, client: string, weight: number): void {
  const before = weights.get(client);
  if (before !== undefined || weights.size < maxPending) weights.set(client, (before ?? 0) + weight);
}

function takeSome(weights: Map<string, number>): [string, number][] {
  const taken: [string, number][] = [];
  for (const entry of weights) {
    if (taken.length === maxBatch) break;
    taken.push(entry);
    weights.delete(entry[0]);
  }
  return taken;
}
