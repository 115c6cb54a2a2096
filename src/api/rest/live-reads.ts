import type { Id } from '../../base/bytes/id.ts';
import type { ExplainedStatus } from '../../chain/lifecycle/ledger.ts';
import type { Json } from '../rpc/write-json.ts';

/**
 * What only the memory of the writer process has about a chain. All values are plain JSON, because a reader process gets them as a message:
 * bytes are hex, times are Unix milliseconds of the real clock.
 */
export type LiveReads = {
  /** Transactions in the mempool, oldest first, after the first `offset`. Returns undefined for a followed chain, whose mempool is elsewhere. */
  readonly pool: (offset: number, limit: number) => Promise<LivePool | undefined>;
  /** The last transactions that were not accepted, newest first; `before` is the number of the last one of the previous page. */
  readonly drops: (before: number | undefined, limit: number) => Promise<readonly LiveDrop[]>;
  /** The status of a transaction as `avm.getTxStatus` returns it. */
  readonly status: (txID: Id) => Promise<ExplainedStatus>;
  /** What is known about a transaction. Returns undefined if it was neither issued to this node nor accepted. */
  readonly lifecycle: (txID: Id) => Promise<LiveLifecycle | undefined>;
  /** Why a transaction (hex) could not be issued now; null if it could. Returns undefined for a followed chain. */
  readonly refusal: (tx: string) => Promise<LiveReason | null | undefined>;
  /**
   * Every check of a transaction that waits or was dropped, on the last accepted state. Returns undefined if its bytes are not known, and for a
   * followed chain.
   */
  readonly checks: (txID: Id) => Promise<LiveChecks | undefined>;
  /** Milliseconds from issue to acceptance of the last transactions that were issued to this node. */
  readonly latency: () => Promise<LiveLatency>;
  /** Transactions issued to this node by minute of the last hour, oldest first. Minutes without any are left out. `now`: Unix seconds. */
  readonly minutes: () => Promise<{ readonly now: number; readonly minutes: readonly LiveMinute[] }>;
  /** What this node did in the last `window` seconds, in buckets of `bucketSeconds`. */
  readonly history: (window: number, bucketSeconds: number) => Promise<LiveHistory>;
};

type LivePool = {
  readonly count: number;
  readonly bytes: number;
  readonly txs: readonly LiveTx[];
};

/** A transaction outside blocks. `received` is null if it entered the mempool before the last revert. */
export type LiveTx = { readonly tx: string; readonly received: number | null };

type LiveDrop = {
  readonly number: number;
  readonly txID: Id;
  readonly kind: string;
  readonly size: number;
  readonly time: number;
  readonly stage: 'refused' | 'dropped';
  readonly reason: LiveReason;
  /** null if only the newest drops fit. */
  readonly tx: string | null;
};

export type LiveReason = { readonly code: string; readonly message: string; readonly data: { readonly [name: string]: Json } };

/** `refusal` is null if the transaction could be issued now. */
type LiveChecks = { readonly tx: string; readonly refusal: LiveReason | null; readonly checks: readonly LiveCheck[] };

/** One check: the rule, the part of the transaction, and the values that were compared. `ok` is null if it could not run. */
export type LiveCheck = {
  readonly rule: string;
  readonly path?: string;
  readonly ok: boolean | null;
  readonly code?: string;
  readonly message?: string;
  readonly values: { readonly [name: string]: Json };
};

export type LiveLifecycle = {
  readonly status: string;
  readonly steps: readonly LiveStep[];
  /** The transaction while it waits in the mempool, or after it was dropped: then `received` is when that happened. */
  readonly pending: LiveTx | null;
};

export type LiveStep = {
  readonly step: string;
  readonly time: number;
  readonly height?: string;
  readonly blockID?: Id;
  readonly reason?: LiveReason;
};

type LiveLatency = { readonly count: number; readonly p50: number; readonly p90: number; readonly p99: number; readonly max: number };

/** Times are Unix seconds of the real clock. `startTime`: when the record began. `checks`: since when each health check passes or fails; null if callers may not see it. */
export type LiveHistory = {
  readonly now: number;
  readonly startTime: number;
  readonly bucketSeconds: number;
  readonly buckets: readonly LiveBucket[];
  readonly checks: readonly (readonly [name: string, since: number])[] | null;
};

/** Oldest first; time without samples has none. The values of the process are absent if callers may not see them. */
export type LiveBucket = {
  readonly start: number;
  readonly seconds: number;
  readonly values: {
    readonly txs: number;
    readonly blocks: number;
    readonly bytes: number;
    readonly issued: number;
    readonly refused: number;
    readonly dropped: number;
    readonly issuedAccepted: number;
    readonly latency: number;
    readonly mempoolTxs: number;
    readonly cpuSeconds?: number;
    readonly residentBytes?: number;
  };
};

/** `start`: Unix seconds of the real clock. `latency` is null if no transaction was accepted. */
type LiveMinute = { readonly start: number; readonly refused: number; readonly dropped: number; readonly latency: LiveLatency | null };
