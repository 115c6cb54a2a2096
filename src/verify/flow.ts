import { type Id, idText, zeroId } from '../bytes/id.ts';
import { compareHex, maxU64 } from '../bytes/octets.ts';
import type { TransferableInput, UtxoRef } from '../tx/input.ts';
import { TransferableOutput } from '../tx/output.ts';
import { TxError } from './fault.ts';
import { verifyValue } from './fx-table.ts';
import { firstNotAfter, firstNotAfterEncoded } from './order.ts';
import { each } from './place.ts';

/** What goes in and out of a transaction, and what it must burn. Lists are kept apart, since each is sorted by itself. */
export type Flow = {
  readonly fee: bigint;
  readonly inputs: { readonly [list: string]: readonly TransferableInput[] };
  readonly outputs: { readonly [list: string]: readonly TransferableOutput[] };
};

/** Order of outputs by where they were made. Peer: vms/components/avax/utxo_id.go. */
export const compareRefs = (a: UtxoRef, b: UtxoRef): number => compareHex(a.txID, b.txID) || a.outputIndex - b.outputIndex;

export function verifyAssetID(assetID: Id): void {
  if (assetID === zeroId) throw new TxError('empty asset ID is not valid', { code: 'TX_EMPTY_ASSET_ID' });
}

/**
 * Every output and input by itself, their order, and that no asset leaves more than comes in; what is left over is burnt.
 * Peer: vms/components/avax/transferables.go, VerifyTx; flow_checker.go. An overflow only counts once all else is in order.
 */
export function verifyFlow(flow: Flow, feeAsset: Id): void {
  const produced = createSums();
  const consumed = createSums();
  produced.add(feeAsset, flow.fee);
  for (const [list, outputs] of Object.entries(flow.outputs)) verifyOutputs(list, outputs, produced);
  for (const [list, inputs] of Object.entries(flow.inputs)) verifyInputs(list, inputs, consumed);
  const overflown = produced.overflown() ?? consumed.overflown();
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

function verifyOutputs(list: string, outputs: readonly TransferableOutput[], produced: Sums): void {
  each(list, outputs, ({ assetID, output }) => {
    verifyAssetID(assetID);
    verifyValue(output);
    produced.add(assetID, output.amount);
  });
  // The asset comes first in the encoding, so the order of bytes is the order by asset and then by output.
  const index = firstNotAfterEncoded(TransferableOutput, outputs, 'equals allowed');
  if (index >= 0) throw new TxError('outputs not sorted', { code: 'TX_OUTPUTS_NOT_SORTED', path: `${list}[${index}]` });
}

function verifyInputs(list: string, inputs: readonly TransferableInput[], consumed: Sums): void {
  each(list, inputs, ({ assetID, input }) => {
    verifyAssetID(assetID);
    verifyValue(input);
    consumed.add(assetID, input.amount);
  });
  const index = firstNotAfter(inputs, compareRefs);
  if (index >= 0) throw new TxError('inputs not sorted and unique', { code: 'TX_INPUTS_NOT_SORTED', path: `${list}[${index}]` });
}

type Sums = {
  readonly amounts: ReadonlyMap<Id, bigint>;
  readonly add: (assetID: Id, amount: bigint) => void;
  /** The first asset whose sum left 64 bits. */
  readonly overflown: () => Id | undefined;
};

function createSums(): Sums {
  const amounts = new Map<Id, bigint>();
  let overflown: Id | undefined;
  const add = (assetID: Id, amount: bigint): void => {
    const sum = (amounts.get(assetID) ?? 0n) + amount;
    if (sum > maxU64) overflown ??= assetID;
    amounts.set(assetID, sum);
  };
  return { amounts, add, overflown: () => overflown };
}
