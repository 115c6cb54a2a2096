import type { Id } from '../bytes/id.ts';
import { consumedBy } from '../tx/effects.ts';
import type { Tx } from '../tx/tx.ts';

const remembered = 4096;

/** What refused transactions wanted to consume, the newest few thousand: so that a later question can be told what became of them. */
export type Refusals = {
  readonly add: (tx: Tx) => void;
  readonly forget: (id: Id) => void;
  readonly wanted: (id: Id) => readonly Id[] | undefined;
};

export function createRefusals(): Refusals {
  const wanted = new Map<Id, readonly Id[]>();
  return {
    add: (tx) => {
      wanted.delete(tx.id);
      if (wanted.size >= remembered) wanted.delete(wanted.keys().next().value as Id);
      // One input is enough to tell, and a transaction may have thousands.
      wanted.set(tx.id, consumedBy(tx).slice(0, 16));
    },
    forget: (id) => void wanted.delete(id),
    wanted: (id) => wanted.get(id),
  };
}
