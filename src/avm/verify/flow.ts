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
  const sums: FlowSums = { assets: new Map(), overflownOutputs: undefined, overflownInputs: undefined };
  addProduced(sums, feeAsset, flow.fee);
  for (const list of Object.keys(flow.outputs)) verifyOutputs(list, flow.outputs[list] as readonly TransferableOutput[], sums);
  for (const list of Object.keys(flow.inputs)) verifyInputs(list, flow.inputs[list] as readonly TransferableInput[], sums);
  const overflown = sums.overflownOutputs ?? sums.overflownInputs;
  if (overflown !== undefined) throw new TxError('overflow', { code: 'TX_OVERFLOW', assetID: idText(overflown) });
  for (const [assetID, { produced, consumed }] of sums.assets) {
    if (produced <= consumed) continue;
    const fee = assetID === feeAsset ? flow.fee : 0n;
    throw new TxError('insufficient funds', {
      code: 'TX_INSUFFICIENT_FUNDS',
      assetID: idText(assetID),
      need: String(produced),
      amount: String(produced - fee),
      fee: String(fee),
      have: String(consumed),
    });
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

function verifyOutputs(list: string, outputs: readonly TransferableOutput[], sums: FlowSums): void {
  verifyEach(list, outputs, sums, verifyOutput);
  const index = firstUnsortedIndex(outputs, compareOutputs, 'equals allowed');
  if (index >= 0) throw new TxError('outputs not sorted', { code: 'TX_OUTPUTS_NOT_SORTED', path: `${list}[${index}]` });
}

function verifyInputs(list: string, inputs: readonly TransferableInput[], sums: FlowSums): void {
  verifyEach(list, inputs, sums, verifyInput);
  const index = firstUnsortedIndex(inputs, compareRefs);
  if (index >= 0) throw new TxError('inputs not sorted and unique', { code: 'TX_INPUTS_NOT_SORTED', path: `${list}[${index}]` });
}

function verifyOutput({ assetID, output }: TransferableOutput, sums: FlowSums): void {
  verifyAssetID(assetID);
  verifyValue(output);
  addProduced(sums, assetID, output.amount);
}

function verifyInput({ assetID, input }: TransferableInput, sums: FlowSums): void {
  verifyAssetID(assetID);
  verifyValue(input);
  const sum = sumOf(sums, assetID);
  sum.consumed += input.amount;
  if (sum.consumed > maxU64) sums.overflownInputs ??= assetID;
}

/** The sums of a transaction by asset, those of its outputs first, and the first asset whose sum exceeds 64 bits. */
type FlowSums = {
  readonly assets: Map<Id, { produced: bigint; consumed: bigint }>;
  overflownOutputs: Id | undefined;
  overflownInputs: Id | undefined;
};

function addProduced(sums: FlowSums, assetID: Id, amount: bigint): void {
  const sum = sumOf(sums, assetID);
  sum.produced += amount;
  if (sum.produced > maxU64) sums.overflownOutputs ??= assetID;
}

function sumOf({ assets }: FlowSums, assetID: Id): { produced: bigint; consumed: bigint } {
  let sum = assets.get(assetID);
  if (sum === undefined) {
    sum = { produced: 0n, consumed: 0n };
    assets.set(assetID, sum);
  }
  return sum;
}
