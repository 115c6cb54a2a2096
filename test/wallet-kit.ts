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
 * Builders give a draft, so that a test may spoil it before it is signed. Nothing here asks a node.
 */
export type Wallet = { readonly keys: readonly Key[]; readonly terms: Terms };
export type Key = { readonly secret: Uint8Array; readonly address: Address };

/** What a chain wants of every transaction. */
export type Terms = {
  readonly networkID: number;
  readonly blockchainID: Id;
  readonly feeAsset: Id;
  readonly txFee: bigint;
  readonly createAssetTxFee: bigint;
};

/** An unsigned transaction and who signs each of its credentials. */
export type Draft = { readonly unsigned: UnsignedTx; readonly signers: readonly (readonly Key[])[] };

/** Where funds come from (the first that fit are taken, in this order) and where the rest of them goes: the first key, unless told. */
export type Funds = { readonly utxos: readonly Utxo[]; readonly change?: OutputOwners; readonly memo?: Uint8Array; readonly now?: bigint };

export function createWallet(seed: string, { count = 4, terms = localTerms, keys = [] as readonly Key[] } = {}): Wallet {
  const made = Array.from({ length: count }, (_, i) => keyFrom(sha256(Buffer.from(`${seed} ${i}`))));
  return { keys: [...keys, ...made], terms };
}

export const keyFrom = (secret: Uint8Array): Key => ({ secret, address: addressFromBytes(hash160(publicKeyCreate(secret, true))) });

/** Owners of an output: so many of these keys or addresses, in the order the rules want. */
export const ownedBy = (who: readonly (Key | Address)[], threshold = 1, locktime = 0n): OutputOwners => ({
  locktime,
  threshold,
  addresses: who.map((one) => (typeof one === 'string' ? one : one.address)).sort(compareHex),
});

export const transfer = (assetID: Id, amount: bigint, owners: OutputOwners): TransferableOutput => ({
  assetID,
  output: { kind: 'secp256k1fx.TransferOutput', amount, ...owners },
});

/** Credentials follow the inputs, then the operations or the imported inputs, each of its own feature extension. */
export function sign(unsigned: UnsignedTx, signers: readonly (readonly Key[])[]): Tx {
  const hash = sha256(pack(UnsignedTx, unsigned));
  const operations = unsigned.kind === 'OperationTx' ? unsigned.operations : [];
  const credentials = signers.map((keys, i): Credential => {
    const fx = operations[i - unsigned.inputs.length]?.operation.kind.split('.')[0] ?? 'secp256k1fx';
    return { kind: `${fx}.Credential` as 'secp256k1fx.Credential', signatures: keys.map((key) => signHash(hash, key)) };
  });
  return makeTx(unsigned, credentials);
}

export const signed = (draft: Draft): Tx => sign(draft.unsigned, draft.signers);

export function baseTx(wallet: Wallet, funds: Funds, outputs: readonly TransferableOutput[]): Draft {
  const { base, signers } = spend(wallet, funds, outputs, wallet.terms.txFee);
  return { unsigned: { kind: 'BaseTx', ...base, outputs: byEncoding(TransferableOutput, [...outputs, ...base.outputs]) }, signers };
}

export type AssetTerms = { name: string; symbol: string; denomination?: number; states: { fxIndex: number; outputs: Output[] }[] };

export function createAsset(wallet: Wallet, funds: Funds, { name, symbol, denomination = 0, states }: AssetTerms): Draft {
  const { base, signers } = spend(wallet, funds, [], wallet.terms.createAssetTxFee);
  const initialStates = states
    .map(({ fxIndex, outputs }): InitialState => ({ fxIndex, outputs: byEncoding(Output, outputs) }))
    .sort((a, b) => a.fxIndex - b.fxIndex);
  return {
    unsigned: { kind: 'CreateAssetTx', ...base, name: Buffer.from(name), symbol: Buffer.from(symbol), denomination, initialStates },
    signers,
  };
}

/** One thing done to one output: the operation is made from the positions of those who sign. */
export type Act = { readonly on: Utxo; readonly operation: (signatureIndices: number[]) => FxOperation };

/** Any number of operations in one transaction; the named ones below are transactions with just one. */
export function operationTx(wallet: Wallet, funds: Funds, acts: readonly Act[]): Draft {
  const { base, signers } = spend(wallet, funds, [], wallet.terms.txFee);
  const done = acts.map(({ on, operation }) => {
    const { indices, keys } = mustSign(wallet, on, funds.now);
    const { txID, outputIndex, assetID } = on;
    return { keys, value: { assetID, inputIDs: [{ txID, outputIndex }], operation: operation(indices) } satisfies Operation };
  });
  done.sort((a, b) => compare(pack(Operation, a.value), pack(Operation, b.value)));
  const operations = done.map(({ value }) => value);
  return { unsigned: { kind: 'OperationTx', ...base, operations }, signers: [...signers, ...done.map(({ keys }) => keys)] };
}

