import { toHex } from '../../base/bytes/hex.ts';
import { idText } from '../../base/bytes/id.ts';
import type { AssetEntry, TxEntry } from '../../ledger/index-read/index-reads.ts';
import { renderAmounts, renderAssetDetails } from './render-asset.ts';
import { renderUtxos } from './render-utxo.fixture.ts';
import { createdAmounts, unlockedAmounts } from './tx-amounts.ts';
import type { RenderContext } from './write-utxo.ts';

/** `created` is the asset that a CreateAssetTx created. */
export function renderTx(entry: TxEntry, created: AssetEntry | undefined, context: RenderContext) {
  const { tx, height, blockID, time, consumed, emitted } = entry;
  const { unsigned } = tx;
  return {
    txHash: idText(tx.id),
    chainFormat: 'linear',
    blockHeight: height,
    blockHash: idText(blockID),
    timestamp: time,
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
