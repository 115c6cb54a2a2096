import { toHex } from '../bytes/hex.ts';
import { type Id, idText } from '../bytes/id.ts';
import type { AssetEntry, OutputEntry, TxEntry } from '../index/reads.ts';
import { worthOf } from '../index/worth.ts';
import type { FxOperation } from '../tx/operation.ts';
import type { UnsignedTx } from '../tx/unsigned.ts';
import { assetAmounts, assetDetails } from './render-asset.ts';
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
    yield* unlockedBy(tx.unsigned).keys();
    for (const { utxo } of consumed) yield utxo.assetID;
    for (const { utxo } of emitted) yield utxo.assetID;
  }
}

/** What the inputs bring, by asset. The transaction itself says so, even where the outputs it consumes are older than our history. */
function unlockedBy(unsigned: UnsignedTx): ReadonlyMap<Id, bigint> {
  const sums = new Map<Id, bigint>();
  for (const { assetID, input } of unsigned.inputs) add(sums, assetID, input.amount);
  if (unsigned.kind === 'ImportTx') for (const { assetID, input } of unsigned.importedInputs) add(sums, assetID, input.amount);
  if (unsigned.kind === 'OperationTx')
    for (const { assetID, inputIDs, operation } of unsigned.operations) add(sums, assetID, taken[operation.kind] * BigInt(inputIDs.length));
  return sums;
}

/** What an operation consumes: a thing, or a right to mint, which counts nothing. */
const taken: { readonly [K in FxOperation['kind']]: bigint } = {
  'secp256k1fx.MintOperation': 0n,
  'nftfx.MintOperation': 0n,
  'nftfx.TransferOperation': 1n,
  'propertyfx.MintOperation': 0n,
  'propertyfx.BurnOperation': 1n,
};

function heldBy(emitted: readonly OutputEntry[]): ReadonlyMap<Id, bigint> {
  const sums = new Map<Id, bigint>();
  for (const { utxo } of emitted) add(sums, utxo.assetID, worthOf(utxo.output));
  return sums;
}

const add = (sums: Map<Id, bigint>, asset: Id, amount: bigint): void => void sums.set(asset, (sums.get(asset) ?? 0n) + amount);
