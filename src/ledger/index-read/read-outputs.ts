import type { Utxo } from '../../avm/tx/utxo.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { type Id, idToBytes } from '../../base/bytes/id.ts';
import { compare } from '../../base/bytes/octets.ts';
import { txIdTable } from '../index/distribution.ts';
import { arrayText } from '../index/key-array.ts';
import { keyLookup } from '../index/key-lookup.ts';
import type { Sql } from '../index/sql.ts';
import { isMovedOutput, outputsPerTx } from '../state/output-number.ts';
import type { Tables } from '../state/schema.ts';
import { openStoredTx, type StoredTx } from '../state/stored-tx.ts';
import { decodeStoredUtxo, type StoredUtxo } from '../state/stored-utxo.ts';
import { fetchRows, type Queries, type Query, runTogether } from '../store/queries.ts';
import type { ImportedElsewhere, OutputEntry, PinnedBlock } from './index-reads.ts';
import { type ChainOutputReads, type ChainOutputRow, createChainOutputReads } from './read-chain-outputs.ts';

/** A stored output that was exported to another chain or imported from one. */
export type CrossChainOutputRow = {
  /** Negative, as in `OutputEntry`. */
  readonly seq: number;
  readonly source: Uint8Array;
  readonly destination: Uint8Array;
  readonly bytes: StoredUtxo;
  readonly seen: number;
  readonly put_height: number | null;
  readonly taken_by: Uint8Array | null;
  readonly taken_height: number | null;
  readonly taken_time: number | null;
  /** `seq` of the transaction of this chain that imported it. */
  readonly taken_tx: number | null;
};

export type OutputReads = ChainOutputReads & {
  /** `seq` as in `OutputEntry`: negative for outputs that moved between chains. */
  readonly bySeq: (seq: number) => Queries<ChainOutputRow | CrossChainOutputRow | undefined>;
  readonly movedById: (ids: readonly Uint8Array[]) => Queries<readonly (CrossChainOutputRow & { readonly id: Uint8Array })[]>;
  /** Adds to rows of `owner` which transactions consumed the outputs, where Citus has not told; see `unknownSpender`. */
  readonly addSpenders: <Row extends { readonly seq: number }>(rows: readonly Row[]) => Queries<readonly Row[]>;
  /** Adds what rows of `owner` and of `moved_owner` lack: bytes, and on Citus the transactions that consumed the outputs. */
  readonly completeRows: <Row extends { readonly seq: number; readonly bytes: StoredUtxo | null }>(
    rows: readonly Row[],
  ) => Queries<(Row & { readonly bytes: StoredUtxo })[]>;
  readonly spenders: ReturnType<typeof createSpenderReads>;
  /** Outputs known to be imported by other chains after a time, oldest first. */
  readonly importedElsewhereAfter: (time: number, seq: number, limit: number) => Query;
  /** True if the output existed and was unspent as of the pinned block. */
  readonly isUnspent: (row: Omit<ChainOutputRow, 'bytes'> | CrossChainOutputRow, pin: PinnedBlock) => boolean;
  /** Undefined if the output did not exist yet. */
  readonly toPinnedOutput: (row: ChainOutputRow | CrossChainOutputRow, pin: PinnedBlock) => StoredPinnedOutput | undefined;
  /** `ahead`: transactions that consumed some of the outputs, if they were read already. */
  readonly toEntries: (found: readonly StoredPinnedOutput[], ahead?: readonly SpenderRow[]) => Queries<OutputEntry[]>;
  readonly spentOutputs: (seqs: readonly number[], pin: PinnedBlock) => Queries<ReadonlySet<number>>;
};

/** Properties of an output that are not in its bytes. */
type OutputContext<S> = { readonly time: number; readonly createdOn: Id; readonly consumedOn: Id; readonly spent: S };

/** An output of a row. Its bytes are verified and decoded on first use: most outputs of a page are already rendered in a cache. */
export class StoredOutput<S> {
  readonly seq: number;
  readonly stored: StoredUtxo;
  readonly time: number;
  readonly createdOn: Id;
  readonly consumedOn: Id;
  readonly spent: S;
  private decoded: Utxo | undefined;

