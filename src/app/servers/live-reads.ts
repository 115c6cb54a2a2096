import type { Handler, HttpRequest, HttpResponse } from '../../api/http/message.ts';
import { defaultMaxBody } from '../../api/http/router.ts';
import type { LiveCheck, LiveLifecycle, LiveReads, LiveReason, LiveStep, LiveTx } from '../../api/rest/live-reads.ts';
import { type Json, quoteBigints } from '../../api/rpc/write-json.ts';
import { parseTx, type Tx } from '../../avm/tx/tx.ts';
import type { TxCheck } from '../../avm/verify/explain.ts';
import { fromHex, toHex } from '../../base/bytes/hex.ts';
import type { Id } from '../../base/bytes/id.ts';
import { type AnyFault, Fault, faultOf } from '../../base/fault.ts';
import type { Step } from '../../chain/lifecycle/step-table.ts';
import type { ChainTools, RunningChain } from '../node/running-chain.ts';
import type { TxLifecycles } from '../node/tx-lifecycles.ts';
import { type Relay, relayedJson } from '../processes/relay.ts';

type LiveChain = Pick<RunningChain, 'spec' | 'pendingTxs' | 'mempool' | 'txIssuer' | 'tools'>;

/** Returns the live reads of each chain of the writer process. */
export function createLiveReads(
  { of }: TxLifecycles,
  chains: readonly LiveChain[],
  historyOf: (chainID: Id) => LiveReads['history'],
): (chainID: Id) => LiveReads {
  const byId = new Map(chains.map((chain) => [chain.spec.id, createChainLiveReads(chain, of(chain.spec.id), historyOf(chain.spec.id))]));
  return (chainID) => byId.get(chainID) as LiveReads;
}

function createChainLiveReads(chain: LiveChain, lifecycle: ReturnType<TxLifecycles['of']>, history: LiveReads['history']): LiveReads {
  return {
    pool: async (offset, limit) => {
      if (chain.mempool === undefined) return undefined;
      const { txs: count, bytes } = chain.pendingTxs();
      const page: LiveTx[] = [];
      let at = 0;
      for (const tx of chain.mempool.all()) {
        if (at++ < offset) continue;
        if (page.length === limit) break;
        page.push(liveTx(tx.bytes, lifecycle.pooledAt(tx)));
      }
      return { count, bytes, txs: page };
    },
    drops: async (before, limit) =>
      lifecycle.drops.list(before, limit).map(({ bytes, time, reason, ...drop }) => ({
        ...drop,
        time: milliseconds(time),
        reason: formatReason(reason),
        tx: bytes === undefined ? null : toHex(bytes),
      })),
    status: async (txID) => chain.txIssuer.explainStatus(txID),
    lifecycle: async (txID): Promise<LiveLifecycle | undefined> => {
      const steps = lifecycle.stepsOf(txID);
      const { status } = await chain.txIssuer.explainStatus(txID);
      const drop = status === 'Accepted' ? undefined : lifecycle.drops.find(txID);
      if (steps === undefined && drop === undefined && status === 'Unknown') return undefined;
      // A revert clears the steps; that a transaction was refused or dropped before it is still known.
      const known: readonly Step[] = steps ?? (drop === undefined ? [] : [{ step: drop.stage, time: drop.time, detail: drop.reason }]);
      const waiting = status === 'Processing' ? chain.mempool?.get(txID) : undefined;
      const dropped = status !== 'Processing' && drop?.bytes !== undefined ? liveTx(drop.bytes, drop.time) : null;
      return {
        status,
        steps: known.map(formatStep),
        pending: waiting === undefined ? dropped : liveTx(waiting.bytes, lifecycle.pooledAt(waiting)),
      };
    },
    refusal: async (hex) => (chain.tools === undefined ? undefined : refusalOf(chain.tools, parseTx(fromHex(hex)))),
    checks: async (txID) => {
      const tx = chain.mempool?.get(txID) ?? droppedTx(lifecycle.drops.find(txID)?.bytes);
      // A dropped transaction may have been accepted since.
      if (chain.tools === undefined || tx === undefined || (await chain.txIssuer.explainStatus(txID)).status === 'Accepted')
        return undefined;
      const checks = (await chain.tools.explain(tx)).map(formatCheck);
      const { chain: checker } = chain.tools;
      const fault = faultOf(() => checker.checkIssuable(tx));
      const refusal = fault === undefined ? null : formatReason(fault);
      return { tx: toHex(tx.bytes), refusal, checks: [...checks, mempoolCheck(checks, refusal)] };
    },
    latency: async () => lifecycle.latency(),
    minutes: async () => {
      const { now, minutes } = lifecycle.minutes();
      return {
        now: Math.floor(milliseconds(now) / 1000),
        minutes: minutes.map(({ latency, ...minute }) => ({ ...minute, latency: latency ?? null })),
      };
    },
    history,
  };
}

