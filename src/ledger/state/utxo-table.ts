import type { UtxoRef } from '../../avm/tx/input.ts';
import { addsOutputs } from '../../avm/tx/tx-layout.ts';
import { parseUtxoOf, refId, type Utxo } from '../../avm/tx/utxo.ts';
import { checksumLength } from '../../base/bytes/hash.ts';
import { type Id, idFromBytes, idOf, idText, idToBytes } from '../../base/bytes/id.ts';
import { type CacheVersion, createCache } from '../../base/cache/cache.ts';
import { bulkInsert } from '../store/bulk-insert.ts';
import type { Database, SqlValue } from '../store/database.ts';
import { sqliteRunner } from '../store/sqlite-runner.ts';
import { damagedRow, StateError } from './fault.ts';
import { addIdsOf, createOutputIdReads } from './output-ids.ts';
import { abovePreLinearization, indexOfOutput, isPreLinearizationOutput, outputNumber, txOfOutput } from './output-number.ts';
import type { Tables } from './schema.ts';
import { openCreatedUtxos } from './stored-tx.ts';
import { decodeWithoutChecksum, hasValidChecksum, type StoredUtxo, storedID } from './stored-utxo.ts';
import { outputsAreKnown } from './tx-outputs.ts';
import type { UtxoPosition } from './utxo-page.ts';

/** An output with its number and the height of the block that created it; see output-number.ts. */
export type NumberedUtxo = { readonly utxo: Utxo; readonly seq: number; readonly height: number; readonly bytes: StoredUtxo };

/** Reads of the outputs of a chain, spent and unspent: those of its transactions, and those from before linearization. */
type UtxoReads = {
  readonly unspent: (ref: UtxoRef) => Utxo | undefined;
  /** An output, spent or unspent. */
  readonly find: (ref: UtxoRef) => FoundOutput | undefined;
  /** The same, decoded. */
  readonly stored: (ref: UtxoRef) => Utxo | undefined;
  readonly findPosition: (ref: UtxoRef) => UtxoPosition | undefined;
  /** The same by UTXO ID: slower, unless its number was noted. */
  readonly findPositionById: (id: Id) => UtxoPosition | undefined;
  /** Keeps the number of an output that `findPositionById` is expected to be asked for. */
  readonly notePosition: (id: Id, seq: number) => void;
  /** The transaction that spent an output. */
  readonly consumer: (ref: UtxoRef) => Id | undefined;
  /** An output by its number. */
  readonly findBySeq: (seq: number) => FoundOutput | undefined;
};

/** All outputs of a chain, and how blocks change them. */
type UtxoTable = UtxoReads & {
  /** The lowest number of an output from before linearization; `abovePreLinearization` if there is none. */
  readonly oldestSeq: () => number;
  /** The row of an unspent output that a block consumes; throws if there is none. */
  readonly unspentRow: (utxo: Utxo) => NumberedUtxo;
  /** Stores the IDs of outputs of the transactions from `firstTx` to `lastTx`, before these. `created`: in the order of their numbers. */
  readonly addIds: (created: readonly NumberedUtxo[], firstTx: number, lastTx: number) => void;
  /** Inserts outputs from before linearization. */
  readonly insertPreLinearization: (utxos: readonly NumberedUtxo[]) => void;
  readonly spend: (utxos: readonly (NumberedUtxo & { spent: number | null })[]) => void;
  /** Updates the cache after a commit. */
  readonly updateCache: (created: readonly NumberedUtxo[], consumed: readonly NumberedUtxo[]) => void;
  /** Clears the cache after a failed commit, because it may contain rows of the rolled back transaction. */
  readonly clearCache: () => void;
};

/**
 * Bytes of a cached output. Most outputs are spent soon after they are created and are read several times until then, so a small cache is enough.
 */
export const unspentEntrySize = (bytes: StoredUtxo): number => 900 + bytes.length;

/** Bytes of a noted number: an ID of 64 characters and its place in a map. */
const notedSize = 180;

