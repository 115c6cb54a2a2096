import { maxGenesisBytes, pack, versionSize } from '../../base/codec/pack.ts';
import { Operation } from './operation.ts';
import { parseTx, type Tx } from './tx.ts';
import type { UnsignedTx } from './unsigned.ts';

/**
 * Where the parts of a transaction are in its bytes (codec version first). Pages of hundreds of transactions are written from these offsets:
 * decoding takes several times as long. Only the rare kinds whose parts are not at fixed distances are decoded.
 */
export type TxLayout = {
  readonly kind: UnsignedTx['kind'];
  /** Outputs, then exported outputs: asset ID 32, type 4, amount 8, locktime 8, threshold 4, count 4, owners of 20. */
  readonly outputs: readonly number[];
  /** The number of outputs that stay on the chain: those before the exported ones. */
  readonly ownOutputs: number;
  /** Inputs, then imported inputs: transaction ID 32, output index 4, asset ID 32, type 4, amount 8, count 4, signature indices of 4. */
  readonly inputs: readonly number[];
  /** The number of inputs that consume outputs of the chain: those before the imported ones. */
  readonly ownInputs: number;
  readonly operations: readonly OperationLayout[];
  readonly memo: readonly [start: number, end: number];
  /** The ID of the chain that it imports from or exports to; 0 for other kinds. */
  readonly otherChain: number;
  readonly unsignedSize: number;
  /** Credentials: type 4, count 4, signatures of 65. */
  readonly credentials: readonly number[];
  /** The decoded transaction if it creates outputs that are not in its bytes as such: a CreateAssetTx or an OperationTx. */
  readonly decoded: Tx | undefined;
};

/** `assetID`: where the operation begins. `refs`: the outputs it consumes: transaction ID 32, output index 4. `signers`: count 4, indices of 4. */
type OperationLayout = { readonly assetID: number; readonly refs: readonly number[]; readonly signers: number };

/** The layout of a signed transaction. The bytes must be those of a transaction that was decoded before: only the end is checked. */
export function txLayout(bytes: Uint8Array): TxLayout {
  const kind = kinds[readU32(bytes, kindAt)] as UnsignedTx['kind'];
  const outputs: number[] = [];
  const inputs: number[] = [];
  const outputsEnd = addParts(outputs, bytes, outputsAt, outputPart);
  const memo = addParts(inputs, bytes, outputsEnd, inputPart) + 4;
  const memoEnd = memo + readU32(bytes, memo - 4);
  const [ownOutputs, ownInputs] = [outputs.length, inputs.length];
  let unsignedSize = memoEnd;
  let decoded: Tx | undefined;
  if (kind === 'ImportTx') unsignedSize = addParts(inputs, bytes, memoEnd + 32, inputPart);
  else if (kind === 'ExportTx') unsignedSize = addParts(outputs, bytes, memoEnd + 32, outputPart);
  else if (kind !== 'BaseTx') {
    decoded = parseTx(bytes, maxGenesisBytes);
    unsignedSize = decoded.unsignedSize;
  }
  return {
    kind,
    outputs,
    ownOutputs,
    inputs,
    ownInputs,
    operations: decoded?.unsigned.kind === 'OperationTx' ? operationLayouts(decoded.unsigned.operations, memoEnd) : noOperations,
    memo: [memo, memoEnd],
    otherChain: kind === 'ImportTx' || kind === 'ExportTx' ? memoEnd : 0,
    unsignedSize,
    credentials: credentialOffsets(bytes, unsignedSize),
    decoded,
  };
}

/** Where the outputs are named that a transaction consumes (transaction ID 32, output index 4), in the order of its inputs and operations. */
export const consumedRefs = ({ inputs, operations }: TxLayout): readonly number[] =>
  operations.length === 0 ? inputs : [...inputs, ...operations.flatMap(({ refs }) => refs)];

/** The index of the credential for one of the `consumedRefs`, and where the indices of the owners are that signed: count 4, indices of 4. */
export function credentialOf({ inputs, operations }: TxLayout, ref: number): { readonly slot: number; readonly signers: number } {
  const input = inputs[ref];
  if (input !== undefined) return { slot: ref, signers: input + inputFields.signerCount };
  let rest = ref - inputs.length;
  const at = operations.findIndex(({ refs }) => {
    rest -= refs.length;
    return rest < 0;
  });
  return { slot: inputs.length + at, signers: operations[at]?.signers as number };
}

