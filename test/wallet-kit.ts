import { ecdsaSign, publicKeyCreate } from 'secp256k1';
import { type Address, addressFromBytes } from '../src/bytes/address.ts';
import { hash160, sha256 } from '../src/bytes/hash.ts';
import { fromHex } from '../src/bytes/hex.ts';
import type { Id } from '../src/bytes/id.ts';
import { compare, compareHex, concat } from '../src/bytes/octets.ts';
import type { Codec } from '../src/codec/codec.ts';
import { pack } from '../src/codec/pack.ts';
import type { Credential } from '../src/tx/credential.ts';
import type { TransferableInput } from '../src/tx/input.ts';
import { type FxOperation, Operation } from '../src/tx/operation.ts';
import { type InitialState, Output, type OutputOwners, TransferableOutput } from '../src/tx/output.ts';
import { makeTx, type Tx } from '../src/tx/tx.ts';
import { UnsignedTx } from '../src/tx/unsigned.ts';
import { makeUtxo, type Utxo } from '../src/tx/utxo.ts';
import { compareRefs } from '../src/verify/flow.ts';

/**
 * A small deterministic wallet for tests and benches: the same seed gives the same keys, the same request the same bytes.
 * Builders return a draft, so that a test can change it before it is signed. No function here calls a node.
 */
export type Wallet = { readonly keys: readonly Key[]; readonly chainParams: ChainParams };
export type Key = { readonly secret: Uint8Array; readonly address: Address };

/** IDs and fees of a chain. */
export type ChainParams = {
  readonly networkID: number;
  readonly blockchainID: Id;
  readonly feeAsset: Id;
  readonly txFee: bigint;
  readonly createAssetTxFee: bigint;
};

/** An unsigned transaction and who signs each of its credentials. */
export type Draft = { readonly unsigned: UnsignedTx; readonly signers: readonly (readonly Key[])[] };

/** Outputs that pay for a transaction (used in this order, as many as needed) and the owner of the change; by default the first key. */
export type Funds = { readonly utxos: readonly Utxo[]; readonly change?: OutputOwners; readonly memo?: Uint8Array; readonly now?: bigint };

export function createWallet(seed: string, { count = 4, terms = localChainParams, keys = [] as readonly Key[] } = {}): Wallet {
  const made = Array.from({ length: count }, (_, i) => keyFrom(sha256(Buffer.from(`${seed} ${i}`))));
  return { keys: [...keys, ...made], chainParams: terms };
}

export const keyFrom = (secret: Uint8Array): Key => ({ secret, address: addressFromBytes(hash160(publicKeyCreate(secret, true))) });

/** Owners of an output: `threshold` of these keys or addresses, sorted as required. */
export const ownedBy = (who: readonly (Key | Address)[], threshold = 1, locktime = 0n): OutputOwners => ({
  locktime,
  threshold,
  addresses: who.map((one) => (typeof one === 'string' ? one : one.address)).sort(compareHex),
});

export const transfer = (assetID: Id, amount: bigint, owners: OutputOwners): TransferableOutput => ({
  assetID,
  output: { kind: 'secp256k1fx.TransferOutput', amount, ...owners },
});

/** Signs a transaction: one credential for each input, then for each operation or imported input, of its feature extension. */
export function sign(unsigned: UnsignedTx, signers: readonly (readonly Key[])[]): Tx {
  const hash = sha256(pack(UnsignedTx, unsigned));
  const operations = unsigned.kind === 'OperationTx' ? unsigned.operations : [];
  const credentials = signers.map((keys, i): Credential => {
    const fx = operations[i - unsigned.inputs.length]?.operation.kind.split('.')[0] ?? 'secp256k1fx';
    return { kind: `${fx}.Credential` as 'secp256k1fx.Credential', signatures: keys.map((key) => signHash(hash, key)) };
  });
  return makeTx(unsigned, credentials);
}

export const signDraft = (draft: Draft): Tx => sign(draft.unsigned, draft.signers);