/** An output as it is stored. */
export type FoundOutput = { readonly seq: number; readonly height: number; readonly bytes: StoredUtxo };

/**
 * Opens the outputs of a chain. `caching`: only in the writer process, since no other knows that a cached output is still unspent. `epoch`:
 * number of reverts so far. `damaged`: makes the error for a row that does not match its ID.
 */
export function openUtxoTable(
  db: Database,
  t: Tables,
  {
    caching,
    epoch,
    damaged = damagedRow,
  }: { readonly caching: boolean; readonly epoch: () => number; readonly damaged?: (row: string) => StateError },
): UtxoTable {
  const txIdBySeq = db.prepare<{ id: Uint8Array }>(`SELECT id FROM ${t.tx} WHERE seq = ?`);
  const spender = db.prepare<{ tx: number }>(`SELECT tx FROM ${t.spend} WHERE utxo = ?`);
  const insertSpends = bulkInsert(db, `INSERT INTO ${t.spend}`, 2);
  const insertIds = bulkInsert(db, `INSERT INTO ${t.outputId}`, 3);
  const ids = createOutputIdReads(t, epoch);
  const run = sqliteRunner(db);
  let clears = 0;
  const cache = createCache<Id, NumberedUtxo>('unspentOutputs', {
    size: (_, { bytes }) => unspentEntrySize(bytes),
    version: () => clears,
  });
  const old = openOldUtxos(db, t, damaged);
  const version = (): number => epoch() + clears * 2 ** 32;
  const noted = createCache<Id, number>('pageEnds', { size: notedSize, version });
  const txs = openVerifiedTxs(db, t, version, damaged);
  /** An output, spent or not. */
  const findStored = (ref: UtxoRef): FoundOutput | undefined => {
    const tx = txs.byId(ref.txID);
    return tx === undefined ? old.find(ref) : outputOf(tx, ref.outputIndex);
  };
  const isSpent = (seq: number): boolean => spender.get(seq) !== undefined;
  const findUnspent = (ref: UtxoRef): NumberedUtxo | undefined => {
    const id = refId(ref);
    const cached = cache.get(id);
    if (cached !== undefined) return cached;
    const tx = txs.byId(ref.txID);
    const row = tx === undefined ? old.find(ref) : outputOf(tx, ref.outputIndex);
    if (row === undefined || (caching && tx !== undefined ? txs.spentOutputsOf(tx).has(row.seq) : isSpent(row.seq))) return undefined;
    const { seq, height, bytes } = row;
    const found = { utxo: parseUtxoOf(id, bytes.subarray(0, bytes.length - checksumLength)), seq, height, bytes };
    if (caching) cache.set(id, found);
    return found;
  };
  const findBySeq = (seq: number): FoundOutput | undefined => {
    if (isPreLinearizationOutput(seq)) return old.findBySeq(seq);
    const tx = txs.bySeq(txOfOutput(seq));
    return tx && outputOf(tx, indexOfOutput(seq));
  };
  const positionOf = (found: Pick<FoundOutput, 'seq' | 'bytes'> | undefined): UtxoPosition | undefined =>
    found && { seq: found.seq, bytes: found.bytes, isSpent: isSpent(found.seq) };

  return {
    unspent: (ref) => findUnspent(ref)?.utxo,
    find: findStored,
    stored: (ref) => decodeFound(findStored(ref)),
    findPosition: (ref) => positionOf(findStored(ref)),
    findPositionById: (id) => {
      const known = noted.get(id);
      const found = known === undefined ? undefined : findBySeq(known);
      // Another process may have reverted the chain while the number was noted.
      if (found !== undefined && storedID(found.bytes) === id) return positionOf(found);
      const oldRow = old.rowById(id);
      if (oldRow !== undefined) return positionOf(oldRow);
      const [seq] = run(ids.find([idToBytes(id)]));
      return seq === undefined ? undefined : positionOf(findBySeq(seq));
    },
    notePosition: noted.set,
    consumer: (ref) => {
      const row = findStored(ref);
      const spent = row && spender.get(row.seq);
      const tx = spent && txIdBySeq.get(spent.tx);
      return tx && idFromBytes(tx.id);
    },
    findBySeq,
    oldestSeq: old.oldestSeq,
    unspentRow: (utxo) => findUnspent(utxo) ?? throwMissing(utxo),
    addIds: (created, firstTx, lastTx) => {
      const recent = run(ids.recentUpTo(firstTx - 1));
      const runs = recent.run();
      const rows = addIdsOf(recent, created, lastTx);
      if (rows.length === 0) return;
      insertIds(rows.flatMap(({ number, last_tx, ids }) => [number, last_tx, ids]));
      run(ids.merge(runs, recent.run()));
    },
    insertPreLinearization: old.insert,
    spend: (utxos) => insertSpends(spendRows(utxos)),
    updateCache: (created, consumed) => {
      for (const { utxo, seq } of consumed) {
        cache.delete(utxo.id);
        txs.addSpent(utxo.txID, seq);
      }
      if (caching) for (const row of created) cache.set(row.utxo.id, row);
    },
    clearCache: () => {
      clears++;
      ids.forgetRecent();
    },
  };
}

