import type { DataAge } from '../../api/rest/data-age.ts';
import type { ServedChain } from '../../api/rest/served-chains.ts';
import { messageOf } from '../../base/fault.ts';
import { createOutageLog } from '../../base/log/log.ts';
import { isNodeReachable } from '../../chain/follow/status.ts';
import type { ClusterEnv } from '../cluster-env.ts';
import type { DatabaseHosts } from '../hosts/database-hosts.ts';
import { type IndexStatus, readStatus } from '../indexer/served-network-store.ts';
import { type LeaseReading, leaseMilliseconds, readLease } from '../lease/lease-table.ts';
import { databaseName, withoutPrefix } from '../postgres/postgres-fault.ts';

/** Milliseconds between two reads of the lease and of the status. */
const readInterval = 2000;
/** Milliseconds without a sign of the indexer that are usual: it renews its lease every second, and this process reads it every two. */
const usualSilence = 5000;
/** Seconds behind the followed node after which the index counts as old. */
const maxBehindSeconds = 10;
/** Milliseconds without a failed statement after which the database counts as answering again: a slow query may fail now and then. */
const quietTime = 10_000;

/** What `serac api` knows of the process that writes the index. */
export type IndexStatusWatch = {
  readonly status: ServedChain['status'];
  /** Whether the indexer, or the node that it follows, is known not to answer. */
  readonly isAway: () => boolean;
  /** Old if nobody writes the index, or if the indexer is behind its node. A server stays ready: all of them read the same index. */
  readonly dataAge: DataAge;
  readonly stop: () => void;
};

/** The last sign of the indexer: when it was, by the monotonic clock of this process, and the status of following. */
type LastSign = { readonly at: number; readonly status: IndexStatus };

/**
 * Polls lease and status of the indexer. Logs when the database does not answer, also if it answers this poll but not the longer statements of
 * requests.
 */
export function watchIndexStatus(
  { sql, onFailed }: Pick<DatabaseHosts, 'sql' | 'onFailed'>,
  { clock, timers, log }: Pick<ClusterEnv, 'clock' | 'timers' | 'log'>,
  url: string,
): IndexStatusWatch {
  const outage = createOutageLog(log, databaseName(url));
  const now = clock.monotonic;
  let failedAt = Number.NEGATIVE_INFINITY;
  let last: LastSign | undefined;
  let cancel = () => {};
  let stopped = false;
  const noteFailure = (error: unknown): void => {
    failedAt = now();
    if (!stopped) outage.lost(withoutPrefix(messageOf(error), databaseName(url)));
  };
  const read = async (): Promise<void> => {
    try {
      const [lease, status] = [await readLease(sql), await readStatus(sql)];
      if (status !== undefined) last = { status, at: signTime(lease, status, last) };
      if (now() - failedAt >= quietTime) outage.regained();
    } catch (error) {
      noteFailure(error);
    }
    if (stopped) return;
    cancel = timers.after(readInterval, () => void read());
  };
  const signTime = (lease: LeaseReading | undefined, status: IndexStatus, before: LastSign | undefined): number => {
    // An indexer of an earlier version has no lease: its sign is that the status changes.
    const isNewStatus = before !== undefined && before.status.at !== status.at;
    const statusAge = isNewStatus ? 0 : Math.max(0, Number(clock.unixSeconds()) - status.at) * 1000;
    const statusTime = now() - statusAge;
    if (lease === undefined) return Math.max(statusTime, before?.at ?? statusTime);
    return Math.max(now() - lease.age, isNewStatus ? statusTime : Number.NEGATIVE_INFINITY);
  };
  onFailed(noteFailure);
  void read();
  const silence = ({ at }: LastSign): number => now() - at;
  const findProblem = (sign: LastSign): string | undefined => {
    const { state, behindSeconds = 0 } = sign.status;
    if (silence(sign) >= leaseMilliseconds)
      return `no serac index has written for ${Math.floor(silence(sign) / 1000)} s; answers are as of then`;
    if (!isNodeReachable(state)) return 'the node that serac index follows does not answer; new blocks are missing';
    return state === 'live' || behindSeconds <= maxBehindSeconds
      ? undefined
      : `serac index is ${Math.floor(behindSeconds)} s behind the node that it follows`;
  };
  const isAnswering = (sign: LastSign): boolean => silence(sign) < leaseMilliseconds && isNodeReachable(sign.status.state);
  return {
    status: () => (last !== undefined && isAnswering(last) ? 'OK' : 'UNAVAILABLE'),
    isAway: () => last !== undefined && !isAnswering(last),
    dataAge: {
      seconds: () => {
        if (last === undefined) return 0;
        const milliseconds = silence(last);
        return (last.status.behindSeconds ?? 0) + (milliseconds < usualSilence ? 0 : milliseconds / 1000);
      },
      problem: () => last && findProblem(last),
      notReady: () => undefined,
    },
    stop: () => {
      stopped = true;
      cancel();
    },
  };
}
