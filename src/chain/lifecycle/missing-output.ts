import { TxError } from '../../avm/verify/fault.ts';
import { type Id, idText, parseId } from '../../base/bytes/id.ts';
import type { AnyFault } from '../../base/fault.ts';
import type { Ledger, TxStatus } from './ledger.ts';

/**
 * Returns the same fault. If an output is missing, adds whether it is spent and by which transaction, or the status of the transaction that
 * creates it. Message and code stay the same. Costs two or three reads, only for rejected transactions. `areImportsUnknown`: this node does not
 * know what other chains export, so the error about an import says that.
 */
export function explainMissingOutput(
  error: AnyFault,
  { wasConsumed, consumerOf }: Pick<Ledger, 'wasConsumed' | 'consumerOf'>,
  status: (txID: Id) => TxStatus,
  areImportsUnknown = false,
): AnyFault {
  if (!(error instanceof TxError) || error.fault.code !== 'TX_UTXO_NOT_FOUND' || error.fault.createdBy === undefined) return error;
  const { fault } = error;
  if (areImportsUnknown && error.fault.sourceChain !== undefined) return unknownImport(error.fault.sourceChain, fault.path);
  const ref = { txID: parseId(error.fault.createdBy), outputIndex: fault.outputIndex ?? 0 };
  const spender = consumerOf(ref);
  if (spender !== undefined) return new TxError(error.message, { ...fault, isSpent: true, spentBy: idText(spender) });
  if (wasConsumed(ref)) return new TxError(error.message, { ...fault, isSpent: true });
  // The status of another chain's transaction is unknown here.
  const isLocal = fault.sourceChain === undefined && fault.createdBy !== undefined;
  return new TxError(error.message, {
    ...fault,
    isSpent: false,
    createdByStatus: isLocal ? status(parseId(fault.createdBy as string)) : undefined,
  });
}

const unknownImport = (sourceChain: string, path: string | undefined): TxError =>
  new TxError(
    `this node does not run chain ${sourceChain} and cannot verify what it exported; issue the import through an AvalancheGo node of the network`,
    { code: 'TX_IMPORT_UNKNOWN', sourceChain, path },
  );
