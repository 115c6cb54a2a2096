import { addressLength } from '../../base/bytes/address.ts';
import { idLength } from '../../base/bytes/id.ts';
import { maxGenesisBytes, pack, versionSize } from '../../base/codec/pack.ts';
import { u8, u32 } from '../../base/codec/primitive.ts';
import { signatureLength } from './credential.ts';
import { TransferableInput, TransferInput, UtxoRef } from './input.ts';
import { Operation } from './operation.ts';
import { InitialState, TransferableOutput, TransferOutput } from './output.ts';
import { countSize, headSize, nftTransferType, ownersEnd, ownersFields, readU32, transferType, typeSize } from './output-layout.ts';
import { parseTx, type Tx } from './tx.ts';
import { typeIdOf, typeNames } from './type-ids.ts';
import { BaseTx, type UnsignedTx } from './unsigned.ts';

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
  const kind = kindOf(bytes);
  const outputs: number[] = [];
  const inputs: number[] = [];
  const outputsEnd = addParts(outputs, bytes, outputsAt, outputPart);
  const memo = addParts(inputs, bytes, outputsEnd, inputPart) + countSize;
  const memoEnd = memo + readU32(bytes, memo - countSize);
  const [ownOutputs, ownInputs] = [outputs.length, inputs.length];
  let unsignedSize = memoEnd;
  let decoded: Tx | undefined;
  if (kind === 'ImportTx') unsignedSize = addParts(inputs, bytes, memoEnd + idLength, inputPart);
  else if (kind === 'ExportTx') unsignedSize = addParts(outputs, bytes, memoEnd + idLength, outputPart);
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
export const outputEnd = (bytes: Uint8Array, at: number): number => ownersEnd(bytes, at + outputOwners);

/** The number of the outputs that every kind of transaction has, in its bytes. */
export const baseOutputCount = (bytes: Uint8Array): number => readU32(bytes, outputsAt);

/** Where one of these outputs begins; undefined if there are fewer. */
export function baseOutputAt(bytes: Uint8Array, index: number): number | undefined {
  if (index >= baseOutputCount(bytes)) return undefined;
  let at = outputsAt + countSize;
  for (let i = 0; i < index && at < bytes.length; i++) at = outputEnd(bytes, at);
  return at;
}

/** Where each of them begins. */
export function baseOutputOffsets(bytes: Uint8Array): Uint32Array {
  const offsets = new Uint32Array(Math.min(baseOutputCount(bytes), bytes.length));
  let at = outputsAt + countSize;
  for (let i = 0; i < offsets.length && at < bytes.length; i++) {
    offsets[i] = at;
    at = outputEnd(bytes, at);
  }
  return offsets;
}

