import { consumedIds, consumedRefs } from '../../avm/tx/effects.ts';
import { parseTx, type Tx } from '../../avm/tx/tx.ts';
import { txLayout } from '../../avm/tx/tx-layout.ts';
import { refId } from '../../avm/tx/utxo.ts';
import { fromHex, toHexAt } from '../../base/bytes/hex.ts';
import { type Id, idLength, idText, idToBytes } from '../../base/bytes/id.ts';
import type { OutputEntry } from '../../ledger/index-read/index-reads.ts';
import { StoredOutput } from '../../ledger/index-read/read-outputs.ts';
import { burnedAmount } from '../../ledger/state/block-row.ts';
import { createdUtxos, type StoredTx } from '../../ledger/state/stored-tx.ts';
import { storedID } from '../../ledger/state/stored-utxo.ts';
import type { AssetLabel, LabelOf } from '../data/render-asset.ts';
import { assetsOfTxs } from '../data/tx-pieces.ts';
import { writeTxContent } from '../data/write-tx.ts';
import type { ServedChain } from '../rest/served-chains.ts';
import { summarizeTx } from '../summary/summarize-tx.ts';
import { type ExplorerDeps, explorerOf } from './deps.ts';

/** A transaction that is not in a block. `time`: Unix seconds at which this node got it. */
export type PendingTx = { readonly tx: Tx; readonly time: number };

/** Parses a transaction as `LiveReads` gives it: hex. */
export const parseLiveTx = (hex: string): Tx => parseTx(fromHex(hex));

/**
 * The JSON of transactions outside blocks, without braces: the properties of a Data API transaction that do not depend on a block, its size and
 * the fee. A consumed output may be of another one of them; one that is unknown here is left out; one that another transaction has spent shows that transaction.
 */
export async function writePendingTxs(
  deps: ExplorerDeps,
  chain: ServedChain,
  hrp: string,
  pending: readonly PendingTx[],
): Promise<string[]> {
  const outputs = await explorerOf(chain).outputs(
    pending.flatMap(({ tx }) => consumedRefs(tx)),
    await chain.reads.tip(),
  );
  const txs = pending.map(({ tx, time }) => ({ seq: 0, id: idToBytes(tx.id), bytes: tx.bytes, time, layout: txLayout(tx.bytes) }));
  const ownOutputs = txs.map((tx) => emittedBy(tx, chain.id));
  const byId = new Map([...ownOutputs.flat(), ...outputs].map((entry) => [storedID(entry.stored), entry]));
  const entries = pending.map(({ tx }, i) => ({
    tx: txs[i] as StoredTx,
    consumed: consumedIds(tx).flatMap((id) => byId.get(id) ?? []),
    emitted: ownOutputs[i] ?? [],
  }));
  const { labelOf } = await deps.assetLabels(chain)(assetsOfTxs(entries));
  const labels = { labelOf: withNewAssets(labelOf, pending), isComplete: false };
  const context = { ...deps.renderContext(chain, hrp, labels), mayBeImported: false };
  const { json } = deps;
  const texts: string[] = [];
  const pause = deps.longWork?.begin();
  for (const [i, entry] of entries.entries()) {
    const { tx } = pending[i] as PendingTx;
    const burned = burnedAmount(tx, chain.feeAsset);
    const summary = JSON.stringify(
      summarizeTx(tx, (ref) => byId.get(refId(ref))?.utxo, { ...labels, formatAddress: deps.addressFormatter(hrp) }),
    );
    const bytes = json.collect(() => {
      json.ascii('"txHash":"');
      json.id(entry.tx.id, 0);
      json.ascii(`","sizeBytes":${entry.tx.bytes.length},"burned":"${burned}","summary":`);
      json.text(summary);
      json.ascii(',');
      writeTxContent(json, entry, undefined, context);
    });
    texts.push(Buffer.from(bytes).toString());
    const resumed = pause?.();
    if (resumed !== undefined) await resumed;
  }
  return texts;
}

function emittedBy(tx: StoredTx, chainID: Id): OutputEntry[] {
  const { ownOutputs, outputs, otherChain } = tx.layout;
  const destination = ownOutputs < outputs.length ? (toHexAt(tx.bytes, otherChain, idLength) as Id) : chainID;
  return createdUtxos(tx).map((stored, i) => {
    const consumedOn = i < ownOutputs ? chainID : destination;
    return new StoredOutput(0, stored, { time: tx.time, createdOn: chainID, consumedOn, spent: undefined });
  });
}

/** Also knows the assets that the transactions themselves would create. */
function withNewAssets(labelOf: LabelOf, pending: readonly PendingTx[]): LabelOf {
  const labels = new Map<Id, AssetLabel>();
  for (const { tx } of pending)
    if (tx.unsigned.kind === 'CreateAssetTx') {
      const { name, symbol, denomination } = tx.unsigned;
      labels.set(tx.id, { assetId: idText(tx.id), name: text(name), symbol: text(symbol), denomination });
    }
  return (id) => labels.get(id) ?? labelOf(id);
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');
