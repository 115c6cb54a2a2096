import type { Output } from '../../avm/tx/output.ts';
import { sha256Hex } from '../../base/bytes/hash.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import { assetTypeOf, isMintOutput, listedAmount } from '../../ledger/index/output-amount.ts';
import type { OutputEntry } from '../../ledger/index-read/index-reads.ts';
import { renderAmount } from './render-asset.ts';
import { credentialIndexOf, renderCredentials } from './render-credential.ts';
import { isIncomplete, ownersByIndex, type RenderContext } from './write-utxo.ts';

/** Renders outputs. Consecutive outputs are often consumed by consecutive inputs of one transaction, which makes finding credentials cheap. */
export function renderUtxos(entries: readonly OutputEntry[], context: RenderContext) {
  let consumer: Id | undefined;
  let slot = -1;
  return entries.map((entry) => {
    const { spent, utxo } = entry;
    if (spent?.tx !== undefined) {
      slot = credentialIndexOf(spent.tx, utxo, consumer === spent.txID ? slot : -1);
      consumer = spent.txID;
    }
    return renderUtxo(entry, slot, context);
  });
}

/** A page has hundreds of these: setting properties to undefined is faster than spreading partial objects. */
function renderUtxo(entry: OutputEntry, slot: number, { formatAddress, labelOf, publicKeyText, mayBeImported }: RenderContext) {
  const { utxo, time, createdOn, consumedOn, spent } = entry;
  const { output } = utxo;
  return {
    utxoId: idText(utxo.id),
    creationTxHash: idText(utxo.txID),
    outputIndex: utxo.outputIndex.toString(),
    timestamp: time,
    utxoType: isMintOutput(output) ? 'mint' : 'transfer',
    asset: renderAmount(labelOf(utxo.assetID), assetTypeOf(output), listedAmount(output)),
    addresses: output.addresses.map(formatAddress),
    threshold: output.threshold,
    locktime: isIncomplete(entry) ? 0 : safeNumber(output.locktime),
    createdOnChainId: idText(createdOn),
    consumedOnChainId: idText(consumedOn),
    ...(isIncomplete(entry) ? { isIncomplete: true } : { utxoBytes: hexWithChecksum(utxo.bytes) }),
    groupId: groupIDOf(output),
    payload: output.kind === 'nftfx.TransferOutput' ? `0x${toHex(output.payload)}` : undefined,
    consumingTxHash: spent?.txID && idText(spent.txID),
    consumingTxTimestamp: spent?.time,
    credentials: spent?.tx && renderCredentials(spent.tx, slot, ownersByIndex(entry), publicKeyText),
    mayBeImported: (mayBeImported && spent === undefined && createdOn !== consumedOn) || undefined,
  };
}

const groupIDOf = (output: Output): number | undefined =>
  output.kind === 'nftfx.TransferOutput' || output.kind === 'nftfx.MintOutput' ? output.groupID : undefined;

/** A number if it is a safe integer, else a bigint: JSON without bigints is written several times as fast. */
const safeNumber = (value: bigint): number | bigint => (value > maxSafe ? value : Number(value));
const maxSafe = BigInt(Number.MAX_SAFE_INTEGER);

/** The `hex` encoding of the node API (see base/bytes/hex.ts), without concatenating the bytes first. */
const hexWithChecksum = (bytes: Uint8Array): string => `0x${toHex(bytes)}${sha256Hex(bytes).slice(-8)}`;
