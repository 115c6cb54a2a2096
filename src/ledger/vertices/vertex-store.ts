import { packVertex, type Vertex } from '../../avm/tx/vertex.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { type Id, idFromBytes, idLength, idOf, idText, idToBytes } from '../../base/bytes/id.ts';
import { concat } from '../../base/bytes/octets.ts';
import { Fault } from '../../base/fault.ts';
import { getChainNumber } from '../state/chain-number.ts';
import { bulkInsert } from '../store/bulk-insert.ts';
import type { SqlValue } from '../store/database.ts';
import type { Store } from '../store/store.ts';

/** A vertex as it is stored: its transactions are elsewhere. */
export type StoredVertex = Pick<Vertex, 'id' | 'height' | 'parentIDs' | 'txIDs'>;

/** The position of a vertex in the order of execution: by height, then by ID. */
export type VertexPosition = Pick<StoredVertex, 'height' | 'id'>;

/** A vertex with its number in the order of execution, which begins with 0. */
type NumberedPosition = VertexPosition & { readonly number: number };

/** What was executed. `numbered`: the vertices that were reached. `position`, `isLinearized`: what `executed` and `isLinearized` return from now on. */
type ExecutedVertices = {
  readonly txIDs: readonly Id[];
  readonly numbered: readonly NumberedPosition[];
  readonly position: VertexPosition | undefined;
  readonly isLinearized: boolean;
};

type VertexStoreFault = { code: 'VERTEX_DAMAGED'; row: string };
class VertexStoreError extends Fault<VertexStoreFault> {}

/*
 * vertex          parents, txs: IDs, one after the other. number: position in the order of execution; null until it is reached.
 * waiting_tx      transactions of stored vertices that are not executed yet. The same transaction may be in several vertices.
 * missing_vertex  see `missing`.
 * dag             see `executed` and `isLinearized`.
 */
const schema = `
  CREATE TABLE IF NOT EXISTS vertex(
    chain INTEGER NOT NULL, height INTEGER NOT NULL, id BLOB NOT NULL, parents BLOB NOT NULL, txs BLOB NOT NULL, number INTEGER,
    PRIMARY KEY (chain, height, id)) WITHOUT ROWID, STRICT;
  CREATE UNIQUE INDEX IF NOT EXISTS vertex_number ON vertex(chain, number) WHERE number IS NOT NULL;
  CREATE UNIQUE INDEX IF NOT EXISTS vertex_id ON vertex(chain, id);
  CREATE TABLE IF NOT EXISTS waiting_tx(
    chain INTEGER NOT NULL, id BLOB NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (chain, id)) WITHOUT ROWID, STRICT;
  CREATE TABLE IF NOT EXISTS missing_vertex(chain INTEGER NOT NULL, id BLOB NOT NULL, PRIMARY KEY (chain, id)) WITHOUT ROWID, STRICT;
  CREATE TABLE IF NOT EXISTS dag(
    chain INTEGER PRIMARY KEY, height INTEGER, id BLOB, is_linearized INTEGER NOT NULL) STRICT;`;

export type VertexStore = ReturnType<typeof openVertexStore>;

/**
 * Opens the vertices of a chain from before linearization. They are fetched from the stop vertex down (network/dag); their transactions wait here until
 * they are executed (chain/linearize), and are then in the state. What is still to do is stored too, so that a node resumes after a stop. The
 * chain must have its state in the same store. `txBytes` reads an executed transaction.
 */
