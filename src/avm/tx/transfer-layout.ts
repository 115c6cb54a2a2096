/**
 * Where the parts of a transfer are in its bytes. A transfer is a BaseTx whose outputs, inputs and credentials are all of the secp256k1fx,
 * as nearly every transaction is. Pages of hundreds of transactions are written from these offsets: decoding takes several times as long.
 * Each list has one more offset than parts: the end of the last part.
 */
export type TransferLayout = {
  /** An output: asset ID 32, type 4, amount 8, locktime 8, threshold 4, count 4, owners of 20. */
  readonly outputs: readonly number[];
  /** An input: transaction ID 32, output index 4, asset ID 32, type 4, amount 8, count 4, signature indices of 4. */
  readonly inputs: readonly number[];
  /** Start and end of the memo; the end is also that of the unsigned transaction. */
  readonly memo: readonly [start: number, end: number];
  /** A credential: type 4, count 4, signatures of 65. */
  readonly credentials: readonly number[];
};

/** The layout of a signed transaction (codec version first); undefined if it is not a transfer or its bytes are damaged. */
export function transferLayout(bytes: Uint8Array): TransferLayout | undefined {
  // Version 0, then type 0: BaseTx.
  for (let i = 0; i < 6; i++) if (bytes[i] !== 0) return undefined;
  const outputs = listParts(bytes, outputsAt, transferOutput);
  if (outputs === undefined) return undefined;
  const inputs = listParts(bytes, outputs[outputs.length - 1] as number, transferInput);
  if (inputs === undefined) return undefined;
  const memo = (inputs[inputs.length - 1] as number) + 4;
  const memoEnd = memo + readU32(bytes, memo - 4);
  const credentials = listParts(bytes, memoEnd, secpCredential);
  if (credentials === undefined || credentials[credentials.length - 1] !== bytes.length) return undefined;
  return { outputs, inputs, memo: [memo, memoEnd], credentials };
}

/** Offsets of fields within a part. */
export const outputFields = { assetID: 0, amount: 36, locktime: 44, threshold: 52, ownerCount: 56, owners: 60 } as const;
export const inputFields = { txID: 0, outputIndex: 32, assetID: 36, amount: 72, signerCount: 80, signers: 84 } as const;
export const credentialFields = { count: 4, signatures: 8 } as const;

export const readU32 = (bytes: Uint8Array, at: number): number =>
  (((bytes[at] as number) << 24) | ((bytes[at + 1] as number) << 16) | ((bytes[at + 2] as number) << 8) | (bytes[at + 3] as number)) >>> 0;

/** Version 2, type 4, network ID 4, blockchain ID 32. */
const outputsAt = 42;

/** A kind of part: the offset of its type, the type, the offset of the number of its items, and the size of an item. */
type PartKind = { readonly typeAt: number; readonly type: number; readonly countAt: number; readonly itemSize: number };

const transferOutput: PartKind = { typeAt: 32, type: 7, countAt: outputFields.ownerCount, itemSize: 20 };
const transferInput: PartKind = { typeAt: 68, type: 5, countAt: inputFields.signerCount, itemSize: 4 };
const secpCredential: PartKind = { typeAt: 0, type: 9, countAt: credentialFields.count, itemSize: 65 };

/** Reads a list: its length, then its parts. Every part takes at least 8 bytes, so the work is bounded by the bytes. */
function listParts(bytes: Uint8Array, start: number, { typeAt, type, countAt, itemSize }: PartKind): number[] | undefined {
  const offsets: number[] = [];
  let at = start + 4;
  if (at > bytes.length) return undefined;
  const length = readU32(bytes, start);
  for (let i = 0; i < length; i++) {
    if (at + countAt + 4 > bytes.length || readU32(bytes, at + typeAt) !== type) return undefined;
    offsets.push(at);
    at += countAt + 4 + readU32(bytes, at + countAt) * itemSize;
  }
  offsets.push(at);
  return at > bytes.length ? undefined : offsets;
}