  constructor(seq: number, stored: StoredUtxo, { time, createdOn, consumedOn, spent }: OutputContext<S>) {
    this.seq = seq;
    this.stored = stored;
    this.time = time;
    this.createdOn = createdOn;
    this.consumedOn = consumedOn;
    this.spent = spent;
  }

  get utxo(): Utxo {
    this.decoded ??= decodeStoredUtxo(this.stored);
    return this.decoded;
  }
}

/** An output as of a pinned block. It was consumed by a transaction of this chain, given by its `seq`, or by an import on another chain. */
export type StoredPinnedOutput = StoredOutput<{ readonly tx: number } | ImportedElsewhere | undefined>;

export type SpenderRow = Omit<StoredTx, 'layout'>;

const movedColumns = 'm.source, m.destination, m.bytes, m.seen, m.put_height, m.taken_by, m.taken_height, m.taken_time';

/**
 * SQL for the columns of a cross-chain output and the tables to join. On Citus the table that has the number of the importing transaction is divided by
 * another key: `completeRows` adds the number.
 */
export const crossChainSql = (dialect: Sql['dialect'], t: Tables): readonly [columns: string, joins: string] =>
  dialect === 'citus'
    ? [`${movedColumns}, NULL AS taken_tx`, '']
    : [`${movedColumns}, x.seq AS taken_tx`, `LEFT JOIN ${t.tx} x ON x.id = m.taken_by`];

/** In place of the number of the transaction that consumed an output: it is spent, and `addSpenders` looks up by which one. */
export const unknownSpender = 0;