const liveTx = (bytes: Uint8Array, received: bigint | undefined): LiveTx => ({
  tx: toHex(bytes),
  received: received === undefined ? null : milliseconds(received),
});

const droppedTx = (bytes: Uint8Array | undefined): Tx | undefined => bytes && parseTx(bytes);

/** Why a transaction could not be issued now; null if it could. That too many others wait for their signatures is such a reason. */
async function refusalOf({ chain }: ChainTools, tx: Tx): Promise<LiveReason | null> {
  try {
    await chain.fetchAndRecover(tx);
    chain.checkIssuable(tx);
    return null;
  } catch (error) {
    if (error instanceof Fault) return formatReason(error as AnyFault);
    throw error;
  }
}

const formatCheck = ({ rule, path, ok, code, message, ...values }: TxCheck): LiveCheck => ({
  rule,
  ok,
  path,
  code,
  message,
  values: quoteBigints(values as Json) as LiveCheck['values'],
});

/** The mempool is checked last, and only if all other checks pass, as when a transaction is issued. */
function mempoolCheck(checks: readonly LiveCheck[], refusal: LiveReason | null): LiveCheck {
  const part = { rule: 'mempool', values: {} };
  if (checks.some(({ ok }) => ok !== true)) return { ...part, ok: null };
  return refusal === null ? { ...part, ok: true } : { ...part, ok: false, code: refusal.code, message: refusal.message };
}

const milliseconds = (nanoseconds: bigint): number => Number(nanoseconds / 1_000_000n);

const formatReason = (reason: AnyFault): LiveReason => ({
  code: reason.fault.code,
  message: reason.message,
  data: quoteBigints(reason.fault as Json) as LiveReason['data'],
});

function formatStep({ step, time, detail }: Step): LiveStep {
  const shown = { step, time: milliseconds(time) };
  if (detail === undefined) return shown;
  return 'height' in detail ? { ...shown, height: String(detail.height), blockID: detail.id } : { ...shown, reason: formatReason(detail) };
}

/** The path on which a reader process asks the writer process for live reads. Only the relay can reach it, not a socket. */
const livePath = '/internal/live';

/** What the writer process answers: the result, or the fault that the read failed with. */
type LiveAnswer = { readonly result?: unknown } | { readonly fault: { readonly code: string }; readonly message: string };

type LiveCall = { readonly chainID: Id; readonly name: keyof LiveReads; readonly args: readonly unknown[] };

/** The live reads of a reader process: the writer process answers. */
export function createRelayedLiveReads(relay: Relay, chainID: Id): LiveReads {
  const call = async <N extends keyof LiveReads>(
    name: N,
    ...args: Parameters<LiveReads[N]>
  ): Promise<Awaited<ReturnType<LiveReads[N]>>> => {
    const body = Buffer.from(JSON.stringify({ chainID, name, args } satisfies LiveCall));
    const response = await relay({ method: 'POST', path: livePath, query: '', contentType: 'application/json', body });
    const answer = relayedJson(response) as LiveAnswer;
    if ('fault' in answer) throw new LiveReadError(answer.message, answer.fault);
    return answer.result as Awaited<ReturnType<LiveReads[N]>>;
  };
  return {
    pool: (offset, limit) => call('pool', offset, limit),
    drops: (before, limit) => call('drops', before, limit),
    status: (txID) => call('status', txID),
    lifecycle: (txID) => call('lifecycle', txID),
    refusal: (tx) => call('refusal', tx),
    checks: (txID) => call('checks', txID),
    latency: () => call('latency'),
    minutes: () => call('minutes'),
    history: (window, bucketSeconds) => call('history', window, bucketSeconds),
  };
}

/** A fault of the writer process: a reader process responds to it as the writer would. */
class LiveReadError extends Fault<{ readonly code: string }> {}

/** The writer process's side: answers live reads of the readers, and passes all other requests to `handler`. */
export function withLiveEndpoint(liveOf: (chainID: Id) => LiveReads, handler: Handler): Handler {
  const answer = async (request: HttpRequest): Promise<HttpResponse> => {
    const { chainID, name, args } = JSON.parse(Buffer.from(await request.body(defaultMaxBody)).toString('utf8')) as LiveCall;
    // JSON has no undefined: a missing `before` arrives as null.
    const run = liveOf(chainID)[name] as (...values: readonly unknown[]) => Promise<unknown>;
    const live = await run(...args.map((value) => value ?? undefined)).then((result): LiveAnswer => ({ result }), faultAnswer);
    return { status: 200, headers: {}, body: JSON.stringify(live) };
  };
  return (request) => (request.path === livePath ? answer(request) : handler(request));
}

function faultAnswer(error: unknown): LiveAnswer {
  if (!(error instanceof Fault)) throw error;
  const { message, fault } = error as AnyFault;
  return { message, fault: { code: fault.code } };
}
