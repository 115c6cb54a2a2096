import { idText } from '../../base/bytes/id.ts';
import { compare } from '../../base/bytes/octets.ts';
import { pack } from '../../base/codec/pack.ts';
import { type FxOperation, Operation } from '../tx/operation.ts';
import type { Output, OutputOwners } from '../tx/output.ts';
import type { Utxo } from '../tx/utxo.ts';
import { WalletError } from './fault.ts';
import { type Funds, fund } from './funding.ts';
import { type Draft, requireSigners, type Wallet } from './wallet.ts';

/** An operation on one output. `operation` gets the indices of the signers among the owners. */
export type OperationSpec = { readonly utxo: Utxo; readonly operation: (signatureIndices: number[]) => FxOperation };

/** A transaction with any number of operations; the functions below have one each. */
export function operationTx(wallet: Wallet, funds: Funds, specs: readonly OperationSpec[]): Draft {
  const { base, signers } = fund(wallet, funds, [], wallet.chainParams.txFee);
  const signed = specs.map(({ utxo, operation }) => {
    const { indices, keys } = requireSigners(wallet, utxo, funds.now);
    const { txID, outputIndex, assetID } = utxo;
    return { keys, value: { assetID, inputIDs: [{ txID, outputIndex }], operation: operation(indices) } satisfies Operation };
  });
  signed.sort((a, b) => compare(pack(Operation, a.value), pack(Operation, b.value)));
  const operations = signed.map(({ value }) => value);
  return { unsigned: { kind: 'OperationTx', ...base, operations }, signers: [...signers, ...signed.map(({ keys }) => keys)] };
}

/** Mints an amount of a fungible asset; `minter` is its mint output, which is created again. */
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

/** Mints NFTs of a group, one for each of `to`. The mint output of the group is consumed, so a group can be minted once. */
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
  operation: (signatureIndices) => {
    const { groupID, payload } = requireNft(nft);
    return { kind: 'nftfx.TransferOperation', input: { signatureIndices }, output: { groupID, payload, ...to } };
  },
});

/** Mints a property; `minter` is the mint output of its asset, which is created again. */
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

const ownersOf = ({ output: { locktime, threshold, addresses } }: Utxo): OutputOwners => ({ locktime, threshold, addresses });

const groupOf = ({ output }: Utxo): number => ('groupID' in output ? output.groupID : 0);

const requireNft = ({ id, output }: Utxo): Extract<Output, { kind: 'nftfx.TransferOutput' }> => {
  if (output.kind === 'nftfx.TransferOutput') return output;
  const utxoID = idText(id);
  throw new WalletError(`output ${utxoID} is a ${output.kind}, not an NFT`, { code: 'WALLET_WRONG_OUTPUT', utxoID, kind: output.kind });
};
