import { outputFields, readU32 } from '../../avm/tx/transfer-layout.ts';
import { utxoIdBytes } from '../../avm/tx/utxo.ts';
import type { Address } from '../../base/bytes/address.ts';
import { toHexAt } from '../../base/bytes/hex.ts';
import { type Id, idLength, idText, idToBytes } from '../../base/bytes/id.ts';
import { maxIdText } from '../../base/bytes/id-text.ts';
import type { AddressTexts } from './address-texts.ts';
import type { JsonBytes } from './json-bytes.ts';
import type { AssetLabel } from './render-asset.ts';
import { labelStart } from './write-asset.ts';
import type { RenderContext } from './write-utxo.ts';

/** A context that also knows the chain and caches the last asset: consecutive outputs nearly always have the same one. */
export type TransferContext = RenderContext & {
  /** `,"createdOnChainId":"…","consumedOnChainId":"…","utxoBytes":"0x` of outputs that were created and consumed on this chain. */
  readonly chains: Uint8Array;
  /** From the end of the only owner up to `chains`, with threshold 1 and lock time 0. */
  readonly singleOwnerEnd: Uint8Array;
  readonly addressTexts: AddressTexts;
  /** Public keys by owner: those that are cached as bytes. */
  readonly keyTexts: AddressTexts | undefined;
  /** The ID of the last block that was written, and the first `size` bytes of `text`: its CB58 text. */
  readonly lastBlock: { id: Uint8Array; readonly text: Uint8Array; size: number };
  /** The texts of amounts of the asset whose ID is in `bytes` at `at`: one object per asset. */
  readonly assetTexts: (bytes: Uint8Array, at: number) => AssetTexts;
};

/** `amount`: the JSON of an amount of units up to the number. `output`: the same after the time of an output. */
export type AssetTexts = { readonly amount: Uint8Array; readonly output: Uint8Array };

export function createTransferContext(
  context: RenderContext,
  chainID: Id,
  caches: Pick<TransferContext, 'addressTexts' | 'keyTexts'>,
): TransferContext {
  const chain = idText(chainID);
  const chains = `,"createdOnChainId":"${chain}","consumedOnChainId":"${chain}","utxoBytes":"0x`;
  // An asset has one object, even one whose label is unknown: sums by asset compare them.
  const found = new Map<Id, AssetTexts>();
  let last: { readonly id: Uint8Array; readonly texts: AssetTexts } | undefined;
  return {
    ...context,
    ...caches,
    chains: Buffer.from(chains),
    singleOwnerEnd: Buffer.from(`"],"threshold":1,"locktime":0${chains}`),
    lastBlock: { id: new Uint8Array(idLength), text: new Uint8Array(maxIdText), size: 0 },
    assetTexts: (bytes, at) => {
      if (last === undefined || !hasBytesAt(bytes, at, last.id)) {
        const id = toHexAt(bytes, at, idLength) as Id;
        const texts = found.get(id) ?? textsOf(context.labelOf(id));
        found.set(id, texts);
        last = { id: idToBytes(id), texts };
      }
      return last.texts;
    },
  };
}

export function hasBytesAt(bytes: Uint8Array, at: number, expected: Uint8Array, from = 0): boolean {
  for (let i = 0; i < idLength; i++) if (bytes[at + i] !== expected[from + i]) return false;
  return true;
}

/** Labels are cached, so their texts are too. */
function textsOf(label: AssetLabel): AssetTexts {
  const cached = textsByLabel.get(label);
  if (cached !== undefined) return cached;
  const amount = `${labelStart(label)},"type":"secp256k1","amount":"`;
  const made = { amount: Buffer.from(amount), output: Buffer.from(`,"utxoType":"transfer","asset":${amount}`) };
  textsByLabel.set(label, made);
  return made;
}

const textsByLabel = new WeakMap<AssetLabel, AssetTexts>();

/** Where a text is in what is written so far: the first character and the one after the last. */
export type WrittenText = { readonly start: number; readonly end: number };

/**
 * A transfer output: its UTXO bytes with their checksum, when it was created, and its own ID. `txIDText`: the ID of its transaction, if that
 * is already written.
 */