/** The end of the output at an offset of `outputs`. */
export const outputEnd = (bytes: Uint8Array, at: number): number =>
  at + outputFields.owners + 20 * readU32(bytes, at + outputFields.ownerCount);

/** The number of the outputs that every kind of transaction has, in its bytes. */
export const baseOutputCount = (bytes: Uint8Array): number => readU32(bytes, outputsAt);

/** Where one of these outputs begins; undefined if there are fewer. */
export function baseOutputAt(bytes: Uint8Array, index: number): number | undefined {
  if (index >= baseOutputCount(bytes)) return undefined;
  let at = outputsAt + 4;
  for (let i = 0; i < index && at < bytes.length; i++) at = outputEnd(bytes, at);
  return at;
}

/** Where each of them begins. */
export function baseOutputOffsets(bytes: Uint8Array): Uint32Array {
  const offsets = new Uint32Array(Math.min(baseOutputCount(bytes), bytes.length));
  let at = outputsAt + 4;
  for (let i = 0; i < offsets.length && at < bytes.length; i++) {
    offsets[i] = at;
    at = outputEnd(bytes, at);
  }
  return offsets;
}

/** Whether a transaction creates more outputs on its chain than these: a CreateAssetTx or an OperationTx. */
export function addsOutputs(bytes: Uint8Array): boolean {
  const kind = kinds[readU32(bytes, kindAt)];
  return kind === 'CreateAssetTx' || kind === 'OperationTx';
}

/**
 * Where the parts of one of these further outputs are. `assetID`: 0 for the asset that the transaction creates. `head`: what is before its owners,
 * such as an amount; an NFT that an operation mints has it in common with others.
 */
export type AddedOutput = {
  readonly assetID: number;
  readonly typeID: number;
  readonly head: readonly [start: number, end: number];
  readonly owners: readonly [start: number, end: number];
};

/** The outputs that a transaction creates on its chain beside its base outputs, in the order of their indexes. */
export type AddedOutputs = { readonly count: number; readonly at: (index: number) => AddedOutput | undefined };

export function addedOutputs(bytes: Uint8Array): AddedOutputs {
  const found = addsOutputs(bytes) ? findAddedOutputs(bytes) : new Uint32Array(0);
  return {
    count: found.length / numbersPerOutput,
    at: (index) => {
      const [assetID, typeID, head, headEnd, owners, end] = found.subarray(index * numbersPerOutput, (index + 1) * numbersPerOutput);
      return assetID === undefined ? undefined : ({ assetID, typeID, head: [head, headEnd], owners: [owners, end] } as AddedOutput);
    },
  };
}

const numbersPerOutput = 6;
/** Offsets within the owners of an output, which have a lock time of 8 bytes and a threshold of 4 first. */
const ownersFields = { count: 12, addresses: 16 } as const;

/** The numbers of all outputs in one list: an object for each of thousands would take most of the time. */
function findAddedOutputs(bytes: Uint8Array): Uint32Array {
  const found = new Uint32Array(Math.ceil(bytes.length / ownersFields.addresses) * numbersPerOutput);
  let count = 0;
  /** Adds an output whose parts follow each other; returns its end. */
  const add = (assetID: number, typeID: number, at: number): number => {
    const headEnd = at + headSize(bytes, typeID, at);
    return addWithHead(assetID, typeID, at, headEnd, headEnd);
  };
  const addWithHead = (assetID: number, typeID: number, head: number, headEnd: number, owners: number): number => {
    const end = owners + ownersFields.addresses + 20 * readU32(bytes, owners + ownersFields.count);
    if (!(end <= bytes.length)) throw new RangeError('the bytes are not those of a transaction');
    found[count] = assetID;
    found[count + 1] = typeID;
    found[count + 2] = head;
    found[count + 3] = headEnd;
    found[count + 4] = owners;
    found[count + 5] = end;
    count += numbersPerOutput;
    return end;
  };
  const memo = addParts([], bytes, addParts([], bytes, outputsAt, outputPart), inputPart);
  let at = memo + 4 + readU32(bytes, memo);
  if (kinds[readU32(bytes, kindAt)] === 'CreateAssetTx') {
    // Name, symbol and denomination.
    for (let texts = 0; texts < 2; texts++) at += 2 + (((bytes[at] as number) << 8) | (bytes[at + 1] as number));
    at += 1;
    let states = readU32(bytes, at);
    for (at += 4; states > 0; states--) {
      let left = readU32(bytes, at + 4);
      for (at += 8; left > 0; left--) at = add(0, readU32(bytes, at), at + 4);
    }
    return found.slice(0, count);
  }
  let operations = readU32(bytes, at);
  for (at += 4; operations > 0; operations--) {
    const assetID = at;
    const typeAt = at + 36 + 36 * readU32(bytes, at + 32);
    at = typeAt + 8 + 4 * readU32(bytes, typeAt + 4);
    const type = readU32(bytes, typeAt);
    if (type === operationTypes.nftMint) {
      const [head, headEnd] = [at, at + headSize(bytes, nftType, at)];
      at = headEnd + 4;
      for (let left = readU32(bytes, headEnd); left > 0; left--) at = addWithHead(assetID, nftType, head, headEnd, at);
    } else for (const typeID of operationOutputTypes[type] ?? []) at = add(assetID, typeID, at);
  }
  return found.slice(0, count);
}

