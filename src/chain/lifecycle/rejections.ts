import type { Id } from '../../base/bytes/id.ts';
import type { AnyFault } from '../../base/fault.ts';

/** Number of rejected transactions kept. */
const maxRejections = 4096;

/**
 * Why the newest rejected transactions were refused or dropped, by transaction ID. Unlike the drop reasons of the mempool, which are the 64 that
 * AvalancheGo repeats when a transaction is issued again, these are only reported.
 */
export function createRejections() {
  const reasons = new Map<Id, string>();
  return {
    add: (id: Id, { message }: AnyFault): void => {
      reasons.delete(id);
      if (reasons.size >= maxRejections) reasons.delete(reasons.keys().next().value as Id);
      reasons.set(id, message);
    },
    remove: (id: Id) => void reasons.delete(id),
    reasonOf: (id: Id) => reasons.get(id),
    clear: () => reasons.clear(),
  };
}
