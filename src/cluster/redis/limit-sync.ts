import { limitScript } from './limit-script.ts';
import { createScriptRunner, type Redis } from './redis.ts';
import { incompleteTimes, syncScript } from './sync-script.ts';

/** Number of processes that is assumed until Redis was reached for the first time. */
const assumedProcesses = 4;

/**
 * Milliseconds between two exchanges. When Redis is lost, requests that others admitted during the last two intervals may be unknown here.
 */
const interval = 50;

/** Maximum number of clients in one exchange, and of clients waiting for an exchange. */
const maxBatch = 200;
const maxPending = 100_000;

export type LimitSync = ReturnType<typeof createLimitSync>;

/**
 * Keeps processes that share limits through Redis informed about each other: how many they are, what the others admitted, and whether the
 * counts in Redis are complete. With this each process can count locally while Redis is down, and together they stay within the limits.
 */
export function createLimitSync({
  redis,
  id,
  countAdmitted,
  after,
  prefix = 'serac:',
  incompleteTime,
}: {
  readonly redis: Redis;
  /** Unique id of this process. */
  readonly id: string;
  /** Called for every request that another process admitted. */
  readonly countAdmitted: (client: string, weight: number) => void;
  readonly after: (milliseconds: number, run: () => void) => () => void;
  /** Start of every Redis key. */
  readonly prefix?: string;
  /** Milliseconds, for tests: replaces both `incompleteTimes`. */
  readonly incompleteTime?: number;
}) {
  const runSync = createScriptRunner(redis, syncScript);
  const keys = ['state', 'processes', 'log'].map((name) => `${prefix}limits:${name}`);
  const times = [incompleteTime ?? incompleteTimes.lost, incompleteTime ?? incompleteTimes.countedLocally].map(String);
  /** Admitted requests that are not yet sent to the other processes. */
  const unsent = createPendingWeights();
  const known = createKnownCounts();
  let isShared = false;
  let isUnreachable = false;
  let admittedWhileUnreachable = false;
  let exchanges = 0;

  /** A name that no other epoch has, of this process or of another. */
  const newEpoch = (): string => `${id}-${++exchanges}`;

  /** Called when Redis did not answer, or answered that its counts are incomplete. */
  const markLost = (why: 'unreachable' | 'incomplete'): void => {
    isShared = false;
    if (why === 'unreachable') isUnreachable = true;
  };

  const localCounts = createLocalCounts(redis, prefix, keys[0] as string, () => markLost('unreachable'));

  /** Queues an admitted request for the other processes and, if it was counted locally, for the counts in Redis. */
  const recordAdmitted = (client: string, weight: number, countedLocally: boolean): void => {
    if (weight === 0) return;
    unsent.add(client, weight);
    if (!countedLocally) return;
    localCounts.add(client, weight);
    if (isUnreachable) admittedWhileUnreachable = true;
  };

  /** Sends what this process admitted, and fetches what the others did. */
  const exchange = async (): Promise<void> => {
    let sent: ClientWeight[] = [];
    let hadAdmitted = false;
    try {
      // Loaded first: a retry with the whole script (NOSCRIPT) would run later than requests that were sent after it.
      if (isUnreachable) await redis.send('SCRIPT', ['LOAD', limitScript]);
      hadAdmitted = admittedWhileUnreachable;
      isUnreachable = false;
      admittedWhileUnreachable = false;
      localCounts.send();
      sent = unsent.takeBatch();
      const text = sent.length === 0 ? '' : JSON.stringify(sent);
      const args = [id, known.epoch(), newEpoch(), hadAdmitted ? '1' : '0', known.cursor(), text, ...times];
      const reply = (await runSync(['3', ...keys, ...args])) as SyncReply;
      known.update(reply);
      const [, incomplete, , , others] = reply;
      for (const entries of others) for (const [client, weight] of JSON.parse(entries) as ClientWeight[]) countAdmitted(client, weight);
      localCounts.send();
      isShared = incomplete === 0 && localCounts.isEmpty() && !isUnreachable;
    } catch {
      markLost('unreachable');
      admittedWhileUnreachable ||= hadAdmitted;
      for (const [client, weight] of sent) unsent.add(client, weight);
    }
  };

  const repeated = createRepeater(exchange, after);

  return {
    /** Identifies the counts in Redis. Undefined while they are incomplete or unreachable: this process then counts locally. */
    epoch: (): string | undefined => (isShared ? known.epoch() : undefined),
    processes: known.processes,
    losses: known.losses,
    markLost,
    recordAdmitted,
    exchange,
    /** Repeats `exchange` until `close`. */
    start: repeated.start,
    close: async (): Promise<void> => {
      repeated.stop();
      await exchange();
      await redis.send('ZREM', [keys[1] as string, id]).catch(() => undefined);
    },
  };
}

