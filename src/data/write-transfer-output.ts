import { type Address, addressLength } from '../bytes/address.ts';
import { toHexAt } from '../bytes/hex.ts';
import { type Id, idLength, idText, idToBytes } from '../bytes/id.ts';
import { outputFields, readU32 } from '../tx/transfer-layout.ts';
import { utxoIdBytes } from '../tx/utxo.ts';
import type { JsonBytes } from './json-bytes.ts';
import type { AssetLabel } from './render-asset.ts';
import { labelStart } from './write-asset.ts';
import type { RenderContext } from './write-utxo.ts';

/** A context that also knows the chain and caches the last asset: consecutive outputs nearly always have the same one. */
export type TransferContext = RenderContext & {
  /** `","createdOnChainId":"…","consumedOnChainId":"…","utxoBytes":"0x` of outputs that were created and consumed on this chain. */
  readonly chains: Uint8Array;
  /** The start of the JSON of an amount of the asset whose ID is in `bytes` at `at`. */
  readonly assetStart: (bytes: Uint8Array, at: number) => Uint8Array;
  /** The text of the address in `bytes` at `at`. The last one is cached: outputs of one address are listed one after the other. */
  readonly ownerText: (bytes: Uint8Array, at: number) => string;
};

export function createTransferContext(context: RenderContext, chainID: Id): TransferContext {
  const chain = idText(chainID);
  // An asset has one start, even one whose label is unknown: sums by asset compare starts.
  const starts = new Map<Id, Uint8Array>();
  let last: { readonly id: Uint8Array; readonly start: Uint8Array } | undefined;
  const lastOwner = new Uint8Array(addressLength);
  let lastOwnerText: string | undefined;
  return {
    ...context,
    chains: Buffer.from(`,"createdOnChainId":"${chain}","consumedOnChainId":"${chain}","utxoBytes":"0x`),
    assetStart: (bytes, at) => {
      if (last === undefined || !hasBytesAt(bytes, at, last.id)) {
        const id = toHexAt(bytes, at, idLength) as Id;
        const start = starts.get(id) ?? amountStart(context.labelOf(id));
        starts.set(id, start);
        last = { id: idToBytes(id), start };
      }
      return last.start;
    },
    ownerText: (bytes, at) => {
      if (lastOwnerText === undefined || !hasBytesAt(bytes, at, lastOwner, 0, addressLength)) {
        lastOwnerText = context.formatAddress(toHexAt(bytes, at, addressLength) as Address);
        for (let i = 0; i < addressLength; i++) lastOwner[i] = bytes[at + i] as number;
      }
      return lastOwnerText;
    },
  };
}

export function hasBytesAt(bytes: Uint8Array, at: number, expected: Uint8Array, from = 0, length = idLength): boolean {
  for (let i = 0; i < length; i++) if (bytes[at + i] !== expected[from + i]) return false;
  return true;
}

/** The JSON of an amount of units up to the number. Labels are cached, so their bytes are too. */
function amountStart(label: AssetLabel): Uint8Array {
  const cached = amountStarts.get(label);
  if (cached !== undefined) return cached;
  const bytes = Buffer.from(`${labelStart(label)},"type":"secp256k1","amount":"`);
  amountStarts.set(label, bytes);
  return bytes;
}

const amountStarts = new WeakMap<AssetLabel, Uint8Array>();

/** A transfer output: its UTXO bytes with their checksum, when it was created, and its own ID. */
export type TransferOutputParts = { readonly stored: Uint8Array; readonly time: number; readonly id: Uint8Array };

/** The JSON of a transfer output of this chain, without how it was consumed and without its closing brace; see `writeUnspent`. */
export function writeTransferOutput(json: JsonBytes, { stored, time, id }: TransferOutputParts, context: TransferContext): void {
  json.bytes(texts.id);
  json.id(id, 0);
  json.bytes(texts.txID);
  json.id(stored, storedTxID);
  json.bytes(texts.index);
  json.number(readU32(stored, storedIndex));
  json.bytes(texts.time);
  json.number(time);
  json.bytes(texts.asset);
  json.bytes(context.assetStart(stored, storedOutput + outputFields.assetID));
  json.number(readU64(stored, storedOutput + outputFields.amount));
  json.bytes(texts.owners);
  const count = readU32(stored, storedOutput + outputFields.ownerCount);
  for (let i = 0; i < count; i++) {
    json.ascii(i === 0 ? '"' : ',"');
    json.ascii(context.ownerText(stored, storedOutput + outputFields.owners + addressLength * i));
    json.byte(quote);
  }
  json.bytes(texts.threshold);
  json.number(readU32(stored, storedOutput + outputFields.threshold));
  json.bytes(texts.locktime);
  json.number(readU64(stored, storedOutput + outputFields.locktime));
  json.bytes(context.chains);
  json.hex(stored, 0, stored.length);
  json.byte(quote);
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
  const [high, low] = [readU32(bytes, at), readU32(bytes, at + 4)];
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
  asset: Buffer.from(',"utxoType":"transfer","asset":'),
  owners: Buffer.from('"},"addresses":['),
  threshold: Buffer.from('],"threshold":'),
  locktime: Buffer.from(',"locktime":'),
};
