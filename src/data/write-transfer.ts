import { checksumLength, sha256Prefix } from '../bytes/hash.ts';
import { toHexAt } from '../bytes/hex.ts';
import type { Id } from '../bytes/id.ts';
import type { TransferEntry, TransferSpender } from '../index-read/index-reads.ts';
import { credentialFields, inputFields, outputFields, readU32 } from '../tx/transfer-layout.ts';
import type { JsonBytes } from './json-bytes.ts';
import { credentialIndexOf, renderCredentials } from './render-credential.ts';
import {
  hasBytesAt,
  ownerAt,
  readU64,
  storedIndex,
  storedOutput,
  storedOutputID,
  storedTxID,
  type TransferContext,
  writeTransferOutput,
} from './write-transfer-output.ts';
import { createUtxoWriter, writeCredential } from './write-utxo.ts';

/** The JSON of a transfer, written from its bytes. Gives the same as `writeTx` of the decoded transaction, in a third of the time. */
export function writeTransfer(json: JsonBytes, entry: TransferEntry, context: TransferContext): void {
  const { id, bytes, layout, height, blockID, time, consumed } = entry;
  json.bytes(texts.txHash);
  json.id(id, 0);
  json.bytes(texts.height);
  json.number(height);
  json.bytes(texts.blockHash);
  json.id(blockID, 0);
  json.bytes(texts.time);
  json.number(time);
  json.bytes(texts.memo);
  json.hex(bytes, layout.memo[0], layout.memo[1]);
  json.bytes(texts.consumed);
  writeConsumed(json, entry, consumed, context);
  json.bytes(texts.emitted);
  writeEmitted(json, entry, context);
  json.bytes(texts.unlocked);
  writeSums(json, bytes, layout.inputs, inputFields, context);
  json.bytes(texts.created);
  writeSums(json, bytes, layout.outputs, outputFields, context);
  json.ascii(']}');
}

/** IDs of all assets in the JSON of transfers. */
export function assetsOfTransfers(entries: readonly TransferEntry[]): Set<Id> {
  const assets = new Set<Id>();
  let last: Uint8Array = new Uint8Array(32);
  let lastAt = 0;
  const add = (bytes: Uint8Array, at: number): void => {
    // Nearly every output has the asset of the one before.
    if (assets.size > 0 && hasBytesAt(bytes, at, last, lastAt)) return;
    last = bytes;
    lastAt = at;
    assets.add(toHexAt(bytes, at, 32) as Id);
  };
  for (const { bytes, layout, consumed } of entries) {
    const { inputs, outputs } = layout;
    for (let i = 0; i < inputs.length - 1; i++) add(bytes, (inputs[i] as number) + inputFields.assetID);
    for (let i = 0; i < outputs.length - 1; i++) add(bytes, outputs[i] as number);
    for (const output of consumed) if (output !== undefined) add(output.bytes, storedOutput);
  }
  return assets;
}

/** Like `txEntryBytes`: the size of the transaction, or of its outputs if that is more. */
export function transferEntryBytes({ bytes, layout: { outputs }, consumed }: TransferEntry): number {
  let size = (outputs[outputs.length - 1] as number) - (outputs[0] as number) + storedOutput * (outputs.length - 1);
  for (const output of consumed) if (output !== undefined) size += output.bytes.length - checksumLength;
  return Math.max(bytes.length, size);
}

function writeConsumed(json: JsonBytes, entry: TransferEntry, consumed: TransferEntry['consumed'], context: TransferContext): void {
  const { id, bytes, time, layout } = entry;
  let isFirst = true;
  for (const [i, output] of consumed.entries()) {
    if (output === undefined) continue;
    if (!isFirst) json.byte(comma);
    isFirst = false;
    if (output.other !== undefined) {
      json.text(createUtxoWriter(context)(output.other));
      continue;
    }
    writeTransferOutput(json, { stored: output.bytes, time: output.time, id: storedOutputID(output.bytes) }, context);
    writeSpending(json, id, time);
    writeCredentials(json, { bytes, layout }, i, output.bytes, context);
    json.ascii(']}');
  }
}

function writeEmitted(json: JsonBytes, { id: txID, bytes, time, layout, emitted }: TransferEntry, context: TransferContext): void {
  let spenderBefore: TransferSpender | undefined;
  let slot = -1;
  for (let i = 0; i < emitted.length; i++) {
    const { id, spender } = emitted[i] as TransferEntry['emitted'][number];
    if (i > 0) json.byte(comma);
    const stored = storedBytes(txID, i, bytes, layout.outputs);
    writeTransferOutput(json, { stored, time, id }, context);
    if (spender !== undefined) {
      writeSpending(json, spender.id, spender.time);
      slot = credentialIndexIn(spender, stored, spender === spenderBefore ? slot : -1);
      spenderBefore = spender;
      if (spender.layout === undefined) json.ascii(otherCredentials(spender.tx, slot, stored, context));
      else writeCredentials(json, spender, slot, stored, context);
      json.byte(closeBracket);
    }
    json.byte(closeBrace);
  }
}

function writeSpending(json: JsonBytes, spenderID: Uint8Array, time: number): void {
  json.bytes(texts.spender);
  json.id(spenderID, 0);
  json.bytes(texts.spendTime);
  json.number(time);
  json.bytes(texts.credentials);
}