export function createOutputReads(t: Tables, chainID: Id, { dialect, epoch }: Pick<Sql, 'dialect' | 'epoch'>): OutputReads {
  const chainOutputs = createChainOutputReads(dialect, t, epoch);
  const [movedSql, movedJoins] = crossChainSql(dialect, t);
  const crossChainOutputs = `SELECT -m.seq AS seq, m.id, ${movedSql} FROM moved m ${movedJoins}`;
  const seqsById = keyLookup(dialect, (isKey) => `SELECT id, seq FROM ${txIdTable(dialect, t)} WHERE id ${isKey}`);
  const ownChain = idToBytes(chainID);
  const spenders = createSpenderReads(t, dialect);
  const movedById = keyLookup(dialect, (isKey) => `${crossChainOutputs} WHERE m.id ${isKey}`);

  const created = ({ seq, height, time, bytes, spent }: ChainOutputRow, pin: PinnedBlock): StoredPinnedOutput | undefined =>
    height > pin.height
      ? undefined
      : new StoredOutput(seq, bytes, { time, createdOn: chainID, consumedOn: chainID, spent: spentAsOf(spent, pin) });

  const exported = (row: CrossChainOutputRow, pin: PinnedBlock): StoredPinnedOutput | undefined =>
    !isExported(row, pin)
      ? undefined
      : new StoredOutput(row.seq, row.bytes, {
          time: row.seen,
          createdOn: toHex(row.source) as Id,
          consumedOn: toHex(row.destination) as Id,
          spent: importedElsewhereAsOf(row, pin),
        });

  /** True for an output of another chain that an import on this chain spent. */
  const isImported = ({ destination }: CrossChainOutputRow): boolean => compare(destination, ownChain) === 0;
  const imported = (
    { seq, bytes, seen, source, taken_height, taken_tx }: CrossChainOutputRow,
    pin: PinnedBlock,
  ): StoredPinnedOutput | undefined =>
    taken_tx === null || taken_height === null || taken_height > pin.height
      ? undefined
      : new StoredOutput(seq, bytes, { time: seen, createdOn: toHex(source) as Id, consumedOn: chainID, spent: { tx: taken_tx } });

  /** Adds the numbers of the transactions of this chain that imported outputs, where the rows lack them. */
  function* addImporters<Row extends object>(rows: readonly Row[]): Queries<readonly Row[]> {
    const importerOf = (row: Row): Uint8Array | null => {
      const { taken_by = null, taken_tx, destination } = row as Partial<CrossChainOutputRow>;
      return taken_tx === null && destination !== undefined && compare(destination, ownChain) === 0 ? taken_by : null;
    };
    const ids = rows.flatMap((row) => importerOf(row) ?? []);
    if (ids.length === 0) return rows;
    const found = yield* fetchRows<{ id: Uint8Array; seq: number }>(seqsById(ids));
    const seqs = new Map(found.map(({ id, seq }) => [toHex(id), seq]));
    return rows.map((row) => {
      const importer = importerOf(row);
      return importer === null ? row : { ...row, taken_tx: seqs.get(toHex(importer)) ?? null };
    });
  }

  /** Adds the numbers of the transactions that consumed outputs, where the rows lack them. One that is not visible yet is later than any pinned block. */
  function* addSpenders<Row extends { readonly seq: number }>(rows: readonly Row[]): Queries<readonly Row[]> {
    const lacksSpender = (row: Row): boolean => 'spent' in row && row.spent === unknownSpender;
    const seqs = rows.filter(lacksSpender).map(({ seq }) => seq);
    if (seqs.length === 0) return rows;
    const spends = yield* fetchRows<{ utxo: number; tx: number }>(chainOutputs.spendsBySeq(seqs));
    const spentBy = new Map(spends.map(({ utxo, tx }) => [utxo, tx]));
    return rows.map((row) => (lacksSpender(row) ? { ...row, spent: spentBy.get(row.seq) ?? Number.MAX_SAFE_INTEGER } : row));
  }

  return {
    ...chainOutputs,
    addSpenders,
    completeRows: function* (rows) {
      const [withSpenders, importers] = yield* runTogether(addSpenders(rows), addImporters(rows));
      const merged =
        withSpenders === rows
          ? importers
          : importers === rows
            ? withSpenders
            : withSpenders.map((row, i) => ('source' in row ? (importers[i] as typeof row) : row));
      return yield* chainOutputs.addBytes(merged);
    },
    movedById: function* (ids) {
      return yield* addImporters(yield* fetchRows<CrossChainOutputRow & { readonly id: Uint8Array }>(movedById(ids)));
    },
    bySeq: function* (seq) {
      if (!isMovedOutput(seq)) return (yield* chainOutputs.bySeqs([seq]))[0];
      const rows = yield* fetchRows<CrossChainOutputRow>([{ text: `${crossChainOutputs} WHERE m.seq = ?`, values: [-seq] }]);
      return (yield* addImporters(rows))[0];
    },
    spenders,
    importedElsewhereAfter: (time, seq, limit) => ({
      text: `${crossChainOutputs} WHERE (m.taken_time, m.seq) > (?, ?) ORDER BY m.taken_time, m.seq LIMIT ? + 0`,
      values: [time, seq, limit],
    }),
    isUnspent: (row, pin) =>
      'source' in row
        ? !isImported(row) && isExported(row, pin) && importedElsewhereAsOf(row, pin) === undefined
        : row.height <= pin.height && spentAsOf(row.spent, pin) === undefined,
    toPinnedOutput: (row, pin) => ('source' in row ? (isImported(row) ? imported(row, pin) : exported(row, pin)) : created(row, pin)),
    toEntries: function* (pinned, ahead = []) {
      const txSeqs = new Set<number>();
      for (const { spent } of pinned) if (spent !== undefined && 'tx' in spent) txSeqs.add(spent.tx);
      for (const { seq } of ahead) txSeqs.delete(seq);
      const rows = yield* fetchRows<SpenderRow>(spenders.bySeq([...txSeqs]));
      const spends = new Map([...ahead, ...rows].map((row) => [row.seq, openStoredTx(row)]));
      return pinned.map((output) => withSpender(output, spends));
    },
    spentOutputs: function* (seqs, pin) {
      const rows = yield* fetchRows<{ utxo: number; tx: number }>(chainOutputs.spendsBySeq(seqs));
      return new Set(rows.filter(({ tx }) => tx <= pin.lastTx).map(({ utxo }) => utxo));
    },
  };
}

