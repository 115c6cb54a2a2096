import { type Effects, effectsOf } from '../../avm/tx/effects.ts';
import type { Tx } from '../../avm/tx/tx.ts';
import type { Utxo } from '../../avm/tx/utxo.ts';
import { addressToBytes } from '../../base/bytes/address.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { type Id, idText, idToBytes } from '../../base/bytes/id.ts';
import { equal } from '../../base/bytes/octets.ts';
import type { ExplorerTables } from '../index/explorer-tables.ts';
import { keyLookup } from '../index/key-lookup.ts';
import { fetchRowGroups, fetchRows, type Query, type Steps } from '../index/steps.ts';
import { type IndexTables, txKinds } from '../index/tables.ts';
import { createRunReads, seqsInRuns } from '../index/transfer-runs.ts';
import { damagedRow } from '../state/fault.ts';
import type { Tables } from '../state/schema.ts';
import { parseStoredTx } from '../state/stored-tx.ts';
import type { FoundTx, OutputEntry, PinnedBlock, SpendInfo, Subject, TransferEntry, TxEntry, TxQuery } from './index-reads.ts';
import { mergeSources, type RowSource, runTogether } from './merge.ts';
import type { BlockReads } from './read-blocks.ts';
import {
  type ChainOutputRow,
  type CrossChainOutputRow,
  importedElsewhereAsOf,
  type OutputReads,
  type PinnedOutput,
  StoredOutput,
  spentAsOf,
} from './read-outputs.ts';
import { readTransferEntries, storedLayout, type TransferRow, type TxRow, type TxRowWithOutputs } from './read-transfer-txs.ts';

export type TxReads = {
  readonly txSeq: (id: Id, pin: PinnedBlock) => Steps<number | undefined>;
  readonly txs: (seqs: readonly number[], pin: PinnedBlock, maxBytes?: number) => Steps<TxEntry[]>;
  readonly storedTxs: (seqs: readonly number[], pin: PinnedBlock, maxBytes?: number) => Steps<(TxEntry | TransferEntry)[]>;
  /** `tip`: the last indexed block if it is known; otherwise it is read together with the transaction. */
  readonly storedTx: (
    id: Id,
    isRendered: (seq: number, pin: PinnedBlock) => boolean,
    tip: PinnedBlock | undefined,
  ) => Steps<FoundTx | undefined>;
  readonly txSeqs: (query: TxQuery) => Steps<number[]>;
  readonly bySeq: (seqs: readonly number[]) => Query[];
};

