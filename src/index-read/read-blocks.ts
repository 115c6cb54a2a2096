import { toHex } from '../bytes/hex.ts';
import { type Id, idFromBytes, idText, idToBytes } from '../bytes/id.ts';
import { versionSize } from '../codec/pack.ts';
import { IndexError } from '../index/fault.ts';
import { ask, askTogether, type Query, type Steps } from '../index/steps.ts';
import type { Tables } from '../state/schema.ts';
import type { BlockEntry, BlockQuery, Pin, Times } from './index-reads.ts';

/** Blocks, and the pins that stand for them. */
export type BlockReads = {
  readonly tip: () => Steps<Pin>;
  readonly pinAt: (height: number) => Steps<Pin | undefined>;
  readonly pinBefore: (time: number) => Steps<Pin | undefined>;
  readonly completeFrom: () => Steps<number>;
  readonly block: (which: { readonly height: number } | { readonly id: Id }) => Steps<BlockEntry | undefined>;
  readonly blocks: (query: BlockQuery) => Steps<BlockEntry[]>;
  /** The last blocks before the first moment and before the end of a stretch of time; undefined where there is no bound or no block. */
  readonly bounds: (times: Times) => Steps<{ readonly before: Pin | undefined; readonly last: Pin | undefined }>;
};

export function blockReads(t: Tables, chainID: Id): BlockReads {
  // Genesis transactions belong to no block, but come with block 0.
  const pins = `SELECT height, id, time, CASE WHEN height = 0
    THEN coalesce((SELECT first_tx - 1 FROM ${t.block} WHERE height = 1), (SELECT max(seq) FROM ${t.tx}), 0)
    ELSE first_tx + tx_count - 1 END AS last_tx FROM ${t.block}`;
  const progress = 'SELECT height, complete_from FROM progress WHERE chain = ?';
  const chain = idToBytes(chainID);
  const tipQuery: Query = { text: `${pins} WHERE height = (SELECT height FROM progress WHERE chain = ?)`, values: [chain] };
  const pinAtQuery = (height: number): Query => ({ text: `${pins} WHERE height = ?`, values: [height] });
  const pinBeforeQuery = (time: number): Query => ({
    text: `${pins} WHERE time < ? ORDER BY time DESC, height DESC LIMIT 1`,
    values: [time],
  });
  const columns = `SELECT height, id, header, first_tx, tx_count, time FROM ${t.block}`;
  const byId = `${columns} WHERE id = ?`;
  const byHeight = {
    asc: `${columns} WHERE height >= ? AND height <= ? ORDER BY height LIMIT ? + 0`,
    desc: `${columns} WHERE height >= ? AND height <= ? ORDER BY height DESC LIMIT ? + 0`,
  };
  const txsFrom = `SELECT seq, id, length(bytes) AS size FROM ${t.tx} WHERE seq >= ? AND seq < ? ORDER BY seq`;

  function* tip(): Steps<Pin> {
    const [row] = yield* ask<PinRow>([tipQuery]);
    if (row === undefined)
      throw new IndexError(`nothing of chain ${idText(chainID)} is in the index yet`, { code: 'INDEX_EMPTY', chainID: idText(chainID) });
    return pinOf(row);
  }

  /** While the index is being caught up, the chain is ahead of it: what is not in the index yet is not there. */
  function* indexed(query: Query): Steps<Pin | undefined> {
    const rows = yield* askTogether({ found: [query], tip: [tipQuery] });
    const [[found], [last]] = [rows.found as PinRow[], rows.tip as PinRow[]];
    if (found === undefined || last === undefined) return undefined;
    return pinOf(found.height <= last.height ? found : last);
  }

  function* bounds({ from, to }: Times) {
    return {
      before: from === undefined ? undefined : yield* indexed(pinBeforeQuery(from)),
      last: to === undefined ? undefined : yield* indexed(pinBeforeQuery(to)),
    };
  }

  function* entries(rows: readonly BlockRow[]): Steps<BlockEntry[]> {
    if (rows.length === 0) return [];
    // Neighbouring blocks have neighbouring transactions.
    const first = Math.min(...rows.map(({ first_tx }) => first_tx));
    const end = Math.max(...rows.map(({ first_tx, tx_count }) => first_tx + tx_count));
    const txs = first < end ? yield* ask<{ id: Uint8Array; size: number }>([{ text: txsFrom, values: [first, end] }]) : [];
    return rows.map((row) => {
      const own = txs.slice(row.first_tx - first, row.first_tx - first + row.tx_count);
      return {
        height: row.height,
        id: idFromBytes(row.id),
        parentID: idFromBytes(row.header.subarray(parentAt, parentAt + 32)),
        time: row.time,
        size: row.header.length + own.reduce((sum, { size }) => sum + size - versionSize, 0),
        txIDs: own.map(({ id }) => toHex(id) as Id),
      };
    });
  }

  return {
    tip,
    pinAt: function* (height) {
      const pin = yield* indexed(pinAtQuery(height));
      return pin?.height === height ? pin : undefined;
    },
    pinBefore: (time) => indexed(pinBeforeQuery(time)),
    completeFrom: function* () {
      const [row] = yield* ask<{ complete_from: number }>([{ text: progress, values: [chain] }]);
      return row?.complete_from ?? 0;
    },
    block: function* (which) {
      const query =
        'id' in which ? { text: byId, values: [idToBytes(which.id)] } : { text: byHeight.asc, values: [which.height, which.height, 1] };
      const [row] = yield* ask<BlockRow>([query]);
      return row && (yield* entries([row]))[0];
    },
    blocks: function* ({ pin, times, after, order, limit }) {
      const { before, last } = yield* bounds(times);
      let lowest = before === undefined ? 0 : before.height + 1;
      let highest = times.to === undefined ? pin.height : Math.min(pin.height, last?.height ?? -1);
      if (after !== undefined && order === 'asc') lowest = Math.max(lowest, after + 1);
      if (after !== undefined && order === 'desc') highest = Math.min(highest, after - 1);
      return yield* entries(yield* ask<BlockRow>([{ text: byHeight[order], values: [lowest, highest, limit] }]));
    },
    bounds,
  };
}

/** Where a block's parent stands in its header: after version and type. */
const parentAt = 6;

type PinRow = { readonly height: number; readonly id: Uint8Array; readonly time: number; readonly last_tx: number };

const pinOf = ({ height, id, time, last_tx }: PinRow): Pin => ({ height, id: idFromBytes(id), time, lastTx: last_tx });

type BlockRow = {
  readonly height: number;
  readonly id: Uint8Array;
  readonly header: Uint8Array;
  readonly first_tx: number;
  readonly tx_count: number;
  readonly time: number;
};
