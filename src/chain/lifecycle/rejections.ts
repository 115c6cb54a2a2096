import type { Id } from '../../base/bytes/id.ts';
import type { AnyFault } from '../../base/fault.ts';

/** Number of the last rejections whose reasons are kept. */
const maxRejections = 4096;

/**
 * Why the newest rejected transactions were refused or dropped, by transaction ID. Unlike the drop reasons of the mempool, which are the 64 that
 * AvalancheGo repeats when a transaction is issued again, these are only reported.
 */
export function createRejections(max = maxRejections) {
  const reasons = new Map<Id, { readonly message: string; readonly at: number }>();
  /**
   * The transactions of the last rejections, by the number of the rejection modulo `max`. The first key of the map would tell the oldest too, but
   * passes all deleted ones.
   */
  const ids: Id[] = [];
  let count = 0;
  return {
    add: (id: Id, { message }: AnyFault): void => {
      const place = count % max;
      const oldest = ids[place];
      // It was rejected again later, or is not known any more, unless its reason is the one of this place.
      if (oldest !== undefined && reasons.get(oldest)?.at === count - max) reasons.delete(oldest);
      ids[place] = id;
      reasons.set(id, { message, at: count++ });
    },
    remove: (id: Id) => void reasons.delete(id),
    reasonOf: (id: Id) => reasons.get(id)?.message,
    clear: () => reasons.clear(),
  };
}
