import type { Address } from '../../base/bytes/address.ts';
import { sha256 } from '../../base/bytes/hash.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import { compare, compareHex } from '../../base/bytes/octets.ts';
import type { Codec } from '../../base/codec/codec.ts';
import { pack } from '../../base/codec/pack.ts';
import type { Credential } from '../tx/credential.ts';
import type { OutputOwners, TransferableOutput } from '../tx/output.ts';
import { makeTx, type Tx } from '../tx/tx.ts';
import { UnsignedTx } from '../tx/unsigned.ts';
import type { Utxo } from '../tx/utxo.ts';
import { WalletError } from './fault.ts';
import type { Key } from './key.ts';

/** Keys and the chain they are used on. Builders are pure functions: the same wallet and request give the same bytes. */
export type Wallet = { readonly keys: readonly Key[]; readonly chainParams: ChainParams };

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
    return { kind: `${fx}.Credential` as 'secp256k1fx.Credential', signatures: keys.map((key) => key.sign(hash)) };
  });
  return makeTx(unsigned, credentials);
}

export const signDraft = (draft: Draft): Tx => sign(draft.unsigned, draft.signers);

/** The owners of an output that sign for it: their positions among its addresses, and their keys. */
type Signers = { readonly indices: number[]; readonly keys: Key[] };

/** The owners that are keys of this wallet, up to the threshold; undefined if there are too few or the output is locked. */
export function findSigners({ keys }: Pick<Wallet, 'keys'>, { output }: Pick<Utxo, 'output'>, now = 0n): Signers | undefined {
  if (output.locktime > now) return undefined;
  const owned = output.addresses.flatMap((address, index) => {
    const key = keys.find((one) => one.address === address);
    return key === undefined ? [] : [{ index, key }];
  });
  if (owned.length < output.threshold) return undefined;
  const used = owned.slice(0, output.threshold);
  return { indices: used.map(({ index }) => index), keys: used.map(({ key }) => key) };
}

export function requireSigners(wallet: Pick<Wallet, 'keys'>, utxo: Utxo, now: bigint | undefined): Signers {
  const found = findSigners(wallet, utxo, now);
  if (found !== undefined) return found;
  const utxoID = idText(utxo.id);
  throw new WalletError(`the wallet cannot sign for output ${utxoID}: it is locked, or too few of its owners are keys of the wallet`, {
    code: 'WALLET_CANNOT_SIGN',
    utxoID,
  });
}

/** Sorts items by their encoded bytes, as the rules require; each is encoded once. */
export const sortByBytes = <T>(codec: Codec<T>, items: readonly T[]): T[] =>
  items
    .map((item) => ({ item, bytes: pack(codec, item) }))
    .sort((a, b) => compare(a.bytes, b.bytes))
    .map(({ item }) => item);