const decodeFound = (found: FoundOutput | undefined): Utxo | undefined => found && decodeWithoutChecksum(found.bytes);

function throwMissing({ id }: Utxo): never {
  const utxoID = idText(id);
  throw new StateError(`the block consumes output ${utxoID}, which does not exist or is spent`, { code: 'STATE_MISSING_UTXO', utxoID });
}

/** Outputs from before linearization, which have rows of their own. */
function openOldUtxos(db: Database, t: Tables, damaged: (row: string) => StateError) {
  const byId = db.prepare<{ seq: number; bytes: StoredUtxo }>(`SELECT seq, bytes FROM ${t.oldUtxo} WHERE id = ?`);
  const bySeq = db.prepare<{ bytes: StoredUtxo }>(`SELECT bytes FROM ${t.oldUtxo} WHERE seq = ?`);
  const oldest = db.prepare<{ seq: number | null }>(`SELECT min(seq) AS seq FROM ${t.oldUtxo}`);
  const insertRows = bulkInsert(db, `INSERT INTO ${t.oldUtxo}`, 3);
  const rowById = (id: Id) => byId.get(idToBytes(id));
  return {
    rowById,
    find: (ref: UtxoRef): FoundOutput | undefined => {
      const id = refId(ref);
      const row = rowById(id);
      if (row === undefined) return undefined;
      if (!hasValidChecksum(row.bytes) || decodeWithoutChecksum(row.bytes).id !== id) throw damaged(`output ${idText(id)}`);
      return { ...row, height: 0 };
    },
    findBySeq: (seq: number): FoundOutput | undefined => {
      const row = bySeq.get(seq);
      return row && { seq, height: 0, bytes: row.bytes };
    },
    oldestSeq: () => Math.min(oldest.get()?.seq ?? 0, abovePreLinearization),
    insert: (utxos: readonly NumberedUtxo[]): void => insertRows(oldUtxoRows(utxos)),
  };
}

/** Rows of outputs from before linearization, as a flat list of values. */
export const oldUtxoRows = (utxos: readonly NumberedUtxo[]): SqlValue[] =>
  utxos.flatMap(({ utxo, seq, bytes }) => [seq, idToBytes(utxo.id), bytes]);

/** Rows of spent outputs; `spent` is the number of the consuming transaction, if any. */
export function spendRows(utxos: readonly (NumberedUtxo & { readonly spent: number | null })[]): SqlValue[] {
  const rows: SqlValue[] = [];
  for (const { seq, spent } of utxos) if (spent !== null) rows.push(seq, spent);
  return rows;
}

function outputOf({ seq, height, outputAt }: VerifiedTx, index: number): FoundOutput | undefined {
  const bytes = outputAt(index);
  return bytes && { seq: outputNumber(seq, index), height, bytes };
}

