import type { Tx, TxPosition, TxSummary } from '../../api/contract/answers.ts';
import { loadPendingTx, type PendingTx } from './load-pending-tx.ts';
import { chainPath, type PageContext } from './page-context.ts';
import { signedTx } from './slim.ts';
import { callIfAllowed, readIfFound, type Source } from './source.ts';
import { readRows } from './tx-row.ts';
import { readSigners, type Signers } from './tx-signers.ts';

/** A transaction that is in a block. */
export type AcceptedTx = {
  readonly state: 'accepted';
  /** Without the bytes of outputs, and the signatures that spent them. */
  readonly tx: Tx;
  readonly summary: TxSummary | undefined;
  readonly position: TxPosition | undefined;
  /** Hex with a checksum, as `avm.getTx` returns it. Undefined on a server without the Node RPC. */
  readonly hex: string | undefined;
  readonly size: number | undefined;
  /** Who signed the inputs that several own. */
  readonly signers: Signers;
};

export type TxData = AcceptedTx | PendingTx;

export async function loadTx(source: Source, context: PageContext, id: string): Promise<TxData | undefined> {
  const path = `${chainPath(context)}/transactions/${encodeURIComponent(id)}`;
  const tx = await readIfFound<Tx>(source, path);
  if (tx === undefined) return loadPendingTx(source, context, path, id);
  const [[row], position, raw, signers] = await Promise.all([
    readRows(source, context, [tx.txHash]),
    readIfFound<TxPosition>(source, `${path}/position`),
    context.has.rpc ? callIfAllowed(source, context.chain.rpcUrl, 'avm.getTx', { txID: tx.txHash, encoding: 'hex' }) : undefined,
    readSigners(source, context, tx),
  ]);
  const shown = signedTx(tx);
  // 0x, two digits per byte, and a checksum of four bytes.
  const hex = typeof raw?.tx === 'string' ? raw.tx : undefined;
  return {
    state: 'accepted',
    tx: shown,
    summary: row?.summary,
    position,
    hex,
    size: hex === undefined ? undefined : (hex.length - 2) / 2 - 4,
    signers,
  };
}