/** Queries for the transactions that consumed outputs. */
function createSpenderReads(t: Tables, dialect: Sql['dialect']) {
  /**
   * Outputs up to which `of` is the better way: on PostgreSQL a second round trip costs more than to read some transactions twice. On Citus `spend` and `tx`
   * are divided by different keys.
   */
  const maxJoined = { sqlite: 4, postgres: 1024, citus: 0 }[dialect];
  const columns = 'SELECT s.utxo, x.seq, x.id, x.bytes, b.time';
  const joins = `JOIN ${t.tx} x ON x.seq = s.tx JOIN ${t.block} b ON b.height = x.height`;
  const rangeOf = (first: string) => `s.utxo >= ${first} AND s.utxo < ${first} + ${outputsPerTx}`;
  const ofTxs = (txs: string) =>
    `${columns} FROM ${txs} JOIN ${t.spend} s ON ${rangeOf(`y.seq * ${outputsPerTx}`)} ${joins} LIMIT ${maxJoined + 1}`;
  const [ofListed, ofOne] = [ofTxs('unnest(CAST(? AS bigint[])) AS y(seq)'), ofTxs(`(SELECT ${seqOfId(t)} AS seq) y`)];
  const of = keyLookup(dialect, (isKey) => `${columns} FROM ${t.spend} s ${joins} WHERE s.utxo ${isKey}`);
  return {
    /** By their own `seq`: `seq`, `id`, `bytes` and `time`. */
    bySeq: keyLookup(
      dialect,
      (isKey) => `SELECT x.seq, x.id, x.bytes, b.time FROM ${t.tx} x JOIN ${t.block} b ON b.height = x.height WHERE x.seq ${isKey}`,
    ),
    /** By outputs, for a few of them: `utxo` and the transaction that consumed it, which is read again for each output. */
    of,
    maxJoined,
    /** The same for rows that are read beside the outputs: none where that takes longer than a read of their own. */
    ahead: (seqs: readonly number[]) => fetchRows<SpenderRow>(dialect === 'postgres' ? of(seqs) : []),
    /** The same for all outputs of transactions, on PostgreSQL only: `maxJoined` rows and one more at most. */
    ofTxs: (seqs: readonly number[]): Query[] => (seqs.length === 0 ? [] : [{ text: ofListed, values: [arrayText(seqs)] }]),
    ofTx: (id: Id): Query => ({ text: ofOne, values: [idToBytes(id)] }),
  };
}

/** `spends` are the transactions that consumed outputs, by `seq`. */
function withSpender(output: StoredPinnedOutput, spends: ReadonlyMap<number, StoredTx>): OutputEntry {
  const { seq, stored, time, createdOn, consumedOn, spent: by } = output;
  if (by === undefined) return output as StoredOutput<undefined>;
  return new StoredOutput(seq, stored, { time, createdOn, consumedOn, spent: 'tx' in by ? spends.get(by.tx) : by });
}

const spentAsOf = (tx: number | null, pin: PinnedBlock): { readonly tx: number } | undefined =>
  tx === null || tx > pin.lastTx ? undefined : { tx };

const isExported = ({ put_height }: CrossChainOutputRow, pin: PinnedBlock): boolean => (put_height ?? 0) <= pin.height;

/** Compares times: another chain's heights cannot be compared with the pinned height. */
export const importedElsewhereAsOf = ({ taken_by, taken_time }: CrossChainOutputRow, pin: PinnedBlock): ImportedElsewhere | undefined =>
  taken_time === null || taken_time > pin.time ? undefined : { id: taken_by ?? undefined, time: taken_time };

/** SQL for the number of the transaction with an ID. The order lets PostgreSQL search its partitions from the newest on, and stop at the first that has it. */
export const seqOfId = (t: Pick<Tables, 'tx'>): string => `(SELECT z.seq FROM ${t.tx} z WHERE z.id = ? ORDER BY z.seq DESC LIMIT 1)`;
