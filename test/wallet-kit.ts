import { nativeKeyCrypto } from '../src/app/platform/key-crypto.ts';
import { makeUtxo, type Utxo } from '../src/avm/tx/utxo.ts';
import { ewoqSecret } from '../src/avm/wallet/accounts.ts';
import { createKey, type Key } from '../src/avm/wallet/key.ts';
import { type ChainParams, ownedBy, transfer, type Wallet } from '../src/avm/wallet/wallet.ts';
import { sha256 } from '../src/base/bytes/hash.ts';
import type { Id } from '../src/base/bytes/id.ts';

export type { Funds } from '../src/avm/wallet/funding.ts';
export type { Key } from '../src/avm/wallet/key.ts';
export {
  mint,
  mintSpec,
  nftMint,
  nftMintSpec,
  nftTransfer,
  nftTransferSpec,
  type OperationSpec,
  operationTx,
  propertyBurn,
  propertyBurnSpec,
  propertyMint,
  propertyMintSpec,
} from '../src/avm/wallet/operations.ts';
export { type AssetSpec, baseTx, createAsset, exportTx, importTx } from '../src/avm/wallet/transactions.ts';
export { type ChainParams, type Draft, ownedBy, sign, signDraft, transfer, type Wallet } from '../src/avm/wallet/wallet.ts';

/** A deterministic wallet for tests and benches: the same seed gives the same keys. */
export function createWallet(seed: string, { count = 4, terms = localChainParams, keys = [] as readonly Key[] } = {}): Wallet {
  const made = Array.from({ length: count }, (_, i) => keyFrom(sha256(Buffer.from(`${seed} ${i}`))));
  return { keys: [...keys, ...made], chainParams: terms };
}

export const keyFrom = (secret: Uint8Array): Key => createKey(secret, nativeKeyCrypto);

/** The X-Chain of the local network. AVAX is its first genesis transaction. */
export const localChainParams: ChainParams = {
  networkID: 12345,
  blockchainID: 'd891ad56056d9c01f18f43f58b5c784ad07a4a49cf3d1f11623804b5cba2c6bf' as Id,
  feeAsset: 'dbcf890f77f49b96857648b72b77f9f82937f28a68704af05da0dc12ba53f2db' as Id,
  txFee: 1_000_000n,
  createAssetTxFee: 1_000_000n,
};

export const ewoq: Key = keyFrom(ewoqSecret);

/** The only output of ewoq on the X-Chain of a new local network. */
export const ewoqGenesisUtxo: Utxo = makeUtxo(
  localChainParams.feeAsset,
  1,
  localChainParams.feeAsset,
  transfer(localChainParams.feeAsset, 300_000_000_000_000_000n, ownedBy([ewoq])).output,
);
