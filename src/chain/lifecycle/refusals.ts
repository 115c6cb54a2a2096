import type { UtxoRef } from '../../avm/tx/input.ts';
import { isFinalFault, TxError } from '../../avm/verify/fault.ts';
import { type Id, parseId } from '../../base/bytes/id.ts';
import type { AnyFault } from '../../base/fault.ts';
import { ChainError } from './fault.ts';
import type { Ledger } from './ledger.ts';

/** Number of the last refusals whose reasons are kept. */
const maxRefusals = 4096;

/** Why a transaction was refused or dropped. */
type Refusal = {
  readonly reason: string;
  readonly code: string;
  /** Whether no state of the chain makes the transaction valid. */
  readonly isFinal: boolean;
  /** The output that was missing: if it is spent, no node will accept the transaction. */
  readonly missing: UtxoRef | undefined;
  /** The transaction with a common input: if it is accepted, no node will accept this one. */
  readonly conflict: Id | undefined;
};

/**
 * Why the newest transactions that were refused or dropped were so, by transaction ID. Unlike the drop reasons (below), which are the 64 that
 * AvalancheGo repeats when a transaction is issued again, these are only reported.
 */
export function createRefusals(max = maxRefusals) {
  const refusals = new Map<Id, { readonly refusal: Refusal; readonly at: number }>();
  /**
   * The transactions of the last refusals, by the number of the refusal modulo `max`. The first key of the map would tell the oldest too, but
   * passes all deleted ones.
   */
  const ids: Id[] = [];
  let count = 0;
  return {
    add: (id: Id, error: AnyFault): void => {
      const place = count % max;
      const oldest = ids[place];
      // It was refused again later, or is not known any more, unless its reason is the one of this place.
      if (oldest !== undefined && refusals.get(oldest)?.at === count - max) refusals.delete(oldest);
      ids[place] = id;
      refusals.set(id, { refusal: createRefusal(error), at: count++ });
    },
    remove: (id: Id) => void refusals.delete(id),
    get: (id: Id) => refusals.get(id)?.refusal,
    clear: () => refusals.clear(),
  };
}

/** Keeps no error object: its stack would hold memory. */
function createRefusal(error: AnyFault): Refusal {
  const { message: reason, fault } = error;
  const isFinal = error instanceof TxError && isFinalFault(error.fault);
  return { reason, code: fault.code, isFinal, missing: missingOutputOf(error), conflict: conflictOf(error) };
}

function missingOutputOf(error: AnyFault): UtxoRef | undefined {
  if (!(error instanceof TxError) || error.fault.code !== 'TX_UTXO_NOT_FOUND') return undefined;
  const { createdBy, outputIndex } = error.fault;
  return createdBy === undefined ? undefined : { txID: parseId(createdBy), outputIndex: outputIndex ?? 0 };
}

const conflictOf = (error: AnyFault): Id | undefined =>
  error instanceof ChainError && error.fault.code === 'MEMPOOL_CONFLICT' ? parseId(error.fault.spentBy) : undefined;

/** Whether no node will ever accept a transaction that was refused: rules that no state can change refuse it, or an accepted transaction spent its input. */
export const isRejected = (
  { isFinal, missing, conflict }: Refusal,
  { hasTx, wasConsumed }: Pick<Ledger, 'hasTx' | 'wasConsumed'>,
): boolean => isFinal || (missing !== undefined && wasConsumed(missing)) || (conflict !== undefined && hasTx(conflict));

/** Number of reasons kept. AvalancheGo: vms/txs/mempool/mempool.go, droppedTxIDsCacheSize. */
const maxDropReasons = 64;

/** Why transactions were dropped lately: AvalancheGo repeats the reason when one of them is issued again. */
export type DropReasons = ReturnType<typeof createDropReasons>;

/** `isWaiting`: whether a transaction is in the mempool, and so is not dropped. */
export function createDropReasons(isWaiting: (id: Id) => boolean) {
  const reasons = new Map<Id, AnyFault>();
  return {
    mark: (id: Id, reason: AnyFault): void => {
      // A full mempool does not make the transaction invalid.
      if (isFull(reason) || isWaiting(id)) return;
      reasons.delete(id);
      if (reasons.size >= maxDropReasons) reasons.delete(reasons.keys().next().value as Id);
      reasons.set(id, reason);
    },
    reasonOf: (id: Id): AnyFault | undefined => {
      const reason = reasons.get(id);
      // AvalancheGo's cache evicts the least recently used reason, so reading moves it to the end.
      if (reason !== undefined) {
        reasons.delete(id);
        reasons.set(id, reason);
      }
      return reason;
    },
    forget: (id: Id): void => void reasons.delete(id),
    clear: (): void => reasons.clear(),
  };
}

const isFull = (reason: AnyFault): boolean => reason instanceof ChainError && reason.fault.code === 'MEMPOOL_FULL';
