import { ownersFields, readU32 } from '../../avm/tx/output-layout.ts';
import { consumedRefs, credentialFields, credentialOf, inputFields } from '../../avm/tx/tx-layout.ts';
import { type Address, addressLength } from '../../base/bytes/address.ts';
import { toHexAt } from '../../base/bytes/hex.ts';
import type { StoredTx } from '../../ledger/state/stored-tx.ts';
import { type StoredUtxo, utxoFields } from '../../ledger/state/stored-utxo.ts';
import type { JsonBytes } from './json-bytes.ts';
import { hasBytesAt, type RenderContext } from './render-context.ts';

/**
 * Writes the signatures and public keys with which a transaction consumed an output, separated by commas. `owners`: where the owners of the
 * output begin in its bytes; undefined if their order is unknown.
 */
export function writeCredentials(
  json: JsonBytes,
  spender: StoredTx,
  stored: StoredUtxo,
  owners: number | undefined,
  { publicKeyText }: RenderContext,
): void {
  const { bytes, layout } = spender;
  const ref = findRef(spender, stored);
  if (ref < 0) return;
  const { slot, signers } = credentialOf(layout, ref);
  const credential = layout.credentials[slot];
  if (credential === undefined) return;
  const count = readU32(bytes, credential + credentialFields.count);
  for (let i = 0; i < count; i++) {
    const at = credential + credentialFields.signatures + i * signatureSize;
    json.ascii(i === 0 ? '{"signature":"' : ',{"signature":"');
    json.base64(bytes, at, at + signatureSize);
    json.ascii('"');
    const signed = () => ({ unsigned: bytes.subarray(0, layout.unsignedSize), signature: bytes.subarray(at, at + signatureSize) });
    const key = publicKeyText?.(owners === undefined ? undefined : signerOf(bytes, signers, i, stored, owners), signed);
    if (key !== undefined) {
      json.ascii(',"publicKey":"');
      json.ascii(key);
      json.ascii('"');
    }
    json.ascii('}');
  }
}

/** The index of an output in `consumedRefs` of the transaction that consumed it, or -1. */
function findRef({ bytes, layout }: StoredTx, stored: StoredUtxo): number {
  const index = readU32(stored, utxoFields.outputIndex);
  return consumedRefs(layout).findIndex(
    (at) => readU32(bytes, at + inputFields.outputIndex) === index && hasBytesAt(bytes, at, stored, utxoFields.txID),
  );
}

/** The owner that made a signature; undefined if the input names none. `signers`: where the input lists the indexes of its signers. */
function signerOf(bytes: Uint8Array, signers: number, signature: number, stored: StoredUtxo, owners: number): Address | undefined {
  if (signature >= readU32(bytes, signers)) return undefined;
  const owner = readU32(bytes, signers + 4 + 4 * signature);
  return owner < readU32(stored, owners + ownersFields.count)
    ? (toHexAt(stored, owners + ownersFields.addresses + addressLength * owner, addressLength) as Address)
    : undefined;
}

const signatureSize = 65;
