import { type Id, idFromBytes, idText, idToBytes } from '../bytes/id.ts';
import type { Store } from '../store/store.ts';
import { StateError } from './fault.ts';
import { chainSchema, sharedSchema, tablesOf } from './schema.ts';

/** Rows name chains by a small number instead of 32 bytes. */
export type ChainNumbers = {
  readonly of: (chainID: Id) => number | undefined;
  /** Inside a write: the number of a chain that may be new. */
  readonly ensure: (chainID: Id) => number;
};

export function chainNumbers({ db }: Store): ChainNumbers {
  const get = db.prepare<{ number: number }>('SELECT number FROM chain WHERE id = ?');
  const add = db.prepare('INSERT INTO chain(id) VALUES (?)');
  const of = (chainID: Id) => get.get(idToBytes(chainID))?.number;
  return {
    of,
    ensure: (chainID) => {
      const known = of(chainID);
      if (known !== undefined) return known;
      add.run(idToBytes(chainID));
      return of(chainID) as number;
    },
  };
}

/** Tables that all chains share. A process that only reads finds them made. */
export function createShared(store: Store): void {
  if (!store.readonly) store.write(() => store.db.exec(sharedSchema));
}

/** Finds a chain's number and sees that its tables are there and come from this genesis. */
export function claimChain(store: Store, chainID: Id, genesis: Id): number {
  const numbers = chainNumbers(store);
  if (!store.readonly)
    store.write(() => {
      const number = numbers.ensure(chainID);
      store.db.exec(chainSchema(tablesOf(number)));
      store.db.prepare('UPDATE chain SET genesis = ? WHERE number = ? AND genesis IS NULL').run(idToBytes(genesis), number);
    });
  const row = claimed(store, chainID);
  const [before, wanted] = [idText(idFromBytes(row.genesis)), idText(genesis)];
  if (before !== wanted)
    throw new StateError(`the database has chain ${idText(chainID)} from genesis ${before}, this node has genesis ${wanted}`, {
      code: 'STATE_OTHER_GENESIS',
      chainID: idText(chainID),
      stored: before,
      wanted,
    });
  return row.number;
}

/** The number of a chain this database keeps. */
export const claimedNumber = (store: Store, chainID: Id): number => claimed(store, chainID).number;

function claimed(store: Store, chainID: Id): { number: number; genesis: Uint8Array } {
  const row = store.db
    .prepare<{ number: number; genesis: Uint8Array }>('SELECT number, genesis FROM chain WHERE id = ? AND genesis IS NOT NULL')
    .get(idToBytes(chainID));
  if (row === undefined)
    throw new StateError(`the database has no chain ${idText(chainID)}`, { code: 'STATE_UNKNOWN_CHAIN', chainID: idText(chainID) });
  return row;
}
