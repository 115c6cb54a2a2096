import type { UtxoRef } from '../../avm/tx/input.ts';
import type { Tx } from '../../avm/tx/tx.ts';
import type { View } from '../../avm/view.ts';
import type { Id } from '../../base/bytes/id.ts';

/**
 * A transaction that was valid on one view, with all that can differ on another view. An output never changes while its id exists, and
 * neither do the feature extensions of an asset, so signatures, amounts and owners need not be verified again.
 */
export type VerifiedTx = {
  /** Unix seconds. An output that was unlocked then is unlocked at any later time. */
  readonly now: bigint;
  readonly spent: readonly UtxoRef[];
  readonly assets: readonly Id[];
};

/** Whether the result can be reused. Imports, operations and transactions without inputs depend on more of the view, and are rare: they are verified each time. */
export const isRecordable = ({ unsigned: { kind, inputs } }: Tx): boolean =>
  kind !== 'ImportTx' && kind !== 'OperationTx' && inputs.length > 0;

export function recordVerified({ unsigned }: Tx, now: bigint): VerifiedTx {
  const assets: Id[] = [];
  addAssets(assets, unsigned.inputs);
  addAssets(assets, unsigned.outputs);
  if (unsigned.kind === 'ExportTx') addAssets(assets, unsigned.exportedOutputs);
  return { now, spent: unsigned.inputs, assets };
}

/** Adds the assets of a list, in a row only once: outputs are sorted by asset, and most transactions have one asset. */
function addAssets(assets: Id[], list: readonly { readonly assetID: Id }[]): void {
  for (const { assetID } of list) if (assets[assets.length - 1] !== assetID) assets.push(assetID);
}

/** Whether a verified transaction is certainly valid on this view. If not, the caller verifies it again, which also finds the reason. */
export function hasUnchangedInputs({ now, spent, assets }: VerifiedTx, view: View, laterNow: bigint): boolean {
  if (laterNow < now) return false;
  for (const ref of spent) if (view.utxo(ref) === undefined) return false;
  for (const id of assets) if (typeof view.asset(id) !== 'object') return false;
  return true;
}
