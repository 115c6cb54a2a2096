import { consumedRefs } from '../../avm/tx/effects.ts';
import type { UtxoRef } from '../../avm/tx/input.ts';
import type { Tx } from '../../avm/tx/tx.ts';
import { refId } from '../../avm/tx/utxo.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import { FollowError } from './fault.ts';

/** Only this many inputs are looked up. */
const maxInputsChecked = 64;

/** Returns the error; if the followed node refused the transaction and one of its inputs is known to be spent, with the spending transaction. */
export function addSpender(error: unknown, tx: Tx, consumerOf: (ref: UtxoRef) => Id | undefined): unknown {
  if (!(error instanceof FollowError) || error.fault.code !== 'FOLLOW_REFUSED') return error;
  for (const ref of consumedRefs(tx).slice(0, maxInputsChecked)) {
    const spender = consumerOf(ref);
    if (spender !== undefined)
      return new FollowError(error.message, { ...error.fault, utxoID: idText(refId(ref)), isSpent: true, spentBy: idText(spender) });
  }
  return error;
}