export function baseTx(wallet: Wallet, funds: Funds, outputs: readonly TransferableOutput[]): Draft {
  const { base, signers } = fund(wallet, funds, outputs, wallet.chainParams.txFee);
  return { unsigned: { kind: 'BaseTx', ...base, outputs: sortByBytes(TransferableOutput, [...outputs, ...base.outputs]) }, signers };
}

export type AssetSpec = { name: string; symbol: string; denomination?: number; states: { fxIndex: number; outputs: Output[] }[] };

export function createAsset(wallet: Wallet, funds: Funds, { name, symbol, denomination = 0, states }: AssetSpec): Draft {
  const { base, signers } = fund(wallet, funds, [], wallet.chainParams.createAssetTxFee);
  const initialStates = states
    .map(({ fxIndex, outputs }): InitialState => ({ fxIndex, outputs: sortByBytes(Output, outputs) }))
    .sort((a, b) => a.fxIndex - b.fxIndex);
  return {
    unsigned: { kind: 'CreateAssetTx', ...base, name: Buffer.from(name), symbol: Buffer.from(symbol), denomination, initialStates },
    signers,
  };
}

/** An operation on one output. `operation` gets the indices of the signers among the owners. */
export type OperationSpec = { readonly utxo: Utxo; readonly operation: (signatureIndices: number[]) => FxOperation };

/** A transaction with any number of operations; the functions below have one each. */
export function operationTx(wallet: Wallet, funds: Funds, acts: readonly OperationSpec[]): Draft {
  const { base, signers } = fund(wallet, funds, [], wallet.chainParams.txFee);
  const done = acts.map(({ utxo, operation }) => {
    const { indices, keys } = requireSigners(wallet, utxo, funds.now);
    const { txID, outputIndex, assetID } = utxo;
    return { keys, value: { assetID, inputIDs: [{ txID, outputIndex }], operation: operation(indices) } satisfies Operation };
  });
  done.sort((a, b) => compare(pack(Operation, a.value), pack(Operation, b.value)));
  const operations = done.map(({ value }) => value);
  return { unsigned: { kind: 'OperationTx', ...base, operations }, signers: [...signers, ...done.map(({ keys }) => keys)] };
}

export const mint = (wallet: Wallet, funds: Funds, minter: Utxo, amount: bigint, to: OutputOwners): Draft =>
  operationTx(wallet, funds, [mintSpec(minter, amount, to)]);

export const mintSpec = (minter: Utxo, amount: bigint, to: OutputOwners): OperationSpec => ({
  utxo: minter,
  operation: (signatureIndices) => ({
    kind: 'secp256k1fx.MintOperation',
    mintInput: { signatureIndices },
    mintOutput: ownersOf(minter),
    transferOutput: { amount, ...to },
  }),
});

export const nftMint = (wallet: Wallet, funds: Funds, minter: Utxo, payload: Uint8Array, to: readonly OutputOwners[]): Draft =>
  operationTx(wallet, funds, [nftMintSpec(minter, payload, to)]);

export const nftMintSpec = (minter: Utxo, payload: Uint8Array, to: readonly OutputOwners[]): OperationSpec => ({
  utxo: minter,
  operation: (signatureIndices) => ({
    kind: 'nftfx.MintOperation',
    mintInput: { signatureIndices },
    groupID: groupOf(minter),
    payload,
    outputs: [...to],
  }),
});

export const nftTransfer = (wallet: Wallet, funds: Funds, nft: Utxo, to: OutputOwners): Draft =>
  operationTx(wallet, funds, [nftTransferSpec(nft, to)]);

export const nftTransferSpec = (nft: Utxo, to: OutputOwners): OperationSpec => ({
  utxo: nft,
  operation: (signatureIndices) => ({
    kind: 'nftfx.TransferOperation',
    input: { signatureIndices },
    output: { groupID: groupOf(nft), payload: nft.output.kind === 'nftfx.TransferOutput' ? nft.output.payload : new Uint8Array(0), ...to },
  }),
});

export const propertyMint = (wallet: Wallet, funds: Funds, minter: Utxo, to: OutputOwners): Draft =>
  operationTx(wallet, funds, [propertyMintSpec(minter, to)]);

