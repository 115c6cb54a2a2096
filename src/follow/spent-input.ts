import { type Id, idText } from '../bytes/id.ts';
import { consumedBy } from '../tx/effects.ts';
import type { Tx } from '../tx/tx.ts';
import { FollowError } from './fault.ts';

/** More inputs are not looked up. */
const maxLookedUp = 64;

/** The error; if the followed node refused the transaction and one of its inputs is known to be spent, it also says by which transaction. */
export function withSpender(error: unknown, tx: Tx, consumerOf: (utxoID: Id) => Id | undefined): unknown {
  if (!(error instanceof FollowError) || error.fault.code !== 'FOLLOW_REFUSED') return error;
  for (const utxoID of consumedBy(tx).slice(0, maxLookedUp)) {
    const spender = consumerOf(utxoID);
    if (spender !== undefined)
      return new FollowError(error.message, { ...error.fault, utxoID: idText(utxoID), isSpent: true, spentBy: idText(spender) });
  }
  return error;
}
