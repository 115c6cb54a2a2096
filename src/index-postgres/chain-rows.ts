import { toHex } from '../bytes/hex.ts';
import { type Id, idText, idToBytes } from '../bytes/id.ts';
import { bulk, marks, type Sizes, tuples } from '../index/bulk.ts';
import { IndexError } from '../index/fault.ts';
import type { SqlValue } from '../index/sql.ts';
import { ask, askTogether, type Query, type Steps } from '../index/steps.ts';
import { blockChange, type NewBlock, type StoredBlock } from '../state/block-change.ts';
import { tablesOf } from '../state/schema.ts';
import { stored } from '../state/stored-utxo.ts';
import type { NumberedUtxo } from '../state/utxo-table.ts';
import { assetOf } from '../state/view.ts';
import { type Block, blockHeaderSize } from '../tx/block.ts';
import type { Tx } from '../tx/tx.ts';
import type { Utxo } from '../tx/utxo.ts';

/** The tables of a chain that lives elsewhere: blocks, transactions, outputs and assets, numbered as state/chain-state.ts numbers them. */
export type ChainRows = ReturnType<typeof chainRows>;

export type LastBlock = { readonly id: Id; readonly height: number; readonly time: number; readonly unspent: number };

const sizes: Sizes = [512, 128, 32, 8, 1];

export function chainRows(chain: number) {
  const t = tablesOf(chain);
  const insert = (name: string, width: number, end = '') =>
    bulk(sizes, width, (n) => `INSERT INTO ${name} VALUES ${tuples(n, width)}${end}`);
  const addBlocks = insert(t.block, 7);
  const addTxs = insert(t.tx, 4);
  const addUtxos = insert(t.utxo, 4);
  const addSpends = insert(t.spend, 2);
  const addAssets = insert(t.asset, 5, ' ON CONFLICT DO NOTHING');
  const lastBlock = { text: `SELECT id, height, time, unspent FROM ${t.block} ORDER BY height DESC LIMIT 1`, values: [] };
  const lastTx = { text: `SELECT max(seq) AS seq FROM ${t.tx}`, values: [] };
  const lastUtxo = { text: `SELECT max(seq) AS seq FROM ${t.utxo}`, values: [] };
  const raiseUnspent = bulk([1], 2, () => `UPDATE ${t.block} SET unspent = unspent + ? WHERE height = ?`);
  const byIds = bulk(
    sizes,
    1,
    (n) =>
      `SELECT u.seq, u.id, u.height, u.bytes, s.tx AS spent FROM ${t.utxo} u LEFT JOIN ${t.spend} s ON s.utxo = u.seq WHERE u.id IN (${marks(n)})`,
  );

  function* last(): Steps<LastBlock | undefined> {
    const [row] = yield* ask<Omit<LastBlock, 'id'> & { id: Uint8Array }>([lastBlock]);
    return row && { ...row, id: toHex(row.id) as Id };
  }

  function* numbers(): Steps<{ tx: number; utxo: number }> {
    const rows = yield* askTogether({ tx: [lastTx], utxo: [lastUtxo] });
    const of = ([row]: readonly unknown[]) => (row as { seq: number | null }).seq ?? 0;
    return { tx: of(rows.tx), utxo: of(rows.utxo) };
  }

  function* held(ids: Iterable<Id>): Steps<Map<Id, UtxoRow>> {
    const rows = yield* ask<UtxoRow>(byIds([...ids].map(idToBytes)));
    return new Map(rows.map((row) => [toHex(row.id) as Id, row]));
  }

  /** Numbers blocks that follow one another, and says what to insert for them. */
  function* numbered(blocks: readonly NewBlock[], unspentBefore: number): Steps<{ stored: StoredBlock[]; queries: Query[] }> {
    const wanted = new Set(
      blocks.flatMap(({ diff, preLinearizationUtxos }) => [...diff.consumed.keys(), ...(preLinearizationUtxos ?? []).map(({ id }) => id)]),
    );
    const before = yield* held(wanted);
    const at = { ...(yield* numbers()), unspent: unspentBefore };
    const fresh = new Map<Id, NumberedUtxo>();
    const gone = new Set<Id>();
    const found = (utxo: Utxo): NumberedUtxo => {
      const row = before.get(utxo.id);
      if (gone.has(utxo.id) || (row !== undefined && row.spent !== null)) throw spentTwice(utxo.id);
      gone.add(utxo.id);
      const young = fresh.get(utxo.id);
      if (young !== undefined) return young;
      if (row === undefined) throw missing(utxo.id);
      return { utxo, seq: row.seq, height: row.height, bytes: row.bytes };
    };
    const rows = {
      block: [] as SqlValue[],
      tx: [] as SqlValue[],
      utxo: [] as SqlValue[],
      spend: [] as SqlValue[],
      asset: [] as SqlValue[],
    };
    const storedBlocks = blocks.map(
      ({ block, diff, preLinearizationUtxos: brought = [], preLinearizationAssets = [], imported }): StoredBlock => {
        const height = Number(block.height);
        const older = brought.filter(({ id }) => !before.has(id) && !fresh.has(id)).map((utxo, i) => olderRow(utxo, at.utxo + 1 + i));
        for (const row of older) fresh.set(row.utxo.id, row);
        at.utxo += older.length;
        const firstTx = at.tx + 1;
        const { made, consumed } = blockChange(diff, { height, firstTx, firstUtxo: at.utxo + 1, held: found });
        for (const row of made) if (row.spent === null) fresh.set(row.utxo.id, row);
        at.tx += diff.applied.length;
        at.utxo += made.length;
        at.unspent += older.length + made.filter(({ spent }) => spent === null).length - consumed.length;
        rows.block.push(...blockRow(block, firstTx, at.unspent));
        for (const [i, { tx }] of diff.applied.entries()) rows.tx.push(firstTx + i, idToBytes(tx.id), height, tx.bytes);
        for (const row of [...older, ...made]) rows.utxo.push(row.seq, idToBytes(row.utxo.id), row.height, row.bytes);
        for (const { seq, spent } of [...made, ...consumed]) if (spent !== null) rows.spend.push(seq, spent);
        for (const tx of [...preLinearizationAssets, ...diff.applied.map(({ tx }) => tx)]) rows.asset.push(...assetRow(tx));
        return { block, firstTx, applied: diff.applied, made, consumed, older, imported: imported ?? new Map() };
      },
    );
    const queries = [
      ...addBlocks(rows.block),
      ...addTxs(rows.tx),
      ...addUtxos(rows.utxo),
      ...addSpends(rows.spend),
      ...addAssets(rows.asset),
    ];
    return { stored: storedBlocks, queries };
  }

  /** Outputs older than block 0, of which those that are or were here are passed over. */
  function* addOlder(utxos: readonly Utxo[]): Steps<NumberedUtxo[]> {
    const known = yield* held(utxos.map(({ id }) => id));
    const { utxo: lastSeq } = yield* numbers();
    const tip = yield* last();
    const missing = [...new Map(utxos.map((utxo) => [utxo.id, utxo])).values()].filter(({ id }) => !known.has(id));
    const rows = missing.map((utxo, i) => olderRow(utxo, lastSeq + 1 + i));
    if (rows.length === 0) return [];
    yield [
      ...addUtxos(rows.flatMap(({ utxo, seq, height, bytes }) => [seq, idToBytes(utxo.id), height, bytes])),
      ...raiseUnspent([rows.length, tip?.height ?? 0]),
    ];
    return rows;
  }

  return { last, held, numbered, addOlder };
}

