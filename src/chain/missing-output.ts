import { type Id, idText, parseId } from '../bytes/id.ts';
import type { AnyFault } from '../fault.ts';
import { TxError } from '../verify/fault.ts';
import type { Ledger, TxStatus } from './chain.ts';

/**
 * Returns the same fault. If an output is missing, adds whether it is spent and by which transaction, or the status of the transaction that
 * creates it. Message and code stay the same. Costs two or three reads, only for rejected transactions.
 */
export function explainMissingOutput(
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
  // The status of another chain's transaction is unknown here.
  const isLocal = fault.sourceChain === undefined && fault.createdBy !== undefined;
  return new TxError(error.message, {
    ...fault,
    isSpent: false,
    ...(isLocal ? { createdByStatus: status(parseId(fault.createdBy as string)) } : {}),
  });
}
