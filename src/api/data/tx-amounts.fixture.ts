import type { FxOperation } from '../../avm/tx/operation.ts';
import type { UnsignedTx } from '../../avm/tx/unsigned.ts';
import { type AssetType, assetTypeOf, listedAmount } from '../../ledger/index/output-amount.ts';
import type { OutputEntry } from '../../ledger/index-read/index-reads.ts';
import { type AmountByType, createAmountSums } from './render-asset.ts';

/** Amounts of the inputs by asset and type. Read from the inputs, since consumed outputs may be from before the indexed history. */
export function unlockedAmounts(unsigned: UnsignedTx): readonly AmountByType[] {
  const { add, list } = createAmountSums();
  for (const { assetID, input } of unsigned.inputs) add(assetID, 'secp256k1', input.amount);
  if (unsigned.kind === 'ImportTx') for (const { assetID, input } of unsigned.importedInputs) add(assetID, 'secp256k1', input.amount);
  if (unsigned.kind === 'OperationTx')
    for (const { assetID, inputIDs, operation } of unsigned.operations) {
      const { type, amount } = consumedByOperation[operation.kind];
      add(assetID, type, amount * BigInt(inputIDs.length));
    }
  return list();
}

/** Type and amount that an operation consumes: an NFT or property counts 1, a mint output 0. */
const consumedByOperation: { readonly [K in FxOperation['kind']]: { readonly type: AssetType; readonly amount: bigint } } = {
  'secp256k1fx.MintOperation': { type: 'secp256k1', amount: 0n },
  'nftfx.MintOperation': { type: 'nft', amount: 0n },
  'nftfx.TransferOperation': { type: 'nft', amount: 1n },
  'propertyfx.MintOperation': { type: 'nft', amount: 0n },
  'propertyfx.BurnOperation': { type: 'nft', amount: 1n },
};

/** Amounts of the created outputs by asset and type. */
export function createdAmounts(emitted: readonly OutputEntry[]): readonly AmountByType[] {
  const { add, list } = createAmountSums();
  for (const { utxo } of emitted) add(utxo.assetID, assetTypeOf(utxo.output), listedAmount(utxo.output));
  return list();
}
