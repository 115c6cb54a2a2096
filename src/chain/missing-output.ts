import { type Id, idText, parseId } from '../bytes/id.ts';
import type { AnyFault } from '../fault.ts';
import { TxError } from '../verify/fault.ts';
import type { Ledger, TxStatus } from './chain.ts';

/**
 * The same fault; for an output that is missing it also says what became of it: spent, and by which transaction, or not made yet. Message
 * and code stay as they are. Only a refusal pays for it, with two or three reads.
 */
export function explainMissing(
  error: AnyFault,
  { wasConsumed, consumerOf }: Pick<Ledger, 'wasConsumed' | 'consumerOf'>,
  status: (txID: Id) => TxStatus,
): AnyFault {
  if (!(error instanceof TxError) || error.fault.code !== 'TX_UTXO_NOT_FOUND' || error.fault.utxoID === undefined) return error;
  const { fault } = error;
  const utxoID = parseId(error.fault.utxoID);
  const spender = consumerOf(utxoID);
  if (spender !== undefined) return new TxError(error.message, { ...fault, isSpent: true, spentBy: idText(spender) });
  if (wasConsumed(utxoID)) return new TxError(error.message, { ...fault, isSpent: true });
  // A transaction of another chain has no status here.
  const isLocal = fault.sourceChain === undefined && fault.createdBy !== undefined;
  return new TxError(error.message, {
    ...fault,
    isSpent: false,
    ...(isLocal ? { createdByStatus: status(parseId(fault.createdBy as string)) } : {}),
  });
}
