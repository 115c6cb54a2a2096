import type { Id } from '../../base/bytes/id.ts';
import type { AnyFault } from '../../base/fault.ts';
import { ChainError } from './fault.ts';

/** Number of reasons kept. AvalancheGo: vms/txs/mempool/mempool.go, droppedTxIDsCacheSize. */
const maxDropReasons = 64;

/** Why transactions were dropped lately: AvalancheGo repeats the reason when one of them is issued again. */
export type DropReasons = {
  readonly mark: (id: Id, reason: AnyFault) => void;
  readonly reasonOf: (id: Id) => AnyFault | undefined;
  readonly forget: (id: Id) => void;
  readonly clear: () => void;
};

/** `isWaiting`: whether a transaction is in the mempool, and so is not dropped. */
export function createDropReasons(isWaiting: (id: Id) => boolean): DropReasons {
  const reasons = new Map<Id, AnyFault>();
  return {
    mark: (id, reason) => {
      // A full mempool does not make the transaction invalid.
      if (isFull(reason) || isWaiting(id)) return;
      reasons.delete(id);
      if (reasons.size >= maxDropReasons) reasons.delete(reasons.keys().next().value as Id);
      reasons.set(id, reason);
    },
    reasonOf: (id) => {
      const reason = reasons.get(id);
      // AvalancheGo's cache evicts the least recently used reason, so reading moves it to the end.
      if (reason !== undefined) {
        reasons.delete(id);
        reasons.set(id, reason);
      }
      return reason;
    },
    forget: (id) => void reasons.delete(id),
    clear: () => reasons.clear(),
  };
}

const isFull = (reason: AnyFault): boolean => reason instanceof ChainError && reason.fault.code === 'MEMPOOL_FULL';
