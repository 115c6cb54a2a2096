import type { NodeId } from '../../base/bytes/node-id.ts';
import { createRequestTracker, type RequestKey } from '../protocol/request-tracker.ts';
import type { RequestFailure } from '../protocol/transport.ts';
import type { NetworkOptions } from './network-flags.ts';
import type { PeerTiming } from './timing.ts';

/** Requests that expire in one event-loop turn. */
const maxExpiredPerTurn = 256;

/** Requests of this node's chains that wait for their response or their timeout; the router adds and ends them. `onFailed` is called once for each that fails, and not after `close`. */
export type OutstandingRequests = ReturnType<typeof createOutstandingRequests>;

export function createOutstandingRequests(
  options: NetworkOptions,
  timing: PeerTiming,
  onFailed: (key: RequestKey, cause: RequestFailure) => void,
) {
  const requests = createRequestTracker(
    {
      initial: options.initialTimeout,
      minimum: options.minimumTimeout,
      maximum: options.maximumTimeout,
      halfLife: options.timeoutHalfLife,
      coefficient: options.timeoutCoefficient,
    },
    timing.now(),
  );
  /** Requests that failed already, by key: their response only counts for the bench list. */
  const failedEarly = new Set<string>();
  let isClosed = false;

  /** Removes a request from those that failed already. Returns whether it was one; most often there are none, and no text is made. */
  const takeFailedEarly = (key: RequestKey): boolean => failedEarly.size > 0 && failedEarly.delete(textOf(key));

  /** Fails a request after this turn. It stays until its response or its timeout, which the bench list counts. */
  const failSoon = (key: RequestKey, cause: RequestFailure): void => {
    failedEarly.add(textOf(key));
    timing.soon(() => void (isClosed || onFailed(key, cause)));
  };

  return {
    /** `countsLatency`: whether the time until its response counts for the timeout of others. */
    add: (key: RequestKey, countsLatency: boolean, now: number): void => {
      takeFailedEarly(key);
      requests.add(key, countsLatency, now);
    },
    /** Ends a request. Returns since when it waited, and whether it failed before; undefined if there is none. */
    end: (key: RequestKey, now: number): { readonly since: number; readonly hasFailed: boolean } | undefined => {
      const since = requests.end(key, now);
      return since === undefined ? undefined : { since, hasFailed: takeFailedEarly(key) };
    },
    failSoon,
    failAllOf: (node: NodeId): void => {
      for (const key of requests.waitingFor(node)) if (!failedEarly.has(textOf(key))) failSoon(key, 'disconnected');
    },
    /** Ends requests whose time is over; `onExpired` is called for each, before `onFailed`. */
    expire: (now: number, onExpired: (key: RequestKey) => void): void => {
      for (const key of requests.expire(now, maxExpiredPerTurn)) {
        onExpired(key);
        if (!takeFailedEarly(key)) onFailed(key, 'timeout');
      }
    },
    timeout: requests.timeout,
    nextDeadline: (): number => requests.nextDeadline() ?? Number.POSITIVE_INFINITY,
    state: () => ({
      outstanding: requests.count(),
      oldest: requests.oldest(),
      timeout: requests.timeout(),
      averageLatency: requests.averageLatency(),
    }),
    close: (): void => {
      isClosed = true;
    },
  };
}

const textOf = ({ node, chainId, requestId, response }: RequestKey): string => `${requestId} ${response} ${node} ${chainId}`;
