import { consumedIds, effectsOf } from '../../avm/tx/effects.ts';
import { parseTx, type Tx } from '../../avm/tx/tx.ts';
import { fromHex } from '../../base/bytes/hex.ts';
import type { Id } from '../../base/bytes/id.ts';
import { idText } from '../../base/bytes/id.ts';
import { burnedAmount } from '../../ledger/index/tx-sums.ts';
import type { OutputEntry } from '../../ledger/index-read/index-reads.ts';
import type { AssetLabel, LabelOf } from '../data/render-asset.ts';
import { assetsOfTxs } from '../data/tx-amounts.ts';
import { writeTxContent } from '../data/write-tx.ts';
import type { ServedChain } from '../rest/served-chains.ts';
import { summarizeTx } from '../summary/summarize-tx.ts';
import { type ExplorerDeps, explorerOf } from './deps.ts';

/** A transaction that is not in a block. `time`: Unix seconds at which this node got it. */
type PendingTx = { readonly tx: Tx; readonly time: number };

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
  const outputs = await explorerOf(chain).outputs([...new Set(pending.flatMap(({ tx }) => consumedIds(tx)))], await chain.reads.tip());
  const ownOutputs = pending.map(({ tx, time }) => emittedBy(tx, time, chain.id));
  const byId = new Map([...ownOutputs.flat(), ...outputs].map((entry) => [entry.utxo.id, entry]));
  const entries = pending.map(({ tx }, i) => ({
    tx,
    consumed: consumedIds(tx).flatMap((id) => byId.get(id) ?? []),
    emitted: ownOutputs[i] ?? [],
  }));
  const { labelOf } = await deps.assetLabels(chain)(assetsOfTxs(entries));
  const context = {
    formatAddress: deps.addressFormatter(hrp),
    publicKeyText: deps.publicKeys?.text,
    labelOf: withNewAssets(labelOf, pending),
    mayBeImported: false,
  };
  const texts: string[] = [];
  const pause = deps.longWork?.begin();
  for (const entry of entries) {
    const { id, bytes } = entry.tx;
    const size = `"sizeBytes":${bytes.length},"burned":"${burnedAmount(entry.tx, chain.feeAsset)}"`;
    const summary = `"summary":${JSON.stringify(summarizeTx(entry.tx, (output) => byId.get(output)?.utxo, context))}`;
    texts.push(`"txHash":"${idText(id)}",${size},${summary},${writeTxContent(entry, undefined, context)}`);
    const resumed = pause?.();
    if (resumed !== undefined) await resumed;
  }
  return texts;
}

function emittedBy(tx: Tx, time: number, chainID: Id): OutputEntry[] {
  const { created, exported } = effectsOf(tx);
  const entry = (consumedOn: Id) => (utxo: OutputEntry['utxo']) => ({
    seq: 0,
    utxo,
    time,
    createdOn: chainID,
    consumedOn,
    spent: undefined,
  });
  return [...created.map(entry(chainID)), ...(exported?.utxos.map(entry(exported.to)) ?? [])];
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
