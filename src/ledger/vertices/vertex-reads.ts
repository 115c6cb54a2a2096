import { type Id, idToBytes } from '../../base/bytes/id.ts';
import { getChainNumber } from '../state/chain-number.ts';
import type { Store } from '../store/store.ts';
import { type StoredVertex, storedVertex, type VertexRow, type VertexStore } from './vertex-store.ts';

/** A vertex as it is listed. */
export type ListedVertex = StoredVertex & {
  /** Its place in the order in which this node executed the vertices: by height, then by ID. */
  readonly number: number;
  /** Bytes. */
  readonly size: number;
};

export type VertexQuery = {
  /** The number of the last vertex of the page before. */
  readonly after: number | undefined;
  readonly order: 'asc' | 'desc';
  readonly limit: number;
  /** Only vertices of this height. */
  readonly height?: number;
};

/** Lists the executed vertices of a chain from before linearization. A chain that began with blocks has none. */
export type VertexReads = {
  readonly vertex: (id: Id) => ListedVertex | undefined;
  readonly list: (query: VertexQuery) => readonly ListedVertex[];
};

type NumberedRow = VertexRow & { readonly number: number };

/** The tables must exist: `openVertexStore` creates them. */
export function openVertexReads(store: Store, chainID: Id, { bytes }: Pick<VertexStore, 'bytes'>): VertexReads {
  const { db } = store;
  const chain = getChainNumber(store, chainID);
  const columns = 'SELECT id, height, parents, txs, number FROM vertex WHERE chain = ? AND number IS NOT NULL';
  const byId = db.prepare<NumberedRow>(`${columns} AND id = ?`);
  const lists = {
    asc: db.prepare<NumberedRow>(`${columns} AND number > ? ORDER BY number LIMIT ?`),
    desc: db.prepare<NumberedRow>(`${columns} AND number < ? ORDER BY number DESC LIMIT ?`),
  };
  const listsAt = {
    asc: db.prepare<NumberedRow>(`${columns} AND height = ? AND number > ? ORDER BY id LIMIT ?`),
    desc: db.prepare<NumberedRow>(`${columns} AND height = ? AND number < ? ORDER BY id DESC LIMIT ?`),
  };
  const listed = (row: NumberedRow): ListedVertex => {
    const vertex = storedVertex(row);
    return { ...vertex, number: row.number, size: bytes(vertex.id)?.length ?? 0 };
  };
  return {
    vertex: (id) => {
      const row = byId.get(chain, idToBytes(id));
      return row && listed(row);
    },
    list: ({ after, order, limit, height }) => {
      const start = after ?? (order === 'asc' ? -1 : Number.MAX_SAFE_INTEGER);
      const rows = height === undefined ? lists[order].all(chain, start, limit) : listsAt[order].all(chain, height, start, limit);
      return rows.map(listed);
    },
  };
}
