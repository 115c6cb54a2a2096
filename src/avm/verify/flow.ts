import { type Id, idText, zeroId } from '../../base/bytes/id.ts';
import { compareBigints, compareHex, maxU64 } from '../../base/bytes/octets.ts';
import type { TransferableInput, UtxoRef } from '../tx/input.ts';
import type { TransferableOutput } from '../tx/output.ts';
import { TxError } from './fault.ts';
import { verifyValue } from './fx-table.ts';
import { firstUnsortedIndex } from './order.ts';
import { verifyEach } from './verify-each.ts';

/** Inputs, outputs and fee of a transaction, by the name of the list they are in: each list is sorted on its own. */
export type Flow = {
  readonly fee: bigint;
  readonly inputs: { readonly [list: string]: readonly TransferableInput[] };
  readonly outputs: { readonly [list: string]: readonly TransferableOutput[] };
};

/** Compares output references by transaction ID, then by output index. AvalancheGo: vms/components/avax/utxo_id.go. */
export const compareRefs = (a: UtxoRef, b: UtxoRef): number => compareHex(a.txID, b.txID) || a.outputIndex - b.outputIndex;

export function verifyAssetID(assetID: Id): void {
  if (assetID === zeroId) throw new TxError('empty asset ID is not valid', { code: 'TX_EMPTY_ASSET_ID' });
}

/**
 * Verifies every output and input, their order, and that outputs plus fee do not exceed inputs for any asset. The rest is burned.
 * An overflow of a sum is reported only if these checks pass.
 * AvalancheGo: vms/components/avax/transferables.go, VerifyTx; flow_checker.go.
 */
export function verifyFlow(flow: Flow, feeAsset: Id): void {
  const produced = createAssetSums();
  const consumed = createAssetSums();
  produced.add(feeAsset, flow.fee);
  for (const [list, outputs] of Object.entries(flow.outputs)) verifyOutputs(list, outputs, produced);
  for (const [list, inputs] of Object.entries(flow.inputs)) verifyInputs(list, inputs, consumed);
  const overflown = produced.overflowedAsset() ?? consumed.overflowedAsset();
  if (overflown !== undefined) throw new TxError('overflow', { code: 'TX_OVERFLOW', assetID: idText(overflown) });
  for (const [assetID, need] of produced.amounts) {
    const have = consumed.amounts.get(assetID) ?? 0n;
    if (need > have) {
      const fee = assetID === feeAsset ? flow.fee : 0n;
      throw new TxError('insufficient funds', {
        code: 'TX_INSUFFICIENT_FUNDS',
        assetID: idText(assetID),
        need: String(need),
        amount: String(need - fee),
        fee: String(fee),
        have: String(have),
      });
    }
  }
}

/**
 * Compares outputs as their encoded bytes compare, field by field: encoding them takes longer. There is one type of them, and all numbers are
 * big-endian. AvalancheGo: vms/components/avax/transferables.go, innerSortTransferableOutputs.
 */
export const compareOutputs = (
  { assetID: assetA, output: a }: TransferableOutput,
  { assetID: assetB, output: b }: TransferableOutput,
): number =>
  compareHex(assetA, assetB) ||
  compareBigints(a.amount, b.amount) ||
  compareBigints(a.locktime, b.locktime) ||
  a.threshold - b.threshold ||
  a.addresses.length - b.addresses.length ||
  compareHex(a.addresses.join(''), b.addresses.join(''));

function verifyOutputs(list: string, outputs: readonly TransferableOutput[], produced: AssetSums): void {
  verifyEach(list, outputs, ({ assetID, output }) => {
    verifyAssetID(assetID);
    verifyValue(output);
    produced.add(assetID, output.amount);
  });
  const index = firstUnsortedIndex(outputs, compareOutputs, 'equals allowed');
  if (index >= 0) throw new TxError('outputs not sorted', { code: 'TX_OUTPUTS_NOT_SORTED', path: `${list}[${index}]` });
}

function verifyInputs(list: string, inputs: readonly TransferableInput[], consumed: AssetSums): void {
  verifyEach(list, inputs, ({ assetID, input }) => {
    verifyAssetID(assetID);
    verifyValue(input);
    consumed.add(assetID, input.amount);
  });
  const index = firstUnsortedIndex(inputs, compareRefs);
  if (index >= 0) throw new TxError('inputs not sorted and unique', { code: 'TX_INPUTS_NOT_SORTED', path: `${list}[${index}]` });
}

type AssetSums = {
  readonly amounts: ReadonlyMap<Id, bigint>;
  readonly add: (assetID: Id, amount: bigint) => void;
  /** The first asset whose sum exceeds 64 bits. */
  readonly overflowedAsset: () => Id | undefined;
};

function createAssetSums(): AssetSums {
  const amounts = new Map<Id, bigint>();
  let overflown: Id | undefined;
  const add = (assetID: Id, amount: bigint): void => {
    const sum = (amounts.get(assetID) ?? 0n) + amount;
    if (sum > maxU64) overflown ??= assetID;
    amounts.set(assetID, sum);
  };
  return { amounts, add, overflowedAsset: () => overflown };
}