type TransferOutputParts = {
  readonly stored: Uint8Array;
  readonly time: number;
  readonly id: Uint8Array;
  readonly txIDText?: WrittenText;
};

/** The JSON of a transfer output of this chain, without how it was consumed and without its closing brace; see `writeUnspent`. */
export function writeTransferOutput(json: JsonBytes, { stored, time, id, txIDText }: TransferOutputParts, context: TransferContext): void {
  json.bytes(texts.id);
  json.id(id, 0);
  json.bytes(texts.txID);
  if (txIDText === undefined) json.id(stored, storedTxID);
  else json.repeat(txIDText.start, txIDText.end - txIDText.start);
  json.bytes(texts.index);
  json.number(readU32(stored, storedIndex));
  json.bytes(texts.time);
  json.number(time);
  json.bytes(context.assetTexts(stored, storedOutput + outputFields.assetID).output);
  json.number(readU64(stored, storedOutput + outputFields.amount));
  writeOwners(json, stored, context);
  json.hex(stored, 0, stored.length);
  json.byte(quote);
}

/** Owners, threshold and lock time, up to the start of the bytes. */
function writeOwners(json: JsonBytes, stored: Uint8Array, context: TransferContext): void {
  const count = readU32(stored, storedOutput + outputFields.ownerCount);
  const threshold = readU32(stored, storedOutput + outputFields.threshold);
  const locktime = readU64(stored, storedOutput + outputFields.locktime);
  json.bytes(count === 0 ? texts.noOwners : texts.owners);
  for (let i = 0; i < count; i++) {
    if (i > 0) json.bytes(texts.nextOwner);
    writeAddress(json, stored, storedOutput + outputFields.owners + 20 * i, context);
  }
  if (count === 1 && threshold === 1 && locktime === 0) {
    json.bytes(context.singleOwnerEnd);
    return;
  }
  if (count > 0) json.byte(quote);
  json.bytes(texts.threshold);
  json.number(threshold);
  json.bytes(texts.locktime);
  json.number(locktime);
  json.bytes(context.chains);
}

function writeAddress(json: JsonBytes, bytes: Uint8Array, at: number, { addressTexts, formatAddress }: TransferContext): void {
  const entry = addressTexts.find(bytes, at);
  if (entry >= 0) {
    const start = addressTexts.offset(entry);
    json.part(addressTexts.texts, start, start + addressTexts.size(entry));
    return;
  }
  const text = formatAddress(toHexAt(bytes, at, 20) as Address);
  addressTexts.add(bytes, at, text);
  json.ascii(text);
}

export const storedAssetID = (stored: Uint8Array): Id => toHexAt(stored, storedOutput, idLength) as Id;

/** The ID of a stored output. */
export const storedOutputID = (stored: Uint8Array): Uint8Array => utxoIdBytes(stored, storedTxID, readU32(stored, storedIndex));

/** The owner of a stored transfer output with this index. */
export function ownerAt(stored: Uint8Array, index: number): Address {
  return toHexAt(stored, storedOutput + outputFields.owners + 20 * index, 20) as Address;
}

/** A u64, as a number if that is exact. */
export function readU64(bytes: Uint8Array, at: number): number | bigint {
  const high = readU32(bytes, at);
  const low = readU32(bytes, at + 4);
  return high < 2 ** 21 ? high * 2 ** 32 + low : (BigInt(high) << 32n) | BigInt(low);
}

/** A stored output: version 2, transaction ID 32, output index 4, then as in a transaction; see `TransferLayout`. */
export const storedTxID = 2;
export const storedIndex = 34;
export const storedOutput = 38;

const quote = 0x22;

const texts = {
  id: Buffer.from('{"utxoId":"'),
  txID: Buffer.from('","creationTxHash":"'),
  index: Buffer.from('","outputIndex":"'),
  time: Buffer.from('","timestamp":'),
  noOwners: Buffer.from('"},"addresses":['),
  owners: Buffer.from('"},"addresses":["'),
  nextOwner: Buffer.from('","'),
  threshold: Buffer.from('],"threshold":'),
  locktime: Buffer.from(',"locktime":'),
};
