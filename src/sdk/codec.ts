/** Entry point `serac/codec`: builds, signs and decodes every transaction of the X-Chain, in browsers, Bun and Node. */

export { SeracError } from '../api/client/fault.ts';
export { type Block, blockJson, parseBlock } from '../avm/tx/block.ts';
export type { Credential } from '../avm/tx/credential.ts';
export { effectsOf } from '../avm/tx/effects.ts';
export type { TransferableInput, UtxoRef } from '../avm/tx/input.ts';
export type { FxOperation, Operation } from '../avm/tx/operation.ts';
export type { InitialState, Output, OutputOwners, TransferableOutput } from '../avm/tx/output.ts';
export { makeTx, parseTx, type Tx, txJson, unsignedBytes } from '../avm/tx/tx.ts';
export type { BaseTx, CreateAssetTx, ExportTx, ImportTx, OperationTx, UnsignedTx } from '../avm/tx/unsigned.ts';
export { makeUtxo, parseUtxo, type Utxo, utxoId, utxoJson } from '../avm/tx/utxo.ts';
export { WalletError, type WalletFault } from '../avm/wallet/fault.ts';
export type { Funds } from '../avm/wallet/funding.ts';
export { formatSecret, type Key, watchOnlyKey } from '../avm/wallet/key.ts';
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
} from '../avm/wallet/operations.ts';
export { addSignatures, missingSigners } from '../avm/wallet/signatures.ts';
export {
  type ChainParamsSource,
  createJsonContext,
  formatTx,
  keysOfMnemonic,
  parseAddress,
  parseBlockText,
  parseKey,
  parseTxText,
  parseUtxoText,
  readChainParams,
} from '../avm/wallet/texts.ts';
export { type AssetSpec, baseTx, createAsset, exportTx, importTx } from '../avm/wallet/transactions.ts';
export { type ChainParams, type Draft, ownedBy, sign, signDraft, transfer, type Wallet } from '../avm/wallet/wallet.ts';
export { type Address, createAddressFormatter } from '../base/bytes/address.ts';
export { formatHex, parseHex } from '../base/bytes/hex.ts';
export { type Id, idText, parseId } from '../base/bytes/id.ts';
export type { JsonContext } from '../base/codec/codec.ts';
export { Fault } from '../base/fault.ts';
export { type ErrorByCode, type ErrorCode, isSeracError, type KnownError } from './errors.ts';