export const propertyMintSpec = (minter: Utxo, to: OutputOwners): OperationSpec => ({
  utxo: minter,
  operation: (signatureIndices) => ({
    kind: 'propertyfx.MintOperation',
    mintInput: { signatureIndices },
    mintOutput: ownersOf(minter),
    ownedOutput: to,
  }),
});

export const propertyBurn = (wallet: Wallet, funds: Funds, property: Utxo): Draft =>
  operationTx(wallet, funds, [propertyBurnSpec(property)]);

export const propertyBurnSpec = (property: Utxo): OperationSpec => ({
  utxo: property,
  operation: (signatureIndices) => ({ kind: 'propertyfx.BurnOperation', signatureIndices }),
});

/** Imports all given outputs. The fee is paid from them, and from the funds if they are not enough. */
export function importTx(wallet: Wallet, funds: Funds, sourceChain: Id, imported: readonly Utxo[]): Draft {
  const { chainParams } = wallet;
  const taken = imported.map((utxo) => inputFor(wallet, utxo, funds.now)).sort(byRef);
  const sums = new Map<Id, bigint>();
  for (const { input } of taken) sums.set(input.assetID, (sums.get(input.assetID) ?? 0n) + input.input.amount);
  const importedFee = sums.get(chainParams.feeAsset) ?? 0n;
  const fromImport = importedFee < chainParams.txFee ? importedFee : chainParams.txFee;
  sums.set(chainParams.feeAsset, importedFee - fromImport);
  const to = funds.change ?? changeOwners(wallet);
  const outputs = [...sums].filter(([, amount]) => amount > 0n).map(([assetID, amount]) => transfer(assetID, amount, to));
  const { base, signers } = fund(wallet, funds, [], chainParams.txFee - fromImport);
  return {
    unsigned: {
      kind: 'ImportTx',
      ...base,
      outputs: sortByBytes(TransferableOutput, [...base.outputs, ...outputs]),
      sourceChain,
      importedInputs: taken.map(({ input }) => input),
    },
    signers: [...signers, ...taken.map(({ keys }) => keys)],
  };
}

export function exportTx(wallet: Wallet, funds: Funds, destinationChain: Id, outputs: readonly TransferableOutput[]): Draft {
  const { base, signers } = fund(wallet, funds, outputs, wallet.chainParams.txFee);
  return { unsigned: { kind: 'ExportTx', ...base, destinationChain, exportedOutputs: sortByBytes(TransferableOutput, outputs) }, signers };
}

/** The X-Chain of the local network. AVAX is its first genesis transaction. */
export const localChainParams: ChainParams = {
  networkID: 12345,
  blockchainID: 'd891ad56056d9c01f18f43f58b5c784ad07a4a49cf3d1f11623804b5cba2c6bf' as Id,
  feeAsset: 'dbcf890f77f49b96857648b72b77f9f82937f28a68704af05da0dc12ba53f2db' as Id,
  txFee: 1_000_000n,
  createAssetTxFee: 1_000_000n,
};

export const ewoq: Key = keyFrom(fromHex('56289e99c94b6912bfc12adc093c9b51124f0dc54ac7a766b2bc5ccf558d8027'));

/** The only output of ewoq on the X-Chain of a new local network. */
export const ewoqGenesisUtxo: Utxo = makeUtxo(
  localChainParams.feeAsset,
  1,
  localChainParams.feeAsset,
  transfer(localChainParams.feeAsset, 300_000_000_000_000_000n, ownedBy([ewoq])).output,
);

type Base = Omit<Extract<UnsignedTx, { kind: 'BaseTx' }>, 'kind'>;
type SignedInput<T> = { readonly input: T; readonly keys: readonly Key[] };