export type UtxoRow = {
  readonly seq: number;
  readonly id: Uint8Array;
  readonly height: number;
  readonly bytes: Uint8Array;
  readonly spent: number | null;
};

const olderRow = (utxo: Utxo, seq: number): NumberedUtxo => ({ utxo, seq, height: 0, bytes: stored(utxo) });

const blockRow = (block: Block, firstTx: number, unspent: number): SqlValue[] => [
  Number(block.height),
  idToBytes(block.id),
  block.bytes.subarray(0, blockHeaderSize),
  firstTx,
  block.txs.length,
  Number(block.time),
  unspent,
];

function assetRow(tx: Tx): SqlValue[] {
  const asset = assetOf(tx);
  if (asset === 'not-an-asset' || tx.unsigned.kind !== 'CreateAssetTx') return [];
  const { name, symbol, denomination } = tx.unsigned;
  return [idToBytes(tx.id), asset.fxs.join(' '), name, symbol, denomination];
}

const missing = (id: Id) =>
  new IndexError(`the block consumes ${idText(id)}, which is not there`, { code: 'INDEX_MISSING_OUTPUT', utxoID: idText(id) });

const spentTwice = (id: Id) =>
  new IndexError(`the block consumes ${idText(id)}, which is consumed already`, { code: 'INDEX_SPENT_TWICE', utxoID: idText(id) });
