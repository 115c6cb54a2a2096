import { type Id, idFromBytes, idText, idToBytes } from '../../base/bytes/id.ts';
import type { Store } from '../store/store.ts';
import { StateError } from './fault.ts';
import { chainSchema, sharedSchema, tablesOf } from './schema.ts';

/** Numbers of the chains in the database. Rows refer to a chain by this small number instead of its 32-byte ID. */
type ChainNumbers = {
  readonly find: (chainID: Id) => number | undefined;
  /** Returns the number of a chain and adds the chain if it is new. Must run inside a write transaction. */
  readonly ensure: (chainID: Id) => number;
};

export function openChainNumbers({ db }: Store): ChainNumbers {
  const get = db.prepare<{ number: number }>('SELECT number FROM chain WHERE id = ?');
  const add = db.prepare('INSERT INTO chain(id) VALUES (?)');
  const find = (chainID: Id) => get.get(idToBytes(chainID))?.number;
  return {
    find,
    ensure: (chainID) => {
      const known = find(chainID);
      if (known !== undefined) return known;
      add.run(idToBytes(chainID));
      return find(chainID) as number;
    },
  };
}

type StoredChain = { readonly number: number; readonly id: Id; readonly genesis: Id };

/** The chains that have tables in a database, perhaps without a block yet. None if it has no tables at all, as after a power cut that took everything. */
export function listStoredChains({ db }: Pick<Store, 'db'>): readonly StoredChain[] {
  if (db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'chain'`).get() === undefined) return [];
  return db
    .prepare<{ number: number; id: Uint8Array; genesis: Uint8Array }>(
      'SELECT number, id, genesis FROM chain WHERE genesis IS NOT NULL ORDER BY number',
    )
    .all()
    .map(({ number, id, genesis }) => ({ number, id: idFromBytes(id), genesis: idFromBytes(genesis) }));
}

/** Creates the tables that all chains share. Does nothing in a reader process: the writer process has created them. */
export function createSharedTables(store: Store): void {
  if (!store.readonly) store.write(() => store.db.exec(sharedSchema));
}

/** Returns the number of a chain; creates its tables if they are missing. Throws if the chain is stored with another genesis. */
export function registerChain(store: Store, chainID: Id, genesis: Id): number {
  const numbers = openChainNumbers(store);
  if (!store.readonly)
    store.write(() => {
      const number = numbers.ensure(chainID);
      store.db.exec(chainSchema(tablesOf(number)));
      store.db.prepare('UPDATE chain SET genesis = ? WHERE number = ? AND genesis IS NULL').run(idToBytes(genesis), number);
    });
  const row = readChainRow(store, chainID);
  const [stored, wanted] = [idText(idFromBytes(row.genesis)), idText(genesis)];
  if (stored !== wanted)
    throw new StateError(`the database has chain ${idText(chainID)} with genesis ${stored}, this node has genesis ${wanted}`, {
      code: 'STATE_OTHER_GENESIS',
      chainID: idText(chainID),
      stored,
      wanted,
    });
  return row.number;
}

/** The number of a chain that is stored in this database; throws if it is not. */
export const getChainNumber = (store: Store, chainID: Id): number => readChainRow(store, chainID).number;

function readChainRow(store: Store, chainID: Id): { number: number; genesis: Uint8Array } {
  const row = store.db
    .prepare<{ number: number; genesis: Uint8Array }>('SELECT number, genesis FROM chain WHERE id = ? AND genesis IS NOT NULL')
    .get(idToBytes(chainID));
  if (row === undefined)
    throw new StateError(`the database has no chain ${idText(chainID)}`, { code: 'STATE_UNKNOWN_CHAIN', chainID: idText(chainID) });
  return row;
}
