import { credentialFields, inputFields, outputFields, readU32 } from '../../avm/tx/transfer-layout.ts';
import type { Address } from '../../base/bytes/address.ts';
import { toHexAt } from '../../base/bytes/hex.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { TransferEntry, TransferSpender } from '../../ledger/index-read/index-reads.ts';
import type { JsonBytes } from './json-bytes.ts';
import { credentialIndexOf, renderCredentials } from './render-credential.ts';
import { hasBytesAt, ownerAt, storedIndex, storedOutput, storedTxID, type TransferContext } from './write-transfer-output.ts';
import { writeCredential } from './write-utxo.ts';

/** Signatures and public keys of a credential of a transfer. `stored` is the output that it consumed. */
export function writeCredentials(
  json: JsonBytes,
  spender: Pick<TransferSpender & { layout: TransferEntry['layout'] }, 'bytes' | 'layout'>,
  slot: number,
  stored: Uint8Array,
  context: TransferContext,
): void {
  const { bytes, layout } = spender;
  const credential = layout.credentials[slot];
  if (credential === undefined || slot === layout.credentials.length - 1) return;
  const count = readU32(bytes, credential + credentialFields.count);
  for (let i = 0; i < count; i++) {
    const at = credential + credentialFields.signatures + i * signatureSize;
    json.bytes(i === 0 ? texts.signature : texts.nextSignature);
    json.base64(bytes, at, at + signatureSize);
    if (context.publicKeyText !== undefined) {
      const owner = signerOffset(bytes, layout.inputs[slot], i, stored);
      if (!writeKnownKey(json, stored, owner, context)) {
        const signed = () => ({ unsigned: bytes.subarray(0, layout.memo[1]), signature: bytes.subarray(at, at + signatureSize) });
        const key = context.publicKeyText(owner < 0 ? undefined : (toHexAt(stored, owner, 20) as Address), signed);
        if (key !== undefined) {
          json.bytes(texts.publicKey);
          json.ascii(key);
        }
      }
    }
    json.bytes(texts.signatureEnd);
  }
}

/** Writes the public key of the owner in `stored` at `owner`; false if it is not cached as bytes. */
function writeKnownKey(json: JsonBytes, stored: Uint8Array, owner: number, { keyTexts }: TransferContext): boolean {
  const entry = owner < 0 || keyTexts === undefined ? -1 : keyTexts.find(stored, owner);
  if (keyTexts === undefined || entry < 0) return false;
  json.bytes(texts.publicKey);
  const start = keyTexts.offset(entry);
  json.part(keyTexts.texts, start, start + keyTexts.size(entry));
  return true;
}

/** Where in `stored` the owner is that made a signature of an input, or -1 if the input names none. */
function signerOffset(bytes: Uint8Array, input: number | undefined, signature: number, stored: Uint8Array): number {
  if (input === undefined || signature >= readU32(bytes, input + inputFields.signerCount)) return -1;
  const owner = readU32(bytes, input + inputFields.signers + 4 * signature);
  if (owner >= readU32(stored, storedOutput + outputFields.ownerCount)) return -1;
  return storedOutput + outputFields.owners + 20 * owner;
}

/** The index of the credential that consumed an output, or -1; `before` is that of the previous output, if it has the same spender. */
export function credentialIndexIn({ bytes, layout, tx }: TransferSpender, stored: Uint8Array, before: number): number {
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

/** The same of a transaction that is not a transfer, as text. */
export function otherCredentials(
  tx: NonNullable<TransferSpender['tx']>,
  slot: number,
  stored: Uint8Array,
  { publicKeyText }: TransferContext,
) {
  const owners = Array.from({ length: readU32(stored, storedOutput + outputFields.ownerCount) }, (_, i) => ownerAt(stored, i));
  return renderCredentials(tx, slot, owners, publicKeyText).map(writeCredential).join();
}

const signatureSize = 65;

const texts = {
  signature: Buffer.from('{"signature":"'),
  nextSignature: Buffer.from(',{"signature":"'),
  publicKey: Buffer.from('","publicKey":"'),
  signatureEnd: Buffer.from('"}'),
};
