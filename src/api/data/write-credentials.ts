import { consumedRefs, credentialFields, credentialOf, inputFields, readU32 } from '../../avm/tx/tx-layout.ts';
import type { Address } from '../../base/bytes/address.ts';
import { toHexAt } from '../../base/bytes/hex.ts';
import type { StoredTx } from '../../ledger/state/stored-tx.ts';
import { type StoredUtxo, utxoFields } from '../../ledger/state/stored-utxo.ts';
import type { JsonBytes } from './json-bytes.ts';
import { hasBytesAt, type RenderContext } from './render-context.ts';

/** The index of an output in `consumedRefs` of its spender, or -1; `before` is that of the output before, if it has the same spender. */
export function findRef({ bytes, layout }: StoredTx, stored: StoredUtxo, before: number): number {
  const index = readU32(stored, utxoFields.outputIndex);
  const refs = consumedRefs(layout);
  // Inputs are sorted like outputs, so the next one is nearly always right.
  for (let i = 0; i < refs.length; i++) {
    const ref = (before + 1 + i) % refs.length;
    const at = refs[ref] as number;
    if (readU32(bytes, at + inputFields.outputIndex) === index && hasBytesAt(bytes, at, stored, utxoFields.txID)) return ref;
  }
  return -1;
}

/** Signatures and public keys for one of the `consumedRefs`. `owners`: where the owners of the output begin; undefined if unknown. */
export function writeCredentials(
  json: JsonBytes,
  { bytes, layout }: StoredTx,
  ref: number,
  stored: StoredUtxo,
  owners: number | undefined,
  context: RenderContext,
): void {
  const { slot, signers } = credentialOf(layout, ref);
  const credential = layout.credentials[slot];
  if (credential === undefined) return;
  const count = readU32(bytes, credential + credentialFields.count);
  for (let i = 0; i < count; i++) {
    const at = credential + credentialFields.signatures + i * signatureSize;
    json.bytes(i === 0 ? texts.signature : texts.nextSignature);
    json.base64(bytes, at, at + signatureSize);
    if (context.publicKeyText !== undefined) {
      const owner = owners === undefined ? -1 : signerOffset(bytes, signers, i, stored, owners);
      if (!writeKnownKey(json, stored, owner, context)) {
        const signed = () => ({ unsigned: bytes.subarray(0, layout.unsignedSize), signature: bytes.subarray(at, at + signatureSize) });
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
function writeKnownKey(json: JsonBytes, stored: StoredUtxo, owner: number, { keyTexts }: RenderContext): boolean {
  const entry = owner < 0 || keyTexts === undefined ? -1 : keyTexts.find(stored, owner);
  if (keyTexts === undefined || entry < 0) return false;
  json.bytes(texts.publicKey);
  const start = keyTexts.offset(entry);
  json.part(keyTexts.texts, start, start + keyTexts.size(entry));
  return true;
}

/** Where in `stored` the owner is that made a signature, or -1 if the input names none. */
function signerOffset(bytes: Uint8Array, signers: number, signature: number, stored: StoredUtxo, owners: number): number {
  if (signature >= readU32(bytes, signers)) return -1;
  const owner = readU32(bytes, signers + 4 + 4 * signature);
  return owner < readU32(stored, owners + 12) ? owners + 16 + 20 * owner : -1;
}

const signatureSize = 65;

const texts = {
  signature: Buffer.from('{"signature":"'),
  nextSignature: Buffer.from(',{"signature":"'),
  publicKey: Buffer.from('","publicKey":"'),
  signatureEnd: Buffer.from('"}'),
};
