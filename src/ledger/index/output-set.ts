import type { Utxo } from '../../avm/tx/utxo.ts';
import { tiebreakerBlob } from './blob.ts';
import { type OutputSet, outputSets } from './tables.ts';

/** Whether a set holds outputs that moved between chains. Their rows are in `moved_owner`, all others in `owner`. */
export const isMovedSet = (set: OutputSet): boolean =>
  set === outputSets.exported || set === outputSets.exportedSpent || set === outputSets.imported;

/** Whether a set holds unspent outputs of this chain. */
export const isUnspentSet = (set: OutputSet): boolean => set === outputSets.unspent || set === outputSets.multiOwnerUnspent;

/** The tiebreaker that orders outputs that moved between chains at the same time. */
export const tiebreakerOf = ({ id }: Utxo): Uint8Array => tiebreakerBlob(id);

/** Output sets that a query reads: those of unspent outputs, and those of spent outputs. */
export type OutputSetSelection = { readonly unspent: readonly OutputSet[]; readonly spent: readonly OutputSet[] };