/** Signatures and public keys of a credential of a transfer. `stored` is the output that it consumed. */
function writeCredentials(
  json: JsonBytes,
  { bytes, layout }: Pick<TransferSpender & { layout: TransferEntry['layout'] }, 'bytes' | 'layout'>,
  slot: number,
  stored: Uint8Array,
  { publicKeyText }: TransferContext,
): void {
  const credential = layout.credentials[slot];
  if (credential === undefined || slot === layout.credentials.length - 1) return;
  const count = readU32(bytes, credential + credentialFields.count);
  for (let i = 0; i < count; i++) {
    const at = credential + credentialFields.signatures + i * signatureSize;
    json.bytes(i === 0 ? texts.signature : texts.nextSignature);
    json.base64(bytes, at, at + signatureSize);
    const key = publicKeyText?.(signerAt(bytes, layout.inputs[slot], i, stored), () => ({
      unsigned: bytes.subarray(0, layout.memo[1]),
      signature: bytes.subarray(at, at + signatureSize),
    }));
    if (key !== undefined) {
      json.bytes(texts.publicKey);
      json.ascii(key);
    }
    json.ascii('"}');
  }
}

/** The owner that made a signature of an input, if the input names one. */
function signerAt(bytes: Uint8Array, input: number | undefined, signature: number, stored: Uint8Array) {
  if (input === undefined || signature >= readU32(bytes, input + inputFields.signerCount)) return undefined;
  const owner = readU32(bytes, input + inputFields.signers + 4 * signature);
  return owner < readU32(stored, storedOutput + outputFields.ownerCount) ? ownerAt(stored, owner) : undefined;
}

/** The index of the credential that consumed an output, or -1; `before` is that of the previous output, if it has the same spender. */
function credentialIndexIn({ bytes, layout, tx }: TransferSpender, stored: Uint8Array, before: number): number {
  const index = readU32(stored, storedIndex);
  if (layout === undefined) return credentialIndexOf(tx, { txID: toHexAt(stored, storedTxID, 32) as Id, outputIndex: index }, before);
  const count = layout.inputs.length - 1;
  // Inputs are sorted like outputs, so the next one is nearly always right.
  for (let i = 0; i < count; i++) {
    const slot = (before + 1 + i) % count;
    const at = layout.inputs[slot] as number;
    if (readU32(bytes, at + inputFields.outputIndex) === index && hasBytesAt(bytes, at, stored, storedTxID)) return slot;
  }
  return -1;
}

function otherCredentials(tx: NonNullable<TransferSpender['tx']>, slot: number, stored: Uint8Array, { publicKeyText }: TransferContext) {
  const owners = Array.from({ length: readU32(stored, storedOutput + outputFields.ownerCount) }, (_, i) => ownerAt(stored, i));
  return renderCredentials(tx, slot, owners, publicKeyText).map(writeCredential).join();
}

/** The bytes of an output of a transfer as they are stored: the UTXO and its checksum. `outputs` are the offsets of the outputs. */
function storedBytes(txID: Uint8Array, index: number, bytes: Uint8Array, outputs: readonly number[]): Uint8Array {
  const [start, end] = [outputs[index] as number, outputs[index + 1] as number];
  const size = storedOutput + end - start;
  const stored = new Uint8Array(size + checksumLength);
  stored.set(txID, storedTxID);
  for (let i = 0; i < 4; i++) stored[storedIndex + i] = index >>> (24 - 8 * i);
  for (let i = start; i < end; i++) stored[storedOutput + i - start] = bytes[i] as number;
  sha256Prefix(stored, size, hashed);
  for (let i = 0; i < checksumLength; i++) stored[size + i] = hashed[32 - checksumLength + i] as number;
  return stored;
}

const hashed = new Uint8Array(32);

/** Amounts by asset, in the order of their first appearance; see `createAmountSums`. */
function writeSums(
  json: JsonBytes,
  bytes: Uint8Array,
  parts: readonly number[],
  fields: { readonly assetID: number; readonly amount: number },
  { assetStart }: TransferContext,
): void {
  const sums: { readonly start: Uint8Array; amount: number | bigint }[] = [];
  for (let i = 0; i < parts.length - 1; i++) {
    const at = parts[i] as number;
    const start = assetStart(bytes, at + fields.assetID);
    const amount = readU64(bytes, at + fields.amount);
    const sum = sums.find((one) => one.start === start);
    if (sum === undefined) sums.push({ start, amount });
    else sum.amount = addAmounts(sum.amount, amount);
  }
  for (const [i, { start, amount }] of sums.entries()) {
    if (i > 0) json.byte(comma);
    json.bytes(start);
    json.number(amount);
    json.ascii('"}');
  }
}

function addAmounts(a: number | bigint, b: number | bigint): number | bigint {
  const sum = Number(a) + Number(b);
  return typeof a === 'number' && typeof b === 'number' && Number.isSafeInteger(sum) ? sum : BigInt(a) + BigInt(b);
}

const signatureSize = 65;
const comma = 0x2c;
const closeBracket = 0x5d;
const closeBrace = 0x7d;

const texts = {
  txHash: Buffer.from('{"txHash":"'),
  height: Buffer.from('","chainFormat":"linear","blockHeight":'),
  blockHash: Buffer.from(',"blockHash":"'),
  time: Buffer.from('","timestamp":'),
  memo: Buffer.from(',"txType":"BaseTx","memo":"0x'),
  consumed: Buffer.from('","consumedUtxos":['),
  emitted: Buffer.from('],"emittedUtxos":['),
  unlocked: Buffer.from('],"amountUnlocked":['),
  created: Buffer.from('],"amountCreated":['),
  spender: Buffer.from(',"consumingTxHash":"'),
  spendTime: Buffer.from('","consumingTxTimestamp":'),
  credentials: Buffer.from(',"credentials":['),
  signature: Buffer.from('{"signature":"'),
  nextSignature: Buffer.from(',{"signature":"'),
  publicKey: Buffer.from('","publicKey":"'),
};
