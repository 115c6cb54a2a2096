import type { DataAge } from '../../api/rest/data-age.ts';
import { messageOf } from '../../base/fault.ts';
import { createOutageLog } from '../../base/log/log.ts';
import { isNodeReachable, isNodeSilent } from '../../chain/follow/status.ts';
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

/** The last sign of the indexer: when it was, by the monotonic clock of this process, and the status of following. */
type LastSign = { readonly at: number; readonly status: IndexStatus };

/**
 * Polls lease and status of the indexer: what `serac api` knows of the process that writes the index. Logs when the database does not answer, also if
 * it answers this poll but not the longer statements of requests.
 */
export function watchIndexStatus(
  { sql, onFailed }: Pick<DatabaseHosts, 'sql' | 'onFailed'>,
  { clock, timers, log }: Pick<ClusterEnv, 'clock' | 'timers' | 'log'>,
  url: string,
) {
  const outage = createOutageLog(log, databaseName(url));
  const now = clock.monotonic;
  let failedAt = Number.NEGATIVE_INFINITY;
  let last: LastSign | undefined;
  let cancel = (): void => {};
  let isStopped = false;

  const noteFailure = (error: unknown): void => {
    failedAt = now();
    if (!isStopped) outage.lost(withoutPrefix(messageOf(error), databaseName(url)));
  };
  /** When the indexer gave its last sign: it renewed its lease, or wrote another status. */
  const timeOfSign = (lease: LeaseReading | undefined, status: IndexStatus): number => {
    const isNewStatus = last !== undefined && last.status.at !== status.at;
    const statusAge = isNewStatus ? 0 : Math.max(0, Number(clock.unixSeconds()) - status.at) * 1000;
    const before = last?.at ?? Number.NEGATIVE_INFINITY;
    // An indexer of an earlier version has no lease: its sign is that the status changes.
    return Math.max(before, lease === undefined || isNewStatus ? now() - statusAge : now() - lease.age);
  };
  const poll = async (): Promise<void> => {
    try {
      const lease = await readLease(sql);
      const status = await readStatus(sql);
      if (status !== undefined) last = { status, at: timeOfSign(lease, status) };
      if (now() - failedAt >= quietTime) outage.regained();
    } catch (error) {
      noteFailure(error);
    }
    if (!isStopped) cancel = timers.after(readInterval, () => void poll());
  };
  onFailed(noteFailure);
  void poll();

  const silenceSince = ({ at }: LastSign): number => now() - at;
  const isWriterSilent = (sign: LastSign): boolean => silenceSince(sign) >= leaseMilliseconds;
  /** Why answers are old; undefined if they are not. */
  const findProblem = (sign: LastSign): string | undefined => {
    const { state, behindSeconds = 0 } = sign.status;
    if (isWriterSilent(sign)) return `no serac index has written for ${Math.floor(silenceSince(sign) / 1000)} s; answers are as of then`;
    if (isNodeSilent(state)) return 'the node that serac index follows does not answer; new blocks are missing';
    return state !== 'catching-up' || behindSeconds <= maxBehindSeconds
      ? undefined
      : `serac index is ${Math.floor(behindSeconds)} s behind the node that it follows`;
  };
  /** Old if nobody writes the index, or if the indexer is behind its node. A server stays ready: all of them read the same index. */
  const dataAge: DataAge = {
    seconds: () => {
      if (last === undefined) return 0;
      const silence = silenceSince(last);
      return (last.status.behindSeconds ?? 0) + (silence < usualSilence ? 0 : silence / 1000);
    },
    problem: () => last && findProblem(last),
    notReady: () => undefined,
  };
  return {
    /** Whether the index is known to grow with the node: UNAVAILABLE also while the node has not been asked yet. */
    status: (): 'OK' | 'UNAVAILABLE' =>
      last !== undefined && !isWriterSilent(last) && isNodeReachable(last.status.state) ? 'OK' : 'UNAVAILABLE',
    /** Whether the indexer, or the node that it follows, is known not to answer: then a caller does not wait for them. */
    isAway: (): boolean => last !== undefined && (isWriterSilent(last) || isNodeSilent(last.status.state)),
    dataAge,
    stop: (): void => {
      isStopped = true;
      cancel();
    },
  };
}
