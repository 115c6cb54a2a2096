/** Entry point `serac/codec`: builds, signs and decodes every transaction of the X-Chain, in browsers, Bun and Node. */
export { type Address, createAddressFormatter } from '../../base/bytes/address.ts';
export { formatHex, parseHex } from '../../base/bytes/hex.ts';
export { type Id, idText, parseId } from '../../base/bytes/id.ts';
export type { JsonContext } from '../../base/codec/codec.ts';
export { Fault } from '../../base/fault.ts';
export { type Block, blockJson, parseBlock } from '../tx/block.ts';
export type { Credential } from '../tx/credential.ts';
export { effectsOf } from '../tx/effects.ts';
export type { TransferableInput, UtxoRef } from '../tx/input.ts';
export type { FxOperation, Operation } from '../tx/operation.ts';
export type { InitialState, Output, OutputOwners, TransferableOutput } from '../tx/output.ts';
export { makeTx, parseTx, type Tx, txJson, unsignedBytes } from '../tx/tx.ts';
export type { BaseTx, CreateAssetTx, ExportTx, ImportTx, OperationTx, UnsignedTx } from '../tx/unsigned.ts';
export { makeUtxo, parseUtxo, type Utxo, utxoId, utxoJson } from '../tx/utxo.ts';
export { WalletError, type WalletFault } from './fault.ts';
export type { Funds } from './funding.ts';
export { formatSecret, type Key } from './key.ts';
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
} from './operations.ts';
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
} from './texts.ts';
export { type AssetSpec, baseTx, createAsset, exportTx, importTx } from './transactions.ts';
export { type ChainParams, type Draft, ownedBy, sign, signDraft, transfer, type Wallet } from './wallet.ts';
