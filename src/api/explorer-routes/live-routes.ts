import { consumedRefs } from '../../avm/tx/effects.ts';
import { idText } from '../../base/bytes/id.ts';
import { lifecycleRows, mempoolRows, txCheckRows } from '../contract/explorer-routes.ts';
import { listMetadata, networkSpelling, renderChainInfo, requireChain } from '../data/chain.ts';
import { joinPage } from '../data/json-page.ts';
import { countWithinBytes } from '../data/paging.ts';
import { notFound } from '../rest/api-error.ts';
import type { LiveReads, LiveReason, LiveTx } from '../rest/live-reads.ts';
import { implementRoutes } from '../rest/route.ts';
import { rawJson } from '../rpc/write-json.ts';
import { type ExplorerDeps, liveOf } from './deps.ts';
import { type PendingTx, parseLiveTx, writePendingTxs } from './pending-tx.ts';

/** Transactions waiting in the mempool. Only for a chain that this node runs itself. */
export const mempoolRoutes = implementRoutes<ExplorerDeps>()(mempoolRows, {
  listMempool: async (deps, { pageSize, ...chainRef }, { paging }) => {
    const chain = requireChain(deps.served, chainRef);
    const offset = Math.max(0, paging.cursor?.after ?? 0);
    const pool = await liveOf(chain).pool(offset, pageSize);
    if (pool === undefined) throw notFound(`This node does not run ${chain.slug} itself, so its mempool is elsewhere`);
    const shown = pool.txs.slice(
      0,
      countWithinBytes(pool.txs, pageSize, ({ tx }) => tx.length / 2),
    );
    const spelling = networkSpelling(deps.served, chainRef.network);
    const pending = shown.map((live) => parsePending(deps, live));
    const texts = await writePendingTxs(deps, chain, spelling.hrp, pending);
    const end = offset + shown.length;
    const [tip, metadata] = await Promise.all([chain.reads.tip(), listMetadata(spelling, chain)]);
    return joinPage({
      name: 'transactions',
      pieces: texts.map((text, i) => {
        const received = shown[i]?.received;
        return { bytes: Buffer.from(`{${received === null ? '' : `"receivedAt":${received},`}${text}}`) };
      }),
      nextPageToken: end < pool.count && shown.length > 0 ? paging.nextPageToken({ height: tip.height, after: end }) : undefined,
      metadata: { txCount: pool.count, bytes: pool.bytes, ...metadata },
    });
  },
});

/** Why a transaction is refused. Only for a chain that this node runs itself. */
export const txCheckRoutes = implementRoutes<ExplorerDeps>()(txCheckRows, {
  getTransactionChecks: async (deps, { txHash, ...chainRef }) => {
    const found = await liveOf(requireChain(deps.served, chainRef)).checks(txHash);
    if (found === undefined)
      throw notFound(`Transaction ${idText(txHash)} does not wait here and is not among the dropped ones whose bytes are kept`);
    const { tx, refusal, checks } = found;
    return {
      txHash: idText(txHash),
      hex: `0x${tx}`,
      isIssuable: refusal === null,
      refusal: refusal === null ? undefined : renderReason(refusal),
      checks: checks.map(({ ok, ...check }) => ({ ...check, result: ok === null ? 'not-run' : ok ? 'pass' : 'fail' })),
    };
  },
});