export const mint = (wallet: Wallet, funds: Funds, minter: Utxo, amount: bigint, to: OutputOwners): Draft =>
  operationTx(wallet, funds, [mintAct(minter, amount, to)]);

export const mintAct = (minter: Utxo, amount: bigint, to: OutputOwners): Act => ({
  on: minter,
  operation: (signatureIndices) => ({
    kind: 'secp256k1fx.MintOperation',
    mintInput: { signatureIndices },
    mintOutput: ownersOf(minter),
    transferOutput: { amount, ...to },
  }),
});

export const nftMint = (wallet: Wallet, funds: Funds, minter: Utxo, payload: Uint8Array, to: readonly OutputOwners[]): Draft =>
  operationTx(wallet, funds, [nftMintAct(minter, payload, to)]);

export const nftMintAct = (minter: Utxo, payload: Uint8Array, to: readonly OutputOwners[]): Act => ({
  on: minter,
  operation: (signatureIndices) => ({
    kind: 'nftfx.MintOperation',
    mintInput: { signatureIndices },
    groupID: groupOf(minter),
    payload,
    outputs: [...to],
  }),
});

export const nftTransfer = (wallet: Wallet, funds: Funds, nft: Utxo, to: OutputOwners): Draft =>
  operationTx(wallet, funds, [nftTransferAct(nft, to)]);

export const nftTransferAct = (nft: Utxo, to: OutputOwners): Act => ({
  on: nft,
  operation: (signatureIndices) => ({
    kind: 'nftfx.TransferOperation',
    input: { signatureIndices },
    output: { groupID: groupOf(nft), payload: nft.output.kind === 'nftfx.TransferOutput' ? nft.output.payload : new Uint8Array(0), ...to },
  }),
});

export const propertyMint = (wallet: Wallet, funds: Funds, minter: Utxo, to: OutputOwners): Draft =>
  operationTx(wallet, funds, [propertyMintAct(minter, to)]);

export const propertyMintAct = (minter: Utxo, to: OutputOwners): Act => ({
  on: minter,
  operation: (signatureIndices) => ({
    kind: 'propertyfx.MintOperation',
    mintInput: { signatureIndices },
    mintOutput: ownersOf(minter),
    ownedOutput: to,
  }),
});

export const propertyBurn = (wallet: Wallet, funds: Funds, property: Utxo): Draft =>
  operationTx(wallet, funds, [propertyBurnAct(property)]);

export const propertyBurnAct = (property: Utxo): Act => ({
  on: property,
  operation: (signatureIndices) => ({ kind: 'propertyfx.BurnOperation', signatureIndices }),
});

/** Takes all of what is given out of the shared memory; the fee comes out of it, or out of the funds where it does not reach. */
export function importTx(wallet: Wallet, funds: Funds, sourceChain: Id, imported: readonly Utxo[]): Draft {
  const { terms } = wallet;
  const taken = imported.map((utxo) => asInput(wallet, utxo, funds.now)).sort(byRef);
  const sums = new Map<Id, bigint>();
  for (const { input } of taken) sums.set(input.assetID, (sums.get(input.assetID) ?? 0n) + input.input.amount);
  const toward = sums.get(terms.feeAsset) ?? 0n;
  const fromImport = toward < terms.txFee ? toward : terms.txFee;
  sums.set(terms.feeAsset, toward - fromImport);
  const to = funds.change ?? ownChange(wallet);
  const outputs = [...sums].filter(([, amount]) => amount > 0n).map(([assetID, amount]) => transfer(assetID, amount, to));
  const { base, signers } = spend(wallet, funds, [], terms.txFee - fromImport);
  return {
    unsigned: {
      kind: 'ImportTx',
      ...base,
      outputs: byEncoding(TransferableOutput, [...base.outputs, ...outputs]),
      sourceChain,
      importedInputs: taken.map(({ input }) => input),
    },
    signers: [...signers, ...taken.map(({ keys }) => keys)],
  };
}

export function exportTx(wallet: Wallet, funds: Funds, destinationChain: Id, outputs: readonly TransferableOutput[]): Draft {
  const { base, signers } = spend(wallet, funds, outputs, wallet.terms.txFee);
  return { unsigned: { kind: 'ExportTx', ...base, destinationChain, exportedOutputs: byEncoding(TransferableOutput, outputs) }, signers };
}

/** AvalancheGo's local network. AVAX is its first genesis transaction. */
export const localTerms: Terms = {
  networkID: 12345,
  blockchainID: 'd891ad56056d9c01f18f43f58b5c784ad07a4a49cf3d1f11623804b5cba2c6bf' as Id,
  feeAsset: 'dbcf890f77f49b96857648b72b77f9f82937f28a68704af05da0dc12ba53f2db' as Id,
  txFee: 1_000_000n,
  createAssetTxFee: 1_000_000n,
};

