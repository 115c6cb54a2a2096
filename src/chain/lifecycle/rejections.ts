import type { Id } from '../../base/bytes/id.ts';
import type { AnyFault } from '../../base/fault.ts';

/** Number of rejected transactions kept. */
const maxRejections = 4096;

/**
 * Why the newest rejected transactions were refused or dropped, by transaction ID. Unlike the drop reasons of the mempool, which are the 64 that
 * AvalancheGo repeats when a transaction is issued again, these are only reported.
 */
type Rejections = {
  readonly add: (id: Id, reason: AnyFault) => void;
  readonly remove: (id: Id) => void;
  readonly reasonOf: (id: Id) => string | undefined;
  readonly clear: () => void;
};

export function createRejections(): Rejections {
  const reasons = new Map<Id, string>();
  return {
    add: (id, { message }) => {
      reasons.delete(id);
      if (reasons.size >= maxRejections) reasons.delete(reasons.keys().next().value as Id);
      reasons.set(id, message);
    },
    remove: (id) => void reasons.delete(id),
    reasonOf: (id) => reasons.get(id),
    clear: () => reasons.clear(),
  };
}
