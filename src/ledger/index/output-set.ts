import type { Utxo } from '../../avm/tx/utxo.ts';
import { tiebreakerBlob } from './blob.ts';
import { isSingleOwner } from './output-amount.ts';
import { type OutputSet, outputSets } from './tables.ts';

/** The set of an unspent output. */
export const unspentSet = ({ output }: Utxo): OutputSet => (isSingleOwner(output) ? outputSets.unspent : outputSets.multiOwnerUnspent);

/** The set of a spent output. */
export const spentSet = ({ output }: Utxo): OutputSet => (isSingleOwner(output) ? outputSets.spent : outputSets.multiOwnerSpent);

/** The tiebreaker that orders outputs of equal time or amount. */
export const tiebreakerOf = ({ id }: Utxo): Uint8Array => tiebreakerBlob(id);