/** What `syncScript` returns: epoch, whether the counts are incomplete (1), number of processes, cursor, and what others admitted as JSON. */
type SyncReply = [epoch: string, incomplete: number, processes: number, cursor: string, others: string[]];

/** What this process knows from the last reply of `syncScript`. */
function createKnownCounts() {
  let epoch = '';
  let cursor = '';
  let processes = assumedProcesses;
  let losses = 0;
  return {
    /** Identifies the counts in Redis; empty before the first reply. A new epoch means that the counts before it were lost. */
    epoch: (): string => epoch,
    /** The end of what this process has fetched from the log of admitted requests. */
    cursor: (): string => cursor,
    /** How many processes share the limits, as last known. */
    processes: (): number => processes,
    /** How often this process found that the counts in Redis were lost. */
    losses: (): number => losses,
    update: ([newEpoch, incomplete, count, last]: SyncReply): void => {
      if (epoch !== '' && epoch !== newEpoch) losses++;
      epoch = newEpoch;
      cursor = last;
      // After a loss processes reconnect one by one. Those still missing keep their share, so the number must not shrink yet.
      processes = incomplete === 1 ? Math.max(processes, count) : count;
    },
  };
}

type ClientWeight = [client: string, weight: number];

/** Sums of weights by client that wait for an exchange. While `maxPending` clients wait, the weights of others are dropped. */
function createPendingWeights() {
  const weights = new Map<string, number>();
  return {
    isEmpty: (): boolean => weights.size === 0,
    add: (client: string, weight: number): void => {
      const before = weights.get(client);
      if (before !== undefined || weights.size < maxPending) weights.set(client, (before ?? 0) + weight);
    },
    /** Removes and returns the clients of one exchange. */
    takeBatch: (): ClientWeight[] => {
      const taken: ClientWeight[] = [];
      for (const entry of weights) {
        if (taken.length === maxBatch) break;
        taken.push(entry);
        weights.delete(entry[0]);
      }
      return taken;
    },
  };
}

/** Requests that were counted locally and are not yet counted in Redis. `onFailed`: called when Redis did not count a client. */
function createLocalCounts(redis: Redis, prefix: string, stateKey: string, onFailed: () => void) {
  const runLimit = createScriptRunner(redis, limitScript);
  const uncounted = createPendingWeights();
  return {
    isEmpty: uncounted.isEmpty,
    add: uncounted.add,
    /** Adds a batch to the counts in Redis. Redis runs this before everything sent later, because it is one connection. */
    send: (): void => {
      for (const [client, weight] of uncounted.takeBatch())
        runLimit(['2', `${prefix}limit:${client}`, stateKey, String(weight), '0', '0', '', '']).catch(() => {
          onFailed();
          uncounted.add(client, weight);
        });
    },
  };
}

/** Runs `task` again and again until it is stopped. Each run begins `interval` milliseconds after the end of the last. */
function createRepeater(task: () => Promise<void>, after: (milliseconds: number, run: () => void) => () => void) {
  let cancel = (): void => {};
  let isStopped = false;
  const start = (): void => {
    cancel = after(interval, () => {
      void task().then(() => {
        if (!isStopped) start();
      });
    });
  };
  return {
    start,
    stop: (): void => {
      isStopped = true;
      cancel();
    },
  };
}
