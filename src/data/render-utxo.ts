import type { Address } from '../bytes/address.ts';
import { sha256Hex } from '../bytes/hash.ts';
import { toHex } from '../bytes/hex.ts';
import { type Id, idText } from '../bytes/id.ts';
import { amountOf, isRight, typeOf } from '../index/output-amount.ts';
import type { OutputEntry } from '../index-read/index-reads.ts';
import type { Output } from '../tx/output.ts';
import { assetAmount, type LabelOf } from './render-asset.ts';
import { credentialSlot, type KeyText, renderCredentials } from './render-credential.ts';

/** What answers need from outside to spell things out. */
export type Spelling = {
  readonly address: (address: Address) => string;
  readonly labelOf: LabelOf;
  readonly keyText: KeyText | undefined;
};

/** Outputs in their order. Neighbours are often consumed by neighbouring inputs of one transaction. */
export function renderUtxos(entries: readonly OutputEntry[], spelling: Spelling) {
  let consumer: Id | undefined;
  let slot = -1;
  return entries.map((entry) => {
    const { spent, utxo } = entry;
    if (spent?.tx !== undefined) {
      slot = credentialSlot(spent.tx, utxo, consumer === spent.txID ? slot : -1);
      consumer = spent.txID;
    }
    return renderUtxo(entry, slot, spelling);
  });
}

/** A page shows hundreds of these: properties that are undefined are cheaper than objects put together from parts. */
function renderUtxo({ utxo, time, createdOn, consumedOn, spent }: OutputEntry, slot: number, { address, labelOf, keyText }: Spelling) {
  const { output } = utxo;
  return {
    utxoId: idText(utxo.id),
    creationTxHash: idText(utxo.txID),
    outputIndex: utxo.outputIndex.toString(),
    timestamp: time,
    utxoType: isRight(output) ? 'mint' : 'transfer',
    asset: assetAmount(labelOf(utxo.assetID), typeOf(output), amountOf(output)),
    addresses: output.addresses.map(address),
    threshold: output.threshold,
    locktime: exact(output.locktime),
    createdOnChainId: idText(createdOn),
    consumedOnChainId: idText(consumedOn),
    utxoBytes: hexWithChecksum(utxo.bytes),
    groupId: groupOf(output),
    payload: output.kind === 'nftfx.TransferOutput' ? `0x${toHex(output.payload)}` : undefined,
    consumingTxHash: spent?.txID && idText(spent.txID),
    consumingTxTimestamp: spent?.time,
    credentials: spent?.tx && renderCredentials(spent.tx, slot, output.addresses, keyText),
  };
}

const groupOf = (output: Output): number | undefined =>
  output.kind === 'nftfx.TransferOutput' || output.kind === 'nftfx.MintOutput' ? output.groupID : undefined;

/** A number as long as one can hold it: answers without bigints are written several times as fast. */
const exact = (value: bigint): number | bigint => (value > maxSafe ? value : Number(value));
const maxSafe = BigInt(Number.MAX_SAFE_INTEGER);

/** The node's `hex`, see bytes/hex.ts, without joining the bytes first. */
const hexWithChecksum = (bytes: Uint8Array): string => `0x${toHex(bytes)}${sha256Hex(bytes).slice(-8)}`;