export function openVertexStore(store: Store, chainID: Id, txBytes: (id: Id) => Uint8Array | undefined) {
  const { db } = store;
  if (!store.readonly) store.write(() => db.exec(schema));
  const chain = getChainNumber(store, chainID);
  const columns = 'SELECT id, height, parents, txs FROM vertex WHERE chain = ?';
  const byId = db.prepare<VertexRow>(`${columns} AND id = ?`);
  const afterRow = db.prepare<VertexRow>(`${columns} AND (height, id) > (?, ?) ORDER BY height, id LIMIT ?`);
  const exists = db.prepare<{ found: number }>('SELECT 1 AS found FROM vertex WHERE chain = ? AND id = ?');
  const anyVertex = db.prepare<{ found: number }>('SELECT 1 AS found FROM vertex WHERE chain = ? LIMIT 1');
  const waitingById = db.prepare<{ bytes: Uint8Array }>('SELECT bytes FROM waiting_tx WHERE chain = ? AND id = ?');
  const missingRows = db.prepare<{ id: Uint8Array }>('SELECT id FROM missing_vertex WHERE chain = ? ORDER BY id');
  const dagRow = db.prepare<DagRow>(
    `SELECT d.height, d.id, d.is_linearized, v.number FROM dag d LEFT JOIN vertex v ON v.chain = d.chain AND v.height = d.height AND v.id = d.id
     WHERE d.chain = ?`,
  );
  const insertVertices = bulkInsert(db, 'INSERT OR IGNORE INTO vertex', 6);
  const insertTxs = bulkInsert(db, 'INSERT OR IGNORE INTO waiting_tx', 3);
  const insertMissing = bulkInsert(db, 'INSERT OR IGNORE INTO missing_vertex', 2);
  const deleteMissing = db.prepare('DELETE FROM missing_vertex WHERE chain = ? AND id = ?');
  const deleteTx = db.prepare('DELETE FROM waiting_tx WHERE chain = ? AND id = ?');
  const setNumber = db.prepare('UPDATE vertex SET number = ? WHERE chain = ? AND height = ? AND id = ?');
  const upsertDag = db.prepare('REPLACE INTO dag VALUES (?, ?, ?, ?)');

  const hasVertex = (id: Id): boolean => exists.get(chain, idToBytes(id)) !== undefined;
  const waitingTx = (id: Id): Uint8Array | undefined => waitingById.get(chain, idToBytes(id))?.bytes;
  const vertex = (id: Id): StoredVertex | undefined => {
    const row = byId.get(chain, idToBytes(id));
    return row && storedVertex(row);
  };
  const add = (vertices: readonly Vertex[]): void => {
    const rows: SqlValue[] = [];
    const txs: SqlValue[] = [];
    for (const { id, height, parentIDs, txIDs, txs: all } of vertices) {
      rows.push(chain, Number(height), idToBytes(id), concat(parentIDs.map(idToBytes)), concat(txIDs.map(idToBytes)), null);
      for (const [i, txID] of txIDs.entries()) txs.push(chain, idToBytes(txID), all[i] as Uint8Array);
    }
    insertVertices(rows);
    insertTxs(txs);
    for (const { id } of vertices) deleteMissing.run(chain, idToBytes(id));
    const parents = new Set(vertices.flatMap(({ parentIDs }) => parentIDs));
    insertMissing([...parents].filter((id) => !hasVertex(id)).flatMap((id) => [chain, idToBytes(id)]));
  };

  return {
    vertex,
    /** The bytes of a vertex, made again from its row and its transactions. */
    bytes: (id: Id): Uint8Array | undefined => {
      const found = vertex(id);
      if (found === undefined) return undefined;
      const txs = found.txIDs.map((txID) => waitingTx(txID) ?? txBytes(txID));
      const bytes = txs.every((tx) => tx !== undefined)
        ? packVertex({ ...found, chainID, parentIDs: [...found.parentIDs], txs })
        : undefined;
      if (bytes === undefined || idOf(bytes) !== id) throw damaged(store, id);
      return bytes;
    },
    /** Vertices that are known as parents, or as the stop vertex, but not stored. */
    missing: (): readonly Id[] => missingRows.all(chain).map(({ id }) => idFromBytes(id)),
    /** Stores vertices in one transaction, and notes which of their parents are missing. */
    add: (vertices: readonly Vertex[]): void => store.write(() => add(vertices)),
    /** Notes the stop vertex as missing, if nothing is stored yet. */
    begin: (stopVertexID: Id): void => {
      if (anyVertex.get(chain) === undefined) store.write(() => insertMissing([chain, idToBytes(stopVertexID)]));
    },
    /** Vertices after a position, lowest first; from the lowest one without it. */
    after: (position: VertexPosition | undefined, limit: number): readonly StoredVertex[] =>
      afterRow
        .all(chain, Number(position?.height ?? -1n), position === undefined ? noBytes : idToBytes(position.id), limit)
        .map(storedVertex),
    /** The bytes of a transaction that is not executed yet. */
    waitingTx,
    /** The last vertex of which all transactions are executed, and those of all vertices before it. */
    executed: (): NumberedPosition | undefined => {
      const row = dagRow.get(chain);
      return row === undefined || row.height === null || row.id === null
        ? undefined
        : { height: BigInt(row.height), id: idFromBytes(row.id), number: row.number ?? 0 };
    },
    /** Whether all transactions of all vertices are executed. */
    isLinearized: (): boolean => dagRow.get(chain)?.is_linearized === 1,
    /** Notes executed transactions and vertices. Must run inside the write transaction that stores their changes. */
    markExecuted: ({ txIDs, numbered, position, isLinearized }: ExecutedVertices): void => {
      for (const id of txIDs) deleteTx.run(chain, idToBytes(id));
      for (const { number, height, id } of numbered) setNumber.run(number, chain, Number(height), idToBytes(id));
      upsertDag.run(
        chain,
        position === undefined ? null : Number(position.height),
        position ? idToBytes(position.id) : null,
        Number(isLinearized),
      );
    },
  };
}

export type VertexRow = { readonly id: Uint8Array; readonly height: number; readonly parents: Uint8Array; readonly txs: Uint8Array };
type DagRow = {
  readonly height: number | null;
  readonly id: Uint8Array | null;
  readonly is_linearized: number;
  readonly number: number | null;
};

const noBytes = new Uint8Array(0);

export const storedVertex = ({ id, height, parents, txs }: VertexRow): StoredVertex => ({
  id: idFromBytes(id),
  height: BigInt(height),
  parentIDs: splitIds(parents),
  txIDs: splitIds(txs),
});

const splitIds = (joined: Uint8Array): Id[] =>
  Array.from({ length: joined.length / idLength }, (_, i) => toHex(joined.subarray(i * idLength, (i + 1) * idLength)) as Id);

function damaged(store: Store, id: Id): VertexStoreError {
  const row = `vertex ${idText(id)}`;
  const message = `the database is damaged: ${row} does not match its ID; restore a backup, or join again with a new data directory`;
  store.noteDamage(message);
  return new VertexStoreError(message, { code: 'VERTEX_DAMAGED', row });
}
