import type { Id } from '../../base/bytes/id.ts';
import { type InitialState, Output, TransferableOutput } from '../tx/output.ts';
import type { Utxo } from '../tx/utxo.ts';
import { byReference, changeOwners, type Funds, fund, inputFor } from './funding.ts';
import { type Draft, sortByBytes, transfer, type Wallet } from './wallet.ts';

/** Sends outputs on the chain. */
export function baseTx(wallet: Wallet, funds: Funds, outputs: readonly TransferableOutput[]): Draft {
  const { base, signers } = fund(wallet, funds, outputs, wallet.chainParams.txFee);
  return { unsigned: { kind: 'BaseTx', ...base, outputs: sortByBytes(TransferableOutput, [...outputs, ...base.outputs]) }, signers };
}

export type AssetSpec = {
  readonly name: string;
  readonly symbol: string;
  readonly denomination?: number;
  readonly states: readonly { readonly fxIndex: number; readonly outputs: readonly Output[] }[];
};

/** Creates an asset; its ID is the ID of the transaction. */
export function createAsset(wallet: Wallet, funds: Funds, { name, symbol, denomination = 0, states }: AssetSpec): Draft {
  const { base, signers } = fund(wallet, funds, [], wallet.chainParams.createAssetTxFee);
  const initialStates = states
    .map(({ fxIndex, outputs }): InitialState => ({ fxIndex, outputs: sortByBytes(Output, outputs) }))
    .sort((a, b) => a.fxIndex - b.fxIndex);
  return {
    unsigned: { kind: 'CreateAssetTx', ...base, name: utf8(name), symbol: utf8(symbol), denomination, initialStates },
    signers,
  };
}

/**
 * Imports all given outputs, pays `sent` from them and returns the rest as change. What they do not cover, the fee included, comes from the
 * funds.
 */
export function importTx(
  wallet: Wallet,
  funds: Funds,
  sourceChain: Id,
  imported: readonly Utxo[],
  sent: readonly TransferableOutput[] = [],
): Draft {
  const { txFee, feeAsset } = wallet.chainParams;
  const taken = imported.map((utxo) => inputFor(wallet, utxo, funds.now)).sort(byReference);
  const rest = new Map<Id, bigint>();
  for (const { input } of taken) rest.set(input.assetID, (rest.get(input.assetID) ?? 0n) + input.input.amount);
  for (const { assetID, output } of sent) rest.set(assetID, (rest.get(assetID) ?? 0n) - output.amount);
  const importedFee = rest.get(feeAsset) ?? 0n;
  const fromImport = importedFee < txFee ? (importedFee > 0n ? importedFee : 0n) : txFee;
  rest.set(feeAsset, importedFee - fromImport);
  const to = funds.change ?? changeOwners(wallet);
  const change = [...rest].filter(([, amount]) => amount > 0n).map(([assetID, amount]) => transfer(assetID, amount, to));
  const uncovered = [...rest].filter(([, amount]) => amount < 0n).map(([assetID, amount]) => transfer(assetID, -amount, to));
  const { base, signers } = fund(wallet, funds, uncovered, txFee - fromImport);
  return {
    unsigned: {
      kind: 'ImportTx',
      ...base,
      outputs: sortByBytes(TransferableOutput, [...base.outputs, ...change, ...sent]),
      sourceChain,
      importedInputs: taken.map(({ input }) => input),
    },
    signers: [...signers, ...taken.map(({ keys }) => keys)],
  };
}

/** Exports outputs to another chain. */
export function exportTx(wallet: Wallet, funds: Funds, destinationChain: Id, outputs: readonly TransferableOutput[]): Draft {
  const { base, signers } = fund(wallet, funds, outputs, wallet.chainParams.txFee);
  return { unsigned: { kind: 'ExportTx', ...base, destinationChain, exportedOutputs: sortByBytes(TransferableOutput, outputs) }, signers };
}

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