/** Type IDs of the outputs of operations other than the minting of NFTs, which creates any number of them; see operation.ts. */
const operationOutputTypes: { readonly [type: number]: readonly number[] } = { 8: [6, 7], 13: [11], 17: [15, 16], 18: [] };
const operationTypes = { nftMint: 12 } as const;
const nftType = 11;

/** Bytes of an output before its owners, by type ID: an amount; a group; a group and a payload; none. */
function headSize(bytes: Uint8Array, typeID: number, at: number): number {
  if (typeID === 7) return 8;
  if (typeID === 10) return 4;
  return typeID === nftType ? 8 + readU32(bytes, at + 4) : 0;
}

/** Offsets of fields within a part. */
const outputFields = { ownerCount: 56, owners: 60 } as const;
export const inputFields = { txID: 0, outputIndex: 32, assetID: 36, amount: 72, signerCount: 80 } as const;
export const credentialFields = { count: 4, signatures: 8 } as const;

export const readU32 = (bytes: Uint8Array, at: number): number =>
  (((bytes[at] as number) << 24) | ((bytes[at + 1] as number) << 16) | ((bytes[at + 2] as number) << 8) | (bytes[at + 3] as number)) >>> 0;

/** Version 2, type 4, network ID 4, blockchain ID 32. */
const kindAt = 2;
const outputsAt = 42;
/** By type ID. */
const kinds: readonly UnsignedTx['kind'][] = ['BaseTx', 'CreateAssetTx', 'OperationTx', 'ImportTx', 'ExportTx'];

/** A kind of part: the offset of the number of its items, and the size of an item. */
type PartKind = { readonly countAt: number; readonly itemSize: number };

const outputPart: PartKind = { countAt: outputFields.ownerCount, itemSize: 20 };
const inputPart: PartKind = { countAt: inputFields.signerCount, itemSize: 4 };

/** Adds the offsets of a list's parts, which begins with its length; returns its end. */
function addParts(offsets: number[], bytes: Uint8Array, start: number, { countAt, itemSize }: PartKind): number {
  let at = start + 4;
  for (let left = readU32(bytes, start); left > 0; left--) {
    offsets.push(at);
    at += countAt + 4 + readU32(bytes, at + countAt) * itemSize;
    if (at > bytes.length) throw new RangeError('the bytes are not those of a transaction');
  }
  return at;
}

/** Offsets of the credentials up to the first that has no signatures: the rules accept none of those. */
function credentialOffsets(bytes: Uint8Array, start: number): number[] {
  const offsets: number[] = [];
  let at = start + 4;
  for (let left = readU32(bytes, start); left > 0; left--) {
    const type = readU32(bytes, at);
    if (type !== 9 && type !== 14 && type !== 19) break;
    offsets.push(at);
    at += credentialFields.signatures + 65 * readU32(bytes, at + credentialFields.count);
    if (at > bytes.length) throw new RangeError('the bytes are not those of a transaction');
  }
  return offsets;
}

const noOperations: readonly OperationLayout[] = [];

/** Every operation begins with its asset ID and the outputs it consumes; after its type come the signers. Its size is that of its encoding. */
function operationLayouts(operations: readonly Operation[], start: number): OperationLayout[] {
  let at = start + 4;
  return operations.map((operation) => {
    const firstRef = at + 36;
    const refs = operation.inputIDs.map((_, i) => firstRef + 36 * i);
    const layout = { assetID: at, refs, signers: firstRef + 36 * refs.length + 4 };
    at += pack(Operation, operation).length - versionSize;
    return layout;
  });
}
