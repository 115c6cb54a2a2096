import type { Id } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { createAverager } from './averager.ts';

/** A request to a peer. The same ID can be in use for another chain or another kind of response. */
export type RequestKey = { readonly node: NodeId; readonly chainId: Id; readonly requestId: number; readonly response: string };

/** The flags `--network-initial-timeout` and those beside it, in milliseconds. */
type TimeoutRules = {
  readonly initial: number;
  readonly minimum: number;
  readonly maximum: number;
  readonly halfLife: number;
  /** The timeout is this many times the average latency. */
  readonly coefficient: number;
};

export const defaultTimeoutRules: TimeoutRules = { initial: 5000, minimum: 2000, maximum: 10_000, halfLife: 300_000, coefficient: 2 };

/**
 * Requests that wait for a response, with a timeout that follows the average latency of all peers. The clock is an argument of each call.
 * AvalancheGo: utils/timer/adaptive_timeout_manager.go.
 */
type RequestTracker = {
  /** Adds a request and returns its timeout in milliseconds. The latency of a request without `measured` does not count. */
  readonly add: (key: RequestKey, measured: boolean, now: number) => number;
  /** Ends a request at its response. Returns when it was added; undefined if no such request waits: the response must be ignored. */
  readonly end: (key: RequestKey, now: number) => number | undefined;
  /** The requests to a node that wait. */
  readonly waitingFor: (node: NodeId) => RequestKey[];
  /** Ends up to `limit` requests whose time is over, the earliest deadline first. Their latency counts too. */
  readonly expire: (now: number, limit: number) => RequestKey[];
  /** Counts a latency without a request: one that was not sent because the peer is benched. */
  readonly observe: (latency: number, now: number) => void;
  /** The time of the earliest deadline. */
  readonly nextDeadline: () => number | undefined;
  readonly timeout: () => number;
  readonly averageLatency: () => number;
  readonly count: () => number;
  /** When the request that waits longest was added. */
  readonly oldest: () => number | undefined;
};

type Entry = {
  readonly key: RequestKey;
  readonly text: string;
  readonly added: number;
  readonly deadline: number;
  readonly measured: boolean;
  isWaiting: boolean;
};

export function createRequestTracker(rules: TimeoutRules, start: number): RequestTracker {
  const averager = createAverager(rules.initial, rules.halfLife, start);
  let timeout = rules.initial;
  const entries = new Map<string, Entry>();
  /** Entries by deadline. An ended request stays until its deadline, or until it is half of the list. */
  let queue: Entry[] = [];

  const observe = (latency: number, now: number): void => {
    averager.observe(latency, now);
    timeout = Math.min(rules.maximum, Math.max(rules.minimum, rules.coefficient * averager.read()));
  };
  const isWaiting = (entry: Entry): boolean => entry.isWaiting;
  const remove = (entry: Entry, now: number): void => {
    entry.isWaiting = false;
    entries.delete(entry.text);
    if (entry.measured) observe(now - entry.added, now);
    if (queue.length > 2 * entries.size + 64) queue = queue.filter(isWaiting);
  };
  const trimQueue = (): Entry | undefined => {
    let ended = 0;
    while (ended < queue.length && !isWaiting(queue[ended] as Entry)) ended++;
    if (ended > 0) queue.splice(0, ended);
    return queue[0];
  };
  const insert = (entry: Entry): void => {
    let [from, to] = [0, queue.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((queue[middle] as Entry).deadline > entry.deadline) to = middle;
      else from = middle + 1;
    }
    queue.splice(from, 0, entry);
  };

  return {
    add: (key, measured, now) => {
      const text = textOf(key);
      const previous = entries.get(text);
      if (previous !== undefined) remove(previous, now);
      const entry = { key, text, added: now, deadline: now + timeout, measured, isWaiting: true };
      entries.set(text, entry);
      insert(entry);
      return timeout;
    },
    end: (key, now) => {
      const entry = entries.get(textOf(key));
      if (entry !== undefined) remove(entry, now);
      return entry?.added;
    },
    waitingFor: (node) => [...entries.values()].map(({ key }) => key).filter((key) => key.node === node),
    expire: (now, limit) => {
      const expired: RequestKey[] = [];
      for (let next = trimQueue(); next !== undefined && next.deadline <= now && expired.length < limit; next = trimQueue()) {
        remove(next, now);
        expired.push(next.key);
      }
      return expired;
    },
    observe,
    nextDeadline: () => trimQueue()?.deadline,
    timeout: () => timeout,
    averageLatency: averager.read,
    count: () => entries.size,
    oldest: () => entries.values().next().value?.added,
  };
}

const textOf = ({ node, chainId, requestId, response }: RequestKey): string => `${requestId} ${response} ${node} ${chainId}`;
