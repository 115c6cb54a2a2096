import type { Block, Tx } from './data-types.ts';
import { chainPath, type PageContext } from './page-context.ts';
import { callIfAllowed, readIfFound, type Source } from './source.ts';

/** A transaction that is in a block. */
export type AcceptedTx = {
  readonly state: 'accepted';
  readonly tx: Tx;
  /** Its position in its block, and the IDs of its neighbours there. */
  readonly index: number;
  readonly previous: string | undefined;
  readonly next: string | undefined;
  /** Hex with a checksum, as `avm.getTx` returns it. Undefined on a server without the Node RPC. */
  readonly hex: string | undefined;
  /** Decimal height of the block of each consumed output is not known to the Data API; only their IDs are. */
  readonly size: number | undefined;
};

/** A transaction that is not in a block: waiting, dropped, or reverted. */
export type PendingTx = {
  readonly state: 'waiting' | 'dropped';
  readonly id: string;
  readonly reason: { readonly code: string; readonly message: string } | undefined;
  readonly steps: readonly LifeStep[];
};

/** A step of `dev.getTxLifecycle`. */
export type LifeStep = {
  readonly step: string;
  readonly time: string;
  readonly height?: string;
  readonly reason?: { readonly code: string; readonly message: string };
};

export type TxData = AcceptedTx | PendingTx;

export async function loadTx(source: Source, context: PageContext, id: string): Promise<TxData | undefined> {
  const base = chainPath(context);
  const tx = await readIfFound<Tx>(source, `${base}/transactions/${encodeURIComponent(id)}`);
  if (tx === undefined) return loadPendingTx(source, context, id);
  const [block, raw] = await Promise.all([
    readIfFound<Block>(source, `${base}/blocks/${tx.blockHeight}`),
    context.has.rpc
      ? callIfAllowed<{ tx: string }>(source, context.chain.rpcUrl, 'avm.getTx', { txID: tx.txHash, encoding: 'hex' })
      : undefined,
  ]);
  const ids = block?.transactions ?? [];
  const index = ids.indexOf(tx.txHash);
  return {
    state: 'accepted',
    tx,
    index,
    previous: index > 0 ? ids[index - 1] : undefined,
    next: index >= 0 ? ids[index + 1] : undefined,
    hex: raw?.tx,
    // 0x, two digits per byte, and a checksum of four bytes.
    size: raw === undefined ? undefined : (raw.tx.length - 2) / 2 - 4,
  };
}

type Lifecycle = { readonly txID: string; readonly status: string; readonly steps: readonly LifeStep[] };

/** Only a dev chain keeps the steps of transactions that are not in a block. */
async function loadPendingTx(source: Source, { has, chain }: PageContext, id: string): Promise<PendingTx | undefined> {
  if (has.dev) {
    const life = await callIfAllowed<Lifecycle>(source, '/ext/dev', 'dev.getTxLifecycle', { txID: id });
    if (life !== undefined && life.steps.length > 0) {
      const isWaiting = life.status === 'Processing';
      return {
        state: isWaiting ? 'waiting' : 'dropped',
        id,
        reason: life.steps.findLast(({ reason }) => reason !== undefined)?.reason,
        steps: life.steps,
      };
    }
  }
  if (!has.rpc) return undefined;
  const status = await callIfAllowed<{ status: string }>(source, chain.rpcUrl, 'avm.getTxStatus', { txID: id });
  if (status?.status === 'Processing') return { state: 'waiting', id, reason: undefined, steps: [] };
  if (status?.status === 'Rejected') return { state: 'dropped', id, reason: undefined, steps: [] };
  return undefined;
}
