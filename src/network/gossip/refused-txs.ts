import type { Id } from '../../base/bytes/id.ts';
import { boundedMap } from './bounded-map.ts';

/** Transactions of peers that were refused lately: they are not verified again until `duration` milliseconds have passed. */
type RefusedTxs = { readonly add: (id: Id, now: number) => void; readonly has: (id: Id, now: number) => boolean };

export function createRefusedTxs(maxSize: number, duration: number): RefusedTxs {
  const until = boundedMap<Id, number>(maxSize);
  return {
    add: (id, now) => until.set(id, now + duration),
    has: (id, now) => (until.get(id) ?? 0) > now,
  };
}