/** Whether a transaction creates more outputs on its chain than these: a CreateAssetTx or an OperationTx. */
export function addsOutputs(bytes: Uint8Array): boolean {
  const kind = kindOf(bytes);
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

/** Finds them. Their numbers are in one list: an object for each of thousands would take most of the time. */
function findAddedOutputs(bytes: Uint8Array): Uint32Array {
  const outputs = createOutputNumbers(bytes);
  const inputsAt = addParts([], bytes, outputsAt, outputPart);
  const memoAt = addParts([], bytes, inputsAt, inputPart);
  const start = memoAt + countSize + readU32(bytes, memoAt);
  if (kindOf(bytes) === 'CreateAssetTx') addInitialOutputs(bytes, start, outputs);
  else addOperationOutputs(bytes, start, outputs);
  return outputs.numbers();
}

/** Adds the initial outputs of a new asset. Before them: name, symbol and denomination; then for each feature extension its index and its outputs. */
function addInitialOutputs(bytes: Uint8Array, start: number, outputs: OutputNumbers): void {
  const symbolAt = textEnd(bytes, start);
  const statesAt = textEnd(bytes, symbolAt) + denominationSize;
  let at = statesAt + countSize;
  for (let states = readU32(bytes, statesAt); states > 0; states--) {
    const listAt = at + fxIndexSize;
    at = listAt + countSize;
    for (let left = readU32(bytes, listAt); left > 0; left--) at = outputs.add(0, readU32(bytes, at), at + typeSize);
  }
}

/** Adds the outputs of operations. An operation is: asset ID, list of consumed outputs, type, list of signers, outputs. */
function addOperationOutputs(bytes: Uint8Array, start: number, outputs: OutputNumbers): void {
  let at = start + countSize;
  for (let operations = readU32(bytes, start); operations > 0; operations--) {
    const assetID = at;
    const typeAt = assetID + firstRefAt + refSize * readU32(bytes, assetID + firstRefAt - countSize);
    const signersAt = typeAt + typeSize;
    at = signersAt + countSize + signerIndexSize * readU32(bytes, signersAt);
    const type = readU32(bytes, typeAt);
    if (type === nftMintOperation) at = outputs.addNfts(assetID, at);
    else for (const typeID of operationOutputs[type] ?? []) at = outputs.add(assetID, typeID, at);
  }
}

type OutputNumbers = ReturnType<typeof createOutputNumbers>;

const numbersPerOutput = 6;

/** Collects six numbers for each output: asset ID, type, head and its end, owners and their end. */
function createOutputNumbers(bytes: Uint8Array) {
  const found = new Uint32Array(Math.ceil(bytes.length / ownersFields.addresses) * numbersPerOutput);
  let count = 0;
  const addWithHead = (assetID: number, typeID: number, head: number, headEnd: number, owners: number): number => {
    const end = ownersEnd(bytes, owners);
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
  return {
    /** Adds an output whose owners follow its head; returns its end. */
    add: (assetID: number, typeID: number, at: number): number => {
      const headEnd = at + headSize(bytes, typeID, at);
      return addWithHead(assetID, typeID, at, headEnd, headEnd);
    },
    /** Adds the NFTs of a mint operation: one head, then a list of owners, one for each NFT. Returns the end of the list. */
    addNfts: (assetID: number, head: number): number => {
      const headEnd = head + headSize(bytes, nftTransferType, head);
      let at = headEnd + countSize;
      for (let left = readU32(bytes, headEnd); left > 0; left--) at = addWithHead(assetID, nftTransferType, head, headEnd, at);
      return at;
    },
    numbers: (): Uint32Array => found.slice(0, count),
  };
}

const nftMintOperation = typeIdOf('nftfx.MintOperation');

/** Type IDs of the outputs that other operations create, by the type ID of the operation; see operation.ts. */
const operationOutputs: { readonly [typeID: number]: readonly number[] } = {
  [typeIdOf('secp256k1fx.MintOperation')]: [typeIdOf('secp256k1fx.MintOutput'), transferType],
  [typeIdOf('nftfx.TransferOperation')]: [nftTransferType],
  [typeIdOf('propertyfx.MintOperation')]: [typeIdOf('propertyfx.MintOutput'), typeIdOf('propertyfx.OwnedOutput')],
  [typeIdOf('propertyfx.BurnOperation')]: [],
};

/** Sizes and offsets that the codecs give: of a consumed output in an operation, of the index of a signer, and of fields of a new asset. */
const refSize = UtxoRef.size as number;
const signerIndexSize = u32.size as number;
const fxIndexSize = InitialState.offsetOf('outputs');
const denominationSize = u8.size as number;
const firstRefAt = Operation.offsetOf('inputIDs') + countSize;
/** The end of a text, whose length has two bytes. */
const textEnd = (bytes: Uint8Array, at: number): number => at + 2 + (((bytes[at] as number) << 8) | (bytes[at + 1] as number));

/** Offsets of fields within an output of a transaction: asset ID, type, head, owners. */
const outputHead = TransferableOutput.offsetOf('output') + typeSize;
const outputOwners = outputHead + TransferOutput.offsetOf('locktime');
/** Offsets of fields within an input, and within a credential. */
const inputHead = TransferableInput.offsetOf('input') + typeSize;
export const inputFields = {
  txID: TransferableInput.offsetOf('txID'),
  outputIndex: TransferableInput.offsetOf('outputIndex'),
  assetID: TransferableInput.offsetOf('assetID'),
  amount: inputHead + TransferInput.offsetOf('amount'),
  signerCount: inputHead + TransferInput.offsetOf('signatureIndices'),
} as const;
export const credentialFields = { count: typeSize, signatures: typeSize + countSize } as const;
const credentialTypes: readonly number[] = [
  typeIdOf('secp256k1fx.Credential'),
  typeIdOf('nftfx.Credential'),
  typeIdOf('propertyfx.Credential'),
];

/** A transaction begins with the codec version, its type, and the fields that all kinds have. */
const outputsAt = versionSize + typeSize + BaseTx.offsetOf('outputs');
const kinds = typeNames.filter((name) => name.startsWith('txs.')).map((name) => name.slice('txs.'.length)) as UnsignedTx['kind'][];
const kindOf = (bytes: Uint8Array): UnsignedTx['kind'] => kinds[readU32(bytes, versionSize)] as UnsignedTx['kind'];

/** A kind of part: the offset of the number of its items, and the size of an item. */
type PartKind = { readonly countAt: number; readonly itemSize: number };

const outputPart: PartKind = { countAt: outputOwners + ownersFields.count, itemSize: addressLength };
const inputPart: PartKind = { countAt: inputFields.signerCount, itemSize: signerIndexSize };

/** Adds the offsets of a list's parts, which begins with its length; returns its end. */
function addParts(offsets: number[], bytes: Uint8Array, start: number, { countAt, itemSize }: PartKind): number {
  let at = start + countSize;
  for (let left = readU32(bytes, start); left > 0; left--) {
    offsets.push(at);
    at += countAt + countSize + readU32(bytes, at + countAt) * itemSize;
    if (at > bytes.length) throw new RangeError('the bytes are not those of a transaction');
  }
  return at;
}

/** Offsets of the credentials up to the first that has no signatures: the rules accept none of those. */
function credentialOffsets(bytes: Uint8Array, start: number): number[] {
  const offsets: number[] = [];
  let at = start + countSize;
  for (let left = readU32(bytes, start); left > 0; left--) {
    if (!credentialTypes.includes(readU32(bytes, at))) break;
    offsets.push(at);
    at += credentialFields.signatures + signatureLength * readU32(bytes, at + credentialFields.count);
    if (at > bytes.length) throw new RangeError('the bytes are not those of a transaction');
  }
  return offsets;
}

const noOperations: readonly OperationLayout[] = [];

/** Every operation begins with its asset ID and the outputs it consumes; after its type come the signers. Its size is that of its encoding. */
function operationLayouts(operations: readonly Operation[], start: number): OperationLayout[] {
  let at = start + countSize;
  return operations.map((operation) => {
    const firstRef = at + firstRefAt;
    const refs = operation.inputIDs.map((_, i) => firstRef + refSize * i);
    const layout = { assetID: at, refs, signers: firstRef + refSize * refs.length + typeSize };
    at += pack(Operation, operation).length - versionSize;
    return layout;
  });
}