/** What became of transactions that were issued to this node. */
export const lifecycleRoutes = implementRoutes<ExplorerDeps>()(lifecycleRows, {
  listIssueMinutes: async (deps, chainRef) => {
    const chain = requireChain(deps.served, chainRef);
    const { now, minutes } = await liveOf(chain).minutes();
    return {
      endTimestamp: now - (now % 60),
      minutes: minutes.map(({ start, latency, ...counts }) => ({ timestamp: start, ...counts, latency: latency ?? undefined })),
      chainInfo: renderChainInfo(networkSpelling(deps.served, chainRef.network), chain),
    };
  },
  getNodeHistory: async (deps, { seconds, bucketSeconds, ...chainRef }) => {
    const chain = requireChain(deps.served, chainRef);
    const history = await liveOf(chain).history(seconds, bucketSeconds);
    return {
      startTimestamp: history.startTime,
      endTimestamp: history.now,
      bucketSeconds: history.bucketSeconds,
      buckets: history.buckets.map(
        ({ start, seconds: counted, values: { txs, blocks, mempoolTxs, issuedAccepted, latency, ...values } }) => ({
          timestamp: start,
          seconds: counted,
          txCount: txs,
          blockCount: blocks,
          ...values,
          meanLatency: issuedAccepted === 0 ? undefined : latency / issuedAccepted,
          mempoolTxCount: mempoolTxs,
        }),
      ),
      checks: history.checks?.map(([name, since]) => ({ name, since })),
      chainInfo: renderChainInfo(networkSpelling(deps.served, chainRef.network), chain),
    };
  },
  listDroppedTransactions: async (deps, { pageSize: limit, ...chainRef }, { paging }) => {
    const chain = requireChain(deps.served, chainRef);
    const drops = await liveOf(chain).drops(paging.cursor?.after, limit + 1);
    const shown = drops.slice(
      0,
      countWithinBytes(drops, limit, ({ tx }) => (tx?.length ?? 0) / 2),
    );
    const spelling = networkSpelling(deps.served, chainRef.network);
    const known = shown.flatMap(({ number, tx, time }) =>
      tx === null ? [] : { number, tx: parseLiveTx(tx), time: Math.floor(time / 1000) },
    );
    const texts = await writePendingTxs(deps, chain, spelling.hrp, known);
    const textOf = new Map(known.map(({ number }, i) => [number, texts[i]]));
    const [tip, metadata] = await Promise.all([chain.reads.tip(), listMetadata(spelling, chain)]);
    const last = drops.length > shown.length ? shown[shown.length - 1] : undefined;
    return joinPage({
      name: 'transactions',
      pieces: shown.map(({ number, txID, kind, size, time, stage, reason }) => {
        const text = textOf.get(number);
        const facts = {
          number,
          txHash: idText(txID),
          txType: kind,
          sizeBytes: size,
          droppedAt: time,
          stage,
          reason: renderReason(reason),
        };
        return { bytes: Buffer.from(`${JSON.stringify(facts).slice(0, -1)}${text === undefined ? '' : `,"transaction":{${text}}`}}`) };
      }),
      nextPageToken: last && paging.nextPageToken({ height: tip.height, after: last.number }),
      metadata,
    });
  },
  getTransactionLifecycle: async (deps, { txHash, ...chainRef }) => {
    const chain = requireChain(deps.served, chainRef);
    const found = await liveOf(chain).lifecycle(txHash);
    if (found === undefined) throw notFound(`Transaction ${idText(txHash)} was not issued to this node and is not accepted`);
    const { hrp } = networkSpelling(deps.served, chainRef.network);
    const pending = found.pending === null ? [] : [parsePending(deps, found.pending)];
    const parents = await findPendingParents(deps, liveOf(chain), pending);
    const [text] = pending.length === 0 ? [] : await writePendingTxs(deps, chain, hrp, [...pending, ...parents]);
    const steps = found.steps.map(({ step, time, height, blockID, reason }) => ({
      step,
      time,
      blockNumber: height,
      blockHash: blockID && idText(blockID),
      reason: reason && renderReason(reason),
    }));
    const facts = JSON.stringify({ txHash: idText(txHash), status: found.status, steps });
    return rawJson(text === undefined ? facts : `${facts.slice(0, -1)},"transaction":{${text}}}`);
  },
});

/** Parents of a waiting transaction that are looked for: one that spends outputs of more is shown without some of its senders. */
const maxParents = 16;

/** The waiting transactions whose outputs others consume. */
async function findPendingParents(deps: ExplorerDeps, live: LiveReads, pending: readonly PendingTx[]): Promise<PendingTx[]> {
  const ids = [...new Set(pending.flatMap(({ tx }) => consumedRefs(tx).map(({ txID }) => txID)))].slice(0, maxParents);
  const found = await Promise.all(ids.map((id) => live.lifecycle(id)));
  return found.flatMap((parent) => (parent?.pending ? [parsePending(deps, parent.pending)] : []));
}

const parsePending = (deps: ExplorerDeps, { tx, received }: LiveTx) => ({
  tx: parseLiveTx(tx),
  time: received === null ? deps.served.now() : Math.floor(received / 1000),
});

const renderReason = ({ code, message, data }: LiveReason) => ({ code, message, data });
