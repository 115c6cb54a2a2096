import { parseTx } from '../../avm/tx/tx.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import { maxGenesisBytes } from '../../base/codec/pack.ts';
import type { AssetEntry, TxEntry } from '../../ledger/index-read/index-reads.ts';
import { renderAmounts, renderAssetDetails } from './render-asset.ts';
import { type PlainContext, renderUtxos } from './render-utxo.fixture.ts';
import { createdAmounts, unlockedAmounts } from './tx-amounts.fixture.ts';

/** `created` is the asset that a CreateAssetTx created. */
export function renderTx(entry: TxEntry, created: AssetEntry | undefined, context: PlainContext) {
  const { tx, height, blockID, emitted } = entry;
  const { id, unsigned } = parseTx(tx.bytes, maxGenesisBytes);
  const consumed = entry.consumed.filter((output) => output !== undefined);
  return {
    txHash: idText(id),
    chainFormat: 'linear',
    blockHeight: height,
    blockHash: idText(toHex(blockID) as Id),
    timestamp: tx.time,
    txType: unsigned.kind,
    memo: `0x${toHex(unsigned.memo)}`,
    sourceChain: unsigned.kind === 'ImportTx' ? idText(unsigned.sourceChain) : undefined,
    destinationChain: unsigned.kind === 'ExportTx' ? idText(unsigned.destinationChain) : undefined,
    assetCreated: created && renderAssetDetails(created),
    consumedUtxos: renderUtxos(consumed, context),
    emittedUtxos: renderUtxos(emitted, context),
    amountUnlocked: renderAmounts(unlockedAmounts(unsigned), context.labelOf),
    amountCreated: renderAmounts(createdAmounts(emitted), context.labelOf),
  };
}