export const ewoq: Key = keyFrom(fromHex('56289e99c94b6912bfc12adc093c9b51124f0dc54ac7a766b2bc5ccf558d8027'));

/** All that ewoq owns on the X-Chain of a fresh local network. */
export const ewoqGenesisUtxo: Utxo = makeUtxo(
  localTerms.feeAsset,
  1,
  localTerms.feeAsset,
  transfer(localTerms.feeAsset, 300_000_000_000_000_000n, ownedBy([ewoq])).output,
);

type Base = Omit<Extract<UnsignedTx, { kind: 'BaseTx' }>, 'kind'>;
type Signed<T> = { readonly input: T; readonly keys: readonly Key[] };

/** Inputs for what is sent and burnt; the only outputs are the change. */
function spend(
  wallet: Wallet,
  funds: Funds,
  sent: readonly TransferableOutput[],
  fee: bigint,
): { base: Base; signers: (readonly Key[])[] } {
  const { networkID, blockchainID, feeAsset } = wallet.terms;
  const missing = new Map<Id, bigint>([[feeAsset, fee]]);
  for (const { assetID, output } of sent) missing.set(assetID, (missing.get(assetID) ?? 0n) + output.amount);
  const taken: Signed<TransferableInput>[] = [];
  for (const utxo of funds.utxos) {
    const need = missing.get(utxo.assetID) ?? 0n;
    if (need <= 0n || utxo.output.kind !== 'secp256k1fx.TransferOutput') continue;
    if (signersFor(wallet, utxo, funds.now) === undefined) continue;
    taken.push(asInput(wallet, utxo, funds.now));
    missing.set(utxo.assetID, need - utxo.output.amount);
  }
  const short = [...missing].find(([, amount]) => amount > 0n);
  if (short !== undefined) throw new Error(`the wallet lacks ${short[1]} of ${short[0]}`);
  const to = funds.change ?? ownChange(wallet);
  const change = [...missing].filter(([, amount]) => amount < 0n).map(([assetID, amount]) => transfer(assetID, -amount, to));
  taken.sort(byRef);
  return {
    base: {
      networkID,
      blockchainID,
      outputs: byEncoding(TransferableOutput, change),
      inputs: taken.map(({ input }) => input),
      memo: funds.memo ?? new Uint8Array(0),
    },
    signers: taken.map(({ keys }) => keys),
  };
}

function asInput(wallet: Wallet, utxo: Utxo, now: bigint | undefined): Signed<TransferableInput> {
  const { txID, outputIndex, assetID, output } = utxo;
  if (output.kind !== 'secp256k1fx.TransferOutput') throw new Error(`a ${output.kind} cannot be an input`);
  const { indices, keys } = mustSign(wallet, utxo, now);
  const input = { kind: 'secp256k1fx.TransferInput' as const, amount: output.amount, signatureIndices: indices };
  return { input: { txID, outputIndex, assetID, input }, keys };
}

function mustSign(wallet: Wallet, utxo: Utxo, now: bigint | undefined): { indices: number[]; keys: Key[] } {
  const found = signersFor(wallet, utxo, now);
  if (found === undefined) throw new Error(`the wallet cannot sign for output ${utxo.id}`);
  return found;
}

/** The first owners that are keys of this wallet, if there are enough of them and no lock holds. */
function signersFor({ keys }: Wallet, { output }: Utxo, now = 0n): { indices: number[]; keys: Key[] } | undefined {
  if (output.locktime > now) return undefined;
  const held = output.addresses.flatMap((address, index) => {
    const key = keys.find((one) => one.address === address);
    return key === undefined ? [] : [{ index, key }];
  });
  if (held.length < output.threshold) return undefined;
  const used = held.slice(0, output.threshold);
  return { indices: used.map(({ index }) => index), keys: used.map(({ key }) => key) };
}

/** Deterministic by RFC 6979, s in its lower half: what the peer's own wallets write. */
function signHash(hash: Uint8Array, { secret }: Key): Uint8Array {
  const { signature, recid } = ecdsaSign(hash, secret);
  return concat([signature, Uint8Array.of(recid)]);
}

const byRef = (a: Signed<TransferableInput>, b: Signed<TransferableInput>) => compareRefs(a.input, b.input);

/** Sorted as the rules want lists of encoded values; each is encoded once. */
const byEncoding = <T>(codec: Codec<T>, items: readonly T[]): T[] =>
  items
    .map((item) => ({ item, bytes: pack(codec, item) }))
    .sort((a, b) => compare(a.bytes, b.bytes))
    .map(({ item }) => item);

const ownChange = ({ keys }: Wallet): OutputOwners => ownedBy(keys.slice(0, 1));

const ownersOf = ({ output: { locktime, threshold, addresses } }: Utxo): OutputOwners => ({ locktime, threshold, addresses });

const groupOf = ({ output }: Utxo): number => ('groupID' in output ? output.groupID : 0);