/** Selects inputs for what is sent and burned. The returned outputs are only the change. */
function fund(wallet: Wallet, funds: Funds, sent: readonly TransferableOutput[], fee: bigint): { base: Base; signers: (readonly Key[])[] } {
  const { networkID, blockchainID, feeAsset } = wallet.chainParams;
  const missing = new Map<Id, bigint>([[feeAsset, fee]]);
  for (const { assetID, output } of sent) missing.set(assetID, (missing.get(assetID) ?? 0n) + output.amount);
  const taken: SignedInput<TransferableInput>[] = [];
  for (const utxo of funds.utxos) {
    const need = missing.get(utxo.assetID) ?? 0n;
    if (need <= 0n || utxo.output.kind !== 'secp256k1fx.TransferOutput') continue;
    if (signersFor(wallet, utxo, funds.now) === undefined) continue;
    taken.push(inputFor(wallet, utxo, funds.now));
    missing.set(utxo.assetID, need - utxo.output.amount);
  }
  const short = [...missing].find(([, amount]) => amount > 0n);
  if (short !== undefined) throw new Error(`the wallet lacks ${short[1]} of ${short[0]}`);
  const to = funds.change ?? changeOwners(wallet);
  const change = [...missing].filter(([, amount]) => amount < 0n).map(([assetID, amount]) => transfer(assetID, -amount, to));
  taken.sort(byRef);
  return {
    base: {
      networkID,
      blockchainID,
      outputs: sortByBytes(TransferableOutput, change),
      inputs: taken.map(({ input }) => input),
      memo: funds.memo ?? new Uint8Array(0),
    },
    signers: taken.map(({ keys }) => keys),
  };
}

function inputFor(wallet: Wallet, utxo: Utxo, now: bigint | undefined): SignedInput<TransferableInput> {
  const { txID, outputIndex, assetID, output } = utxo;
  if (output.kind !== 'secp256k1fx.TransferOutput') throw new Error(`a ${output.kind} cannot be an input`);
  const { indices, keys } = requireSigners(wallet, utxo, now);
  const input = { kind: 'secp256k1fx.TransferInput' as const, amount: output.amount, signatureIndices: indices };
  return { input: { txID, outputIndex, assetID, input }, keys };
}

function requireSigners(wallet: Wallet, utxo: Utxo, now: bigint | undefined): { indices: number[]; keys: Key[] } {
  const found = signersFor(wallet, utxo, now);
  if (found === undefined) throw new Error(`the wallet cannot sign for output ${utxo.id}`);
  return found;
}

/** The owners that are keys of this wallet, up to the threshold; undefined if there are too few or the output is locked. */
function signersFor({ keys }: Wallet, { output }: Utxo, now = 0n): { indices: number[]; keys: Key[] } | undefined {
  if (output.locktime > now) return undefined;
  const owned = output.addresses.flatMap((address, index) => {
    const key = keys.find((one) => one.address === address);
    return key === undefined ? [] : [{ index, key }];
  });
  if (owned.length < output.threshold) return undefined;
  const used = owned.slice(0, output.threshold);
  return { indices: used.map(({ index }) => index), keys: used.map(({ key }) => key) };
}

/** Signs deterministically by RFC 6979 with s in the lower half, as AvalancheGo's wallets do. */
function signHash(hash: Uint8Array, { secret }: Key): Uint8Array {
  const { signature, recid } = ecdsaSign(hash, secret);
  return concat([signature, Uint8Array.of(recid)]);
}

const byRef = (a: SignedInput<TransferableInput>, b: SignedInput<TransferableInput>) => compareRefs(a.input, b.input);

/** Sorts items by their encoded bytes; each is encoded once. */
const sortByBytes = <T>(codec: Codec<T>, items: readonly T[]): T[] =>
  items
    .map((item) => ({ item, bytes: pack(codec, item) }))
    .sort((a, b) => compare(a.bytes, b.bytes))
    .map(({ item }) => item);

const changeOwners = ({ keys }: Wallet): OutputOwners => ownedBy(keys.slice(0, 1));

const ownersOf = ({ output: { locktime, threshold, addresses } }: Utxo): OutputOwners => ({ locktime, threshold, addresses });

const groupOf = ({ output }: Utxo): number => ('groupID' in output ? output.groupID : 0);
