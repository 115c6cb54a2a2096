import { readU32 } from '../../avm/tx/tx-layout.ts';
import type { Address } from '../../base/bytes/address.ts';
import { sha256Into } from '../../base/bytes/hash.ts';
import { toHexAt } from '../../base/bytes/hex.ts';
import { idLength } from '../../base/bytes/id.ts';
import { maxU64 } from '../../base/bytes/octets.ts';
import { outputKindOf } from '../../ledger/index/output-amount.ts';
import type { OutputEntry, SpendInfo } from '../../ledger/index-read/index-reads.ts';
import type { OutputClass } from '../../ledger/state/balance.ts';
import { outputType, ownersAt, type StoredUtxo, utxoFields } from '../../ledger/state/stored-utxo.ts';
import type { JsonBytes } from './json-bytes.ts';
import { chainTexts, type RenderContext } from './render-context.ts';
import { findRef, writeCredentials } from './write-credentials.ts';

/** Where a text is in what is written so far: the first character and the one after the last. */
export type WrittenText = { readonly start: number; readonly end: number };

/**
 * What is known from the outputs that were written before in the same item: consecutive outputs often have the same spender, and consecutive
 * inputs consume them. `creator`: the ID of the transaction that created the outputs, if it is already written.
 */
export type OutputWriterState = {
  creator: WrittenText | undefined;
  spender: SpendInfo | undefined;
  spenderText: WrittenText | undefined;
  /** The index of the output before in `consumedRefs` of its spender. */
  ref: number;
};

export const newOutputState = (): OutputWriterState => ({ creator: undefined, spender: undefined, spenderText: undefined, ref: -1 });

/** The JSON of an output, from its bytes, which must be verified. No text in it needs escaping except in asset labels. */
export function writeOutput(json: JsonBytes, entry: OutputEntry, context: RenderContext, state: OutputWriterState): void {
  const { stored, spent, createdOn, consumedOn } = entry;
  const owners = ownersAt(stored);
  const locktime = readU64(stored, owners);
  // An output that is known from its import only; see avm/tx/incomplete-utxo.ts.
  const isIncomplete = locktime === maxU64 && spent?.layout !== undefined;
  json.bytes(texts.id);
  writeOutputID(json, stored);
  json.bytes(texts.txID);
  if (state.creator === undefined) json.id(stored, utxoFields.txID);
  else json.repeat(state.creator.start, state.creator.end - state.creator.start);
  json.bytes(texts.index);
  json.number(readU32(stored, utxoFields.outputIndex));
  json.bytes(texts.time);
  json.number(entry.time);
  writeAmount(json, stored, context);
  writeOwners(json, entry, owners, isIncomplete ? 0 : locktime, context);
  if (isIncomplete) json.ascii('"isIncomplete":true');
  else {
    json.bytes(texts.bytes);
    json.hex(stored, 0, stored.length);
    json.byte(quote);
  }
  writeGroup(json, stored);
  if (spent !== undefined) writeSpent(json, stored, spent, isIncomplete ? undefined : owners, context, state);
  else if (context.mayBeImported && createdOn !== consumedOn) json.ascii(',"mayBeImported":true');
  json.byte(closeBrace);
}

function writeOutputID(json: JsonBytes, stored: StoredUtxo): void {
  for (let i = 0; i < 4; i++) hashedRef[4 + i] = stored[utxoFields.outputIndex + i] as number;
  for (let i = 0; i < idLength; i++) hashedRef[8 + i] = stored[utxoFields.txID + i] as number;
  sha256Into(hashedRef, outputID);
  json.id(outputID, 0);
}

/** Output index as u64, then transaction ID; see `utxoId`. */
const hashedRef = new Uint8Array(8 + idLength);
const outputID = new Uint8Array(idLength);

function writeAmount(json: JsonBytes, stored: StoredUtxo, { assetTexts }: RenderContext): void {
  const asset = assetTexts(stored, utxoFields.assetID);
  const { class: counted, type } = outputKindOf(stored);
  if (counted === 'amount') json.bytes(asset.output);
  else {
    json.ascii(counted === 'mint' ? ',"utxoType":"mint","asset":' : ',"utxoType":"transfer","asset":');
    json.bytes(type === 'nft' ? asset.nfts : asset.units);
  }
  json.number(amountOf(stored, counted));
}