export function createTxReads(
  t: Tables & IndexTables & Pick<ExplorerTables, 'txOutputs'>,
  { id: chainID, feeAsset }: { readonly id: Id; readonly feeAsset: Id },
  blocks: BlockReads,
  outputs: OutputReads,
): TxReads {
  const columns = 'x.seq, x.id, x.bytes, x.height, b.id AS block, b.time';
  const joined = `FROM ${t.tx} x JOIN ${t.block} b ON b.height = x.height`;
  const withOutputs = `SELECT ${columns}, o.outputs ${joined} LEFT JOIN ${t.txOutputs} o ON o.tx = x.seq`;
  const bySeq = keyLookup((keys) => `SELECT ${columns} ${joined} WHERE x.seq IN (${keys})`);
  const storedBySeq = keyLookup((keys) => `${withOutputs} WHERE x.seq IN (${keys})`);
  // Reads the ID from the table, not from the index that was searched, to notice a damaged index.
  const seqById = `SELECT seq, id FROM ${t.tx} WHERE seq = (SELECT x.seq FROM ${t.tx} x WHERE x.id = ?)`;
  const byId = `${withOutputs} WHERE x.seq = (SELECT y.seq FROM ${t.tx} y WHERE y.id = ?)`;
  const ofSubject = {
    asc: `SELECT tx AS seq FROM ${t.history} WHERE subject = ? AND kind = ? AND tx > ? AND tx < ? ORDER BY tx LIMIT ? + 0`,
    desc: `SELECT tx AS seq FROM ${t.history} WHERE subject = ? AND kind = ? AND tx > ? AND tx < ? ORDER BY tx DESC LIMIT ? + 0`,
  };
  const ofChain = {
    asc: `SELECT seq FROM ${t.tx} WHERE seq > ? AND seq < ? ORDER BY seq LIMIT ? + 0`,
    desc: `SELECT seq FROM ${t.tx} WHERE seq > ? AND seq < ? ORDER BY seq DESC LIMIT ? + 0`,
  };

  const runs = createRunReads(t.history);
  const feeSubject = idToBytes(feeAsset);

  function* txSeqs({ pin, subjects, kinds: requestedKinds, times, after, order, limit }: TxQuery): Steps<number[]> {
    const { before, last } = yield* blocks.bounds(times);
    // Both bounds are exclusive.
    let low = before?.lastTx ?? 0;
    let high = (times.to === undefined ? pin.lastTx : Math.min(pin.lastTx, last?.lastTx ?? 0)) + 1;
    if (after !== undefined && order === 'asc') low = Math.max(low, after);
    if (after !== undefined && order === 'desc') high = Math.min(high, after);
    const compare = order === 'asc' ? ascending : descending;
    const range = (from: Row | undefined): [number, number] => (order === 'asc' ? [from?.seq ?? low, high] : [low, from?.seq ?? high]);
    const rowsOf = (subject: Uint8Array, kind: number): RowSource<Row> => ({
      queryAfter: (from, count) => ({ text: ofSubject[order], values: [subject, kind, ...range(from), count] }),
    });
    const runsOf = (subject: Uint8Array): RowSource<Row> => ({
      queryAfter: (from, count) => runs.query(subject, ...range(from), order, count),
      rowsFrom: (found, from, count) => {
        const { runs: inRange } = runs.runsOf(found as { boundary: number }[], ...range(from), order, count);
        return seqsInRuns(inRange, order, count).map((seq) => ({ seq }));
      },
    });
    const sources: RowSource<Row>[] =
      subjects === undefined && requestedKinds === undefined
        ? [{ queryAfter: (from, count) => ({ text: ofChain[order], values: [...range(from), count] }) }]
        : subjectKeys(subjects).flatMap((subject) =>
            (requestedKinds ?? allKinds).map((kind) =>
              kind === 'BaseTx' && (subject.length === 0 || equal(subject, feeSubject)) ? runsOf(subject) : rowsOf(subject, txKinds[kind]),
            ),
          );
    return yield* mergeSources({ sources, compare, toItem: ({ seq }) => seq, limit });
  }

  function* rowsOf<R extends TxRow>(queries: readonly Query[], seqs: readonly number[], maxBytes: number | undefined): Steps<readonly R[]> {
    const rows = yield* fetchRows<R>(queries);
    const byNumber = new Map(rows.map((row) => [row.seq, row]));
    const sorted = seqs.map((seq) => byNumber.get(seq) as R);
    return cutAtBytes(sorted, maxBytes);
  }

  /** Makes entries of transactions; looks up the outputs of all of them in one group of queries. */
  function* entries(rows: readonly TxRow[], pin: PinnedBlock): Steps<TxEntry[]> {
    const parsed = rows.map((row) => {
      const tx = parseStoredTx(row);
      return { row, tx, effects: effectsOf(tx) };
    });
    const found = yield* fetchRowGroups({
      consumed: outputs.consumedById(parsed.flatMap(({ effects }) => effects.spent.map(idToBytes))),
      statuses: outputs.spendStatusById(parsed.flatMap(({ effects }) => effects.created.map(({ id }) => idToBytes(id)))),
      moved: outputs.movedById(parsed.flatMap(({ effects }) => movedIds(effects).map(idToBytes))),
    });
    const consumed = new Map((found.consumed as WithId<Omit<ChainOutputRow, 'height' | 'spent'>>[]).map((row) => [toHex(row.id), row]));
    const statuses = new Map((found.statuses as WithId<Pick<ChainOutputRow, 'seq' | 'spent'>>[]).map((row) => [toHex(row.id), row]));
    const moved = new Map((found.moved as WithId<CrossChainOutputRow>[]).map((row) => [moveKey(toHex(row.id), row), row]));

    const own = (utxo: Utxo, time: number): PinnedOutput => {
      const status = statuses.get(utxo.id);
      return { seq: status?.seq ?? 0, utxo, time, createdOn: chainID, consumedOn: chainID, spent: spentAsOf(status?.spent ?? null, pin) };
    };
    const exported = (utxo: Utxo, to: Id, time: number): PinnedOutput => {
      const row = moved.get(utxo.id + chainID + to);
      return { seq: row?.seq ?? 0, utxo, time, createdOn: chainID, consumedOn: to, spent: row && importedElsewhereAsOf(row, pin) };
    };
    const emitted = yield* outputs.toEntries(
      parsed.flatMap(({ row, effects }) => [
        ...effects.created.map((utxo) => own(utxo, row.time)),
        ...(effects.exported?.utxos ?? []).map((utxo) => exported(utxo, effects.exported?.to as Id, row.time)),
      ]),
    );
    let at = 0;
    return parsed.map(({ row, tx, effects }) => {
      const first = at;
      at += effects.created.length + (effects.exported?.utxos.length ?? 0);
      return {
        seq: row.seq,
        tx,
        height: row.height,
        blockID: toHex(row.block) as Id,
        time: row.time,
        consumed: consumedBy(row, tx, effects),
        emitted: emitted.slice(first, at),
      };
    });

    function consumedBy({ seq, time: spentAt }: TxRow, tx: Tx, { spent, imported }: Effects): OutputEntry[] {
      const by: SpendInfo = { txID: tx.id, time: spentAt, tx, seq };
      const entries: OutputEntry[] = [];
      for (const id of spent) {
        const row = consumed.get(id);
        if (row !== undefined)
          entries.push(new StoredOutput(row.seq, row.bytes, { time: row.time, createdOn: chainID, consumedOn: chainID, spent: by }));
      }
      for (const id of imported?.ids ?? []) {
        const row = moved.get(id + imported?.from + chainID);
        if (row !== undefined)
          entries.push(
            new StoredOutput(row.seq, row.bytes, { time: row.seen, createdOn: imported?.from as Id, consumedOn: chainID, spent: by }),
          );
      }
      return entries;
    }
  }

  /** Entries of rows, in their order: of transfers as stored, of others decoded. */
  function* storedEntries(rows: readonly TxRowWithOutputs[], pin: PinnedBlock): Steps<(TxEntry | TransferEntry)[]> {
    const transfers: TransferRow[] = [];
    const others: TxRow[] = [];
    for (const row of rows) {
      const layout = storedLayout(row);
      if (layout === undefined) others.push(row);
      else transfers.push({ row, layout });
    }
    const readTransfers = readTransferEntries(transfers, pin, { id: chainID, outputs });
    if (others.length === 0) return yield* readTransfers;
    const [made, decoded] = yield* runTogether(readTransfers, entries(others, pin));
    const bySeq = new Map([...made, ...decoded].map((entry) => [entry.seq, entry]));
    return rows.map(({ seq }) => bySeq.get(seq) as TxEntry | TransferEntry);
  }

  return {
    txSeqs,
    bySeq,
    txSeq: function* (id, pin) {
      const [row] = yield* fetchRows<WithId<Row>>([{ text: seqById, values: [idToBytes(id)] }]);
      if (row === undefined || row.seq > pin.lastTx) return undefined;
      if (toHex(row.id) !== id) throw damagedRow(`transaction ${idText(id)}`);
      return row.seq;
    },
    txs: function* (seqs, pin, maxBytes) {
      return yield* entries(yield* rowsOf<TxRow>(bySeq(seqs), seqs, maxBytes), pin);
    },
    storedTxs: function* (seqs, pin, maxBytes) {
      return yield* storedEntries(yield* rowsOf<TxRowWithOutputs>(storedBySeq(seqs), seqs, maxBytes), pin);
    },
    storedTx: function* (id, isRendered, tip) {
      const query = { text: byId, values: [idToBytes(id)] };
      const [rows, tipRows = []] = yield tip === undefined ? [query, blocks.tip.query] : [query];
      const pin = tip ?? blocks.tip.resultOf(tipRows);
      const row = rows?.[0] as TxRowWithOutputs | undefined;
      if (row === undefined || row.seq > pin.lastTx) return undefined;
      if (toHex(row.id) !== id) throw damagedRow(`transaction ${idText(id)}`);
      return { pin, seq: row.seq, entry: isRendered(row.seq, pin) ? undefined : (yield* storedEntries([row], pin))[0] };
    },
  };
}

