import { toHex } from '../bytes/hex.ts';
import { type Id, idText } from '../bytes/id.ts';
import { type AssetType, amountOf, typeOf } from '../index/output-amount.ts';
import type { AssetEntry, OutputEntry, TxEntry } from '../index-read/index-reads.ts';
import type { FxOperation } from '../tx/operation.ts';
import type { UnsignedTx } from '../tx/unsigned.ts';
import { type AmountByType, amountSums, assetAmounts, assetDetails } from './render-asset.ts';
import { renderUtxos, type Spelling } from './render-utxo.ts';

/** `created`: the asset that the transaction made, if it made one. */
export function renderTx(entry: TxEntry, created: AssetEntry | undefined, spelling: Spelling) {
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
    assetCreated: created && assetDetails(created),
    consumedUtxos: renderUtxos(consumed, spelling),
    emittedUtxos: renderUtxos(emitted, spelling),
    amountUnlocked: assetAmounts(unlockedBy(unsigned), spelling.labelOf),
    amountCreated: assetAmounts(heldBy(emitted), spelling.labelOf),
  };
}

/** Every asset that an amount in the rendered transactions is of. */
export function* assetsOfTxs(entries: readonly TxEntry[]): Iterable<Id> {
  for (const { tx, consumed, emitted } of entries) {
    for (const { asset } of unlockedBy(tx.unsigned)) yield asset;
    for (const { utxo } of consumed) yield utxo.assetID;
    for (const { utxo } of emitted) yield utxo.assetID;
  }
}

/** What the inputs bring, by asset and type. The transaction itself says so, even where the outputs it consumes are older than our history. */
function unlockedBy(unsigned: UnsignedTx): readonly AmountByType[] {
  const { add, list } = amountSums();
  for (const { assetID, input } of unsigned.inputs) add(assetID, 'secp256k1', input.amount);
  if (unsigned.kind === 'ImportTx') for (const { assetID, input } of unsigned.importedInputs) add(assetID, 'secp256k1', input.amount);
  if (unsigned.kind === 'OperationTx')
    for (const { assetID, inputIDs, operation } of unsigned.operations) {
      const { type, amount } = taken[operation.kind];
      add(assetID, type, amount * BigInt(inputIDs.length));
    }
  return list();
}

/** What an operation consumes: a thing, or a right to mint, which counts nothing. */
const taken: { readonly [K in FxOperation['kind']]: { readonly type: AssetType; readonly amount: bigint } } = {
  'secp256k1fx.MintOperation': { type: 'secp256k1', amount: 0n },
  'nftfx.MintOperation': { type: 'nft', amount: 0n },
  'nftfx.TransferOperation': { type: 'nft', amount: 1n },
  'propertyfx.MintOperation': { type: 'nft', amount: 0n },
  'propertyfx.BurnOperation': { type: 'nft', amount: 1n },
};

function heldBy(emitted: readonly OutputEntry[]): readonly AmountByType[] {
  const { add, list } = amountSums();
  for (const { utxo } of emitted) add(utxo.assetID, typeOf(utxo.output), amountOf(utxo.output));
  return list();
}