/** Owners, threshold, lock time and chains, up to the next property. */
function writeOwners(json: JsonBytes, entry: OutputEntry, owners: number, locktime: number | bigint, context: RenderContext): void {
  const { stored, createdOn, consumedOn } = entry;
  const threshold = readU32(stored, owners + 8);
  const count = readU32(stored, owners + 12);
  json.bytes(count === 0 ? texts.noOwners : texts.owners);
  for (let i = 0; i < count; i++) {
    if (i > 0) json.bytes(texts.nextOwner);
    writeAddress(json, stored, owners + 16 + 20 * i, context);
  }
  const isOwn = createdOn === context.chainID && consumedOn === context.chainID;
  if (isOwn && count === 1 && threshold === 1 && locktime === 0) {
    json.bytes(context.singleOwnerEnd);
    return;
  }
  if (count > 0) json.byte(quote);
  json.bytes(texts.threshold);
  json.number(threshold);
  json.bytes(texts.locktime);
  json.number(locktime);
  if (isOwn) json.bytes(context.chains);
  else json.ascii(chainTexts(createdOn, consumedOn));
}

function writeAddress(json: JsonBytes, bytes: Uint8Array, at: number, { addressTexts, formatAddress }: RenderContext): void {
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

/** The group of an NFT or of its mint output: group ID 4; of an NFT then its payload: size 4, bytes. */
function writeGroup(json: JsonBytes, stored: StoredUtxo): void {
  const type = outputType(stored);
  if (type !== nftMintType && type !== nftType) return;
  json.ascii(',"groupId":');
  json.number(readU32(stored, utxoFields.output));
  if (type === nftMintType) return;
  json.ascii(',"payload":"0x');
  const start = utxoFields.output + 8;
  json.hex(stored, start, start + readU32(stored, start - 4));
  json.byte(quote);
}

const nftMintType = 10;
const nftType = 11;

/** What consumed an output. `owners`: where its owners begin; undefined if their order is unknown. */
function writeSpent(
  json: JsonBytes,
  stored: StoredUtxo,
  spent: SpendInfo,
  owners: number | undefined,
  context: RenderContext,
  state: OutputWriterState,
): void {
  const isSame = spent === state.spender;
  if (spent.id === undefined) json.ascii(',"consumingTxTimestamp":');
  else {
    json.bytes(texts.spender);
    if (isSame && state.spenderText !== undefined) json.repeat(state.spenderText.start, state.spenderText.end - state.spenderText.start);
    else state.spenderText = writeIdText(json, spent.id);
    json.bytes(texts.spendTime);
  }
  json.number(spent.time);
  if (!isSame) state.ref = -1;
  state.spender = spent;
  if (spent.layout === undefined) return;
  json.bytes(texts.credentials);
  state.ref = findRef(spent, stored, state.ref);
  if (state.ref >= 0) writeCredentials(json, spent, state.ref, stored, owners, context);
  json.byte(closeBracket);
}

/** Writes the text of an ID, and returns where it is. */
export function writeIdText(json: JsonBytes, id: Uint8Array): WrittenText {
  const start = json.length;
  json.id(id, 0);
  return { start, end: json.length };
}

/** The amount that is shown of an output: its units, 1 of an NFT or a property, 0 of a mint output. */
export const amountOf = (stored: StoredUtxo, counted: OutputClass): number | bigint =>
  counted === 'amount' ? readU64(stored, utxoFields.output) : counted === 'nft' ? 1 : 0;

/** A u64, as a number if that is exact. */
export function readU64(bytes: Uint8Array, at: number): number | bigint {
  const high = readU32(bytes, at);
  const low = readU32(bytes, at + 4);
  return high < 2 ** 21 ? high * 2 ** 32 + low : (BigInt(high) << 32n) | BigInt(low);
}

const quote = 0x22;
const closeBracket = 0x5d;
const closeBrace = 0x7d;

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
  bytes: Buffer.from('"utxoBytes":"0x'),
  spender: Buffer.from(',"consumingTxHash":"'),
  spendTime: Buffer.from('","consumingTxTimestamp":'),
  credentials: Buffer.from(',"credentials":['),
};