/** Cuts a list of transactions at `maxBytes`: looking up the outputs of a transaction costs many times what reading it does. */
function cutAtBytes<R extends TxRow>(rows: readonly R[], maxBytes = Number.POSITIVE_INFINITY): readonly R[] {
  let size = 0;
  const last = rows.findIndex(({ bytes }, i) => {
    size += bytes.length;
    return size > maxBytes && i > 0;
  });
  return last < 0 ? rows : rows.slice(0, last + 1);
}

type Row = { readonly seq: number };
type WithId<R> = R & { readonly id: Uint8Array };

const ascending = (a: Row, b: Row): number => a.seq - b.seq;
const descending = (a: Row, b: Row): number => b.seq - a.seq;

const allKinds = Object.keys(txKinds) as (keyof typeof txKinds)[];

/** Subject of the whole chain in the `history` table. */
const wholeChain = new Uint8Array(0);

const subjectKeys = (subjects: readonly Subject[] | undefined): Uint8Array[] =>
  subjects?.map((subject) => ('address' in subject ? addressToBytes(subject.address) : idToBytes(subject.asset))) ?? [wholeChain];

const movedIds = ({ imported, exported }: Effects): Id[] => [...(imported?.ids ?? []), ...(exported?.utxos.map(({ id }) => id) ?? [])];

const moveKey = (id: string, { source, destination }: CrossChainOutputRow): string => id + toHex(source) + toHex(destination);