/**
 * A transaction whose bytes hash to its ID. `hasKnownOutputs`: it was read as one whose outputs are known; see `unknownOutputs`.
 * `outputAt` reads one of its outputs. `spent`: numbers of its spent outputs, once read; only in the writer process.
 */
type VerifiedTx = {
  readonly id: Id;
  readonly seq: number;
  readonly height: number;
  readonly bytes: Uint8Array;
  readonly hasKnownOutputs: boolean;
  readonly outputAt: ReturnType<typeof openCreatedUtxos>;
  spent: Set<number> | undefined;
};

/**
 * Bytes of a cached transaction: twice its encoding, some hundred, and numbers of its spent outputs, of which each has some 80 bytes. Where
 * the outputs of operations are takes up to one and a half times their bytes.
 */
const txEntrySize = (bytes: Uint8Array): number => 600 + (addsOutputs(bytes) ? 4 : 2) * bytes.length;

/**
 * Transactions that created outputs, verified once and cached. A large transaction may have hundreds of outputs, which are spent one by one;
 * hashing it for each would take longer than all the rest. `version` changes whenever cached transactions may be wrong.
 */
export function openVerifiedTxs(db: Database, t: Tables, version: () => number, damaged: (row: string) => StateError) {
  const rowById = db.prepare<{ seq: number; height: number; bytes: Uint8Array }>(
    `SELECT x.seq, x.height, x.bytes FROM ${t.tx} x WHERE x.id = ? AND ${outputsAreKnown}`,
  );
  const rowBySeq = db.prepare<{ id: Uint8Array; height: number; bytes: Uint8Array }>(`SELECT id, height, bytes FROM ${t.tx} WHERE seq = ?`);
  const spentFrom = db.prepare<{ utxo: number }>(`SELECT utxo FROM ${t.spend} WHERE utxo >= ? AND utxo < ?`);
  const cache = createCache<Id, VerifiedTx>('outputTxs', { size: (_, { bytes }) => txEntrySize(bytes), version });
  /** `madeAt`: the version before the row was read. In a reader process, a revert may be committed between the read and `set`. */
  const verify = (read: Omit<VerifiedTx, 'outputAt' | 'spent'>, madeAt: CacheVersion): VerifiedTx => {
    const { id, seq, height, bytes, hasKnownOutputs } = read;
    const known = cache.get(id);
    if (known !== undefined && (known.hasKnownOutputs || !hasKnownOutputs)) return known;
    if (known === undefined && idOf(bytes) !== id) throw damaged(`transaction ${idText(id)}`);
    const outputAt = known?.outputAt ?? openCreatedUtxos({ id: idToBytes(id), bytes });
    const tx = { id, seq, height, bytes, hasKnownOutputs, outputAt, spent: known?.spent };
    cache.set(id, tx, madeAt);
    return tx;
  };
  return {
    /** A transaction whose outputs are known. */
    byId: (id: Id): VerifiedTx | undefined => {
      const known = cache.get(id);
      if (known?.hasKnownOutputs) return known;
      const madeAt = cache.version();
      const row = rowById.get(idToBytes(id));
      return row && verify({ ...row, id, hasKnownOutputs: true }, madeAt);
    },
    bySeq: (seq: number): VerifiedTx | undefined => {
      const madeAt = cache.version();
      const row = rowBySeq.get(seq);
      return row && verify({ seq, height: row.height, bytes: row.bytes, id: idFromBytes(row.id), hasKnownOutputs: false }, madeAt);
    },
    /** Numbers of the spent outputs of a transaction. They are often spent soon after each other, so all are read at once. */
    spentOutputsOf: (tx: VerifiedTx): ReadonlySet<number> => {
      tx.spent ??= new Set(spentFrom.all(outputNumber(tx.seq, 0), outputNumber(tx.seq + 1, 0)).map(({ utxo }) => utxo));
      return tx.spent;
    },
    /** Marks an output as spent if it is cached which outputs of its transaction are. */
    addSpent: (txID: Id, seq: number): void => {
      cache.get(txID)?.spent?.add(seq);
    },
  };
}
