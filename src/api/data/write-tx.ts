import type { UnsignedTx } from '../../avm/tx/unsigned.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { idText } from '../../base/bytes/id.ts';
import type { AssetEntry, OutputEntry, TxEntry } from '../../ledger/index-read/index-reads.ts';
import { renderAssetDetails } from './render-asset.ts';
import { createdAmounts, unlockedAmounts } from './tx-amounts.ts';
import { writeAmounts } from './write-asset.ts';
import { createUtxoWriter, type RenderContext } from './write-utxo.ts';

/**
 * The JSON of a transaction. Writing the text directly takes half of the time of building objects and `JSON.stringify`.
 * `created` is the asset that a CreateAssetTx created.
 */
export function writeTx(entry: TxEntry, created: AssetEntry | undefined, context: RenderContext): string {
  const { tx, height, blockID, time } = entry;
  return (
    `{"txHash":"${idText(tx.id)}","chainFormat":"linear","blockHeight":${height},"blockHash":"${idText(blockID)}","timestamp":${time},` +
    `${writeTxContent(entry, created, context)}}`
  );
}

/** The properties of a transaction that do not depend on its block, without braces. */
export function writeTxContent(
  { tx: { unsigned }, consumed, emitted }: Pick<TxEntry, 'tx' | 'consumed' | 'emitted'>,
  created: AssetEntry | undefined,
  context: RenderContext,
): string {
  const asset = created === undefined ? '' : `,"assetCreated":${JSON.stringify(renderAssetDetails(created))}`;
  return (
    `"txType":"${unsigned.kind}","memo":"0x${toHex(unsigned.memo)}"${writeOtherChain(unsigned)}${asset},` +
    `"consumedUtxos":[${writeUtxos(consumed, context)}],"emittedUtxos":[${writeUtxos(emitted, context)}],` +
    `"amountUnlocked":[${writeAmounts(unlockedAmounts(unsigned), context.labelOf)}],` +
    `"amountCreated":[${writeAmounts(createdAmounts(emitted), context.labelOf)}]`
  );
}

const writeUtxos = (entries: readonly OutputEntry[], context: RenderContext): string => entries.map(createUtxoWriter(context)).join();

function writeOtherChain(unsigned: UnsignedTx): string {
  if (unsigned.kind === 'ImportTx') return `,"sourceChain":"${idText(unsigned.sourceChain)}"`;
  return unsigned.kind === 'ExportTx' ? `,"destinationChain":"${idText(unsigned.destinationChain)}"` : '';
}
