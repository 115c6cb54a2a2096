import { createdOutputs, effectsOf } from '../../avm/tx/effects.ts';
import type { UtxoRef } from '../../avm/tx/input.ts';
import { parseTx, type Tx } from '../../avm/tx/tx.ts';
import { txLayout } from '../../avm/tx/tx-layout.ts';
import { refId, type Utxo } from '../../avm/tx/utxo.ts';
import { assetOf } from '../../avm/view.ts';
import { addressToBytes } from '../../base/bytes/address.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { type Id, idText, idToBytes } from '../../base/bytes/id.ts';
import { equal } from '../../base/bytes/octets.ts';
import { maxGenesisBytes } from '../../base/codec/pack.ts';
import { unlessFault } from '../../base/fault.ts';
import type { Database } from '../store/database.ts';
import { ownersOf } from './balance.ts';
import type { AddProblem, CheckContext } from './check-context.ts';
import { createEntryWriter, createHashSum, type HashSum } from './hash-sum.ts';
import { entriesOf, isFindable, type OutputIdRow } from './output-id-runs.ts';
import { addIdsOf, createRecentIds } from './output-ids.ts';
import { isPreLinearizationOutput, outputNumber, outputsPerTx } from './output-number.ts';
import { unspentSetOf } from './owner-rows.ts';
import type { Tables } from './schema.ts';
import { decodeWithoutChecksum, encodeStoredUtxo, hasValidChecksum, ownerRowBytes, type StoredUtxo } from './stored-utxo.ts';
import { decodeTxOutputs, encodeTxOutputs } from './tx-outputs.ts';
import { type FoundOutput, openUtxoTable } from './utxo-table.ts';

export type TxRow = {
  readonly seq: number;
  readonly id: Uint8Array;
  readonly height: number;
  readonly bytes: Uint8Array;
  readonly outputs: Uint8Array | null;
};
type OldRow = { readonly seq: number; readonly id: Uint8Array; readonly bytes: StoredUtxo };
type SpendRow = { readonly utxo: number; readonly tx: number };

/** What the transactions of a chain add up to. */
export type TxSums = {
  readonly txs: number;
  readonly unspent: number;
  /** A hash of the unspent outputs that does not depend on their order. */
  readonly hash: Uint8Array;
  /** The rows that table `owner` must have: how many, and their sum. */
  readonly owners: number;
  readonly ownerSum: HashSum;
  /** Whether the outputs that transactions consume are those that are marked as spent by them. */
  readonly spendsMatch: boolean;
};

/** A sum of the rows of unspent outputs in table `owner`: made once of the transactions (here), once of the rows (check-accounts.ts), and compared. */
export function createOwnerSum() {
  const sum = createHashSum();
  const entry = createEntryWriter();
  const add = (address: Uint8Array, shelf: number, seq: number, height: number, copy: Uint8Array | null): void =>
    sum.add(entry([shelf, seq, height, copy === null ? 0 : 1], address, copy ?? noBytes));
  return { sum, add };
}

/**
 * Checks each transaction once, in their order: its hash, the asset it creates, the outputs it consumes and creates. A consumed output is
 * not looked up: the sum of all consumed outputs, as their consumers describe them, must be that of all outputs that are marked as spent.
 */
export function createTxCheck(db: Database, t: Tables, { addProblem, readRows }: CheckContext) {
  const spenders = createSpendReader(db, t, readRows);
  const checkAsset = createAssetCheck(db, t, addProblem);
  const checkIds = createIdCheck(db, t, { addProblem, readRows });
  const utxos = openUtxoTable(db, t, { caching: false, epoch: () => 0 });
  const blockTime = db.prepare<{ time: number }>(`SELECT time FROM ${t.block} WHERE height = ?`);
  const timeAt = (height: number): number => blockTime.get(height)?.time ?? 0;
  const lastTx = db.prepare<{ seq: number | null }>(`SELECT max(seq) AS seq FROM ${t.tx}`).get()?.seq ?? 0;
  /** Sums of the outputs that transactions consume, of those that table `spend` marks as spent, and of those that are left. */
  const [consumed, marked, unspentSum] = [createHashSum(), createHashSum(), createHashSum()];
  const owners = createOwnerSum();
  const entry = createEntryWriter();
  const counts = { txs: 0, assets: 0, spends: 0, unspent: 0, owners: 0 };

  const addCreated = (
    utxo: Utxo,
    bytes: StoredUtxo,
    at: { seq: number; height: number; time: number },
    spender: number | undefined,
  ): void => {
    if (spender !== undefined) {
      if (spender < 1 || spender > lastTx) addProblem(`output ${at.seq} is marked as spent by a transaction that does not exist`);
      marked.add(entry([spender, at.time], bytes));
      return;
    }
    counts.unspent++;
    unspentSum.add(bytes);
    for (const address of ownersOf(utxo)) {
      counts.owners++;
      owners.add(addressToBytes(address), unspentSetOf(utxo), at.seq, at.height, ownerRowBytes(bytes));
    }
  };

  const addConsumed = ({ seq, height, bytes, outputs }: TxRow, tx: Tx, spent: readonly UtxoRef[]): void => {
    counts.spends += spent.length;
    if (outputs !== null && outputs.length > 0) {
      const stored = tx.unsigned.kind === 'BaseTx' ? decodeTxOutputs(outputs, bytes, txLayout(bytes)) : undefined;
      if (stored === undefined) addProblem(describeWrongOutputs(seq));
      else for (const output of stored) consumed.add(entry([seq, output.time], output.bytes));
      return;
    }
    if (outputs !== null && !mayBeUnknown(tx, height)) addProblem(describeWrongOutputs(seq));
    for (const ref of spent) {
      const output = unlessFault(() => utxos.find(ref));
      if (output !== undefined) consumed.add(entry([seq, timeAt(output.height)], output.bytes));
    }
  };

  return {
    /** Checks the outputs in `old_utxo`, which are not read from transactions. Runs before the first transaction is checked. */
    checkOld: (): void => {
      const oldAfter = db.prepare<OldRow>(`SELECT seq, id, bytes FROM ${t.oldUtxo} WHERE seq > ? ORDER BY seq LIMIT ?`);
      const time = timeAt(0);
      for (const row of readRows<OldRow>((last, limit) => oldAfter.all(last?.seq ?? Number.MIN_SAFE_INTEGER, limit))) {
        const utxo = unlessFault(() => decodeWithoutChecksum(row.bytes));
        if (utxo?.id !== toHex(row.id)) addProblem(`output ${row.seq} does not match its id`);
        if (utxo && !hasValidChecksum(row.bytes)) addProblem(`output ${row.seq} has a wrong checksum`);
        if (!isPreLinearizationOutput(row.seq)) addProblem(`output ${row.seq} has the number of another one`);
        if (utxo) addCreated(utxo, row.bytes, { seq: row.seq, height: 0, time }, spenders.between(row.seq, row.seq + 1).get(row.seq));
      }
    },
    /** Checks the next transaction; `time` is that of its block. Returns it unless it cannot be read. */
    check: (row: TxRow, time: number): Tx | undefined => {
      counts.txs++;
      if (row.seq !== counts.txs) addProblem(`transaction ${row.seq} has the wrong number, expected ${counts.txs}`);
      const tx = unlessFault(() => parseTx(row.bytes, maxGenesisBytes));
      if (tx?.id !== toHex(row.id)) addProblem(`transaction ${row.seq} does not hash to its id`);
      if (tx === undefined) return undefined;
      const effects = effectsOf(tx);
      const created = row.outputs?.length === 0 ? [] : effects.created;
      const marks = spenders.between(outputNumber(row.seq, 0), outputNumber(row.seq + 1, 0));
      for (const seq of marks.keys())
        if (seq % outputsPerTx >= created.length) addProblem(`output ${seq} is marked as spent and does not exist`);
      const numbered = created.map((utxo) => ({ utxo, seq: outputNumber(row.seq, utxo.outputIndex) }));
      for (const { utxo, seq } of numbered) addCreated(utxo, encodeStoredUtxo(utxo), { seq, height: row.height, time }, marks.get(seq));
      checkIds.add(numbered, row.seq);
      addConsumed(row, tx, effects.spent);
      if (checkAsset(tx)) counts.assets++;
      return tx;
    },
    /** Compares the sums, after the last transaction. */
    finish: (): TxSums => {
      const spends = spenders.count();
      if (spends !== counts.spends) addProblem(`${spends} outputs are marked as spent, transactions spend ${counts.spends}`);
      const stored = db.prepare<{ n: number }>(`SELECT count(*) AS n FROM ${t.asset}`).get()?.n;
      // There may be more: assets from before linearization.
      if (stored === undefined || stored < counts.assets) addProblem(`there are ${stored} assets, transactions created ${counts.assets}`);
      checkIds.finish();
      return {
        txs: counts.txs,
        unspent: counts.unspent,
        hash: unspentSum.bytes(),
        owners: counts.owners,
        ownerSum: owners.sum,
        spendsMatch: consumed.equals(marked),
      };
    },
  };
}

const describeWrongOutputs = (tx: number): string => `what is stored about the outputs of transaction ${tx} differs from its outputs`;

/** Whether a transaction may be stored as one whose outputs are unknown: one of the genesis, or a CreateAssetTx that creates none. */
const mayBeUnknown = (tx: Tx, height: number): boolean =>
  height === 0 || (tx.unsigned.kind === 'CreateAssetTx' && createdOutputs(tx).length === 0);

const noBytes = new Uint8Array(0);

/** Reads the marks of spent outputs in the order of their numbers, beside the transactions that created them. */
function createSpendReader(db: Database, t: Tables, readRows: CheckContext['readRows']) {
  const after = db.prepare<SpendRow>(`SELECT utxo, tx FROM ${t.spend} WHERE utxo > ? ORDER BY utxo LIMIT ?`);
  const rows = readRows<SpendRow>((last, limit) => after.all(last?.utxo ?? Number.MIN_SAFE_INTEGER, limit));
  let next = rows.next();
  let count = 0;
  const advance = (): void => {
    count++;
    next = rows.next();
  };
  return {
    /** The transactions that spent the outputs from one number to another, by the number of the output. */
    between: (from: number, to: number): ReadonlyMap<number, number> => {
      const found = new Map<number, number>();
      for (; next.done !== true && next.value.utxo < to; advance()) if (next.value.utxo >= from) found.set(next.value.utxo, next.value.tx);
      return found;
    },
    count: (): number => {
      while (next.done !== true) advance();
      return count;
    },
  };
}

/** Compares the rows by which outputs are found by ID with the outputs of the transactions, in any order, since runs are merged. */
function createIdCheck(db: Database, t: Tables, { addProblem, readRows }: CheckContext) {
  const rowsAfter = db.prepare<OutputIdRow>(`SELECT number, last_tx, ids FROM ${t.outputId} WHERE number > ? ORDER BY number LIMIT ?`);
  const recent = createRecentIds();
  const [expected, stored] = [createHashSum(), createHashSum()];
  const addTo = (sum: HashSum, row: OutputIdRow): void => {
    for (const entry of entriesOf(row)) sum.add(entry);
  };
  return {
    add: (created: readonly { readonly utxo: Utxo; readonly seq: number }[], tx: number): void => {
      for (const row of addIdsOf(recent, created, tx)) addTo(expected, row);
    },
    finish: (): void => {
      for (const row of readRows<OutputIdRow>((last, limit) => rowsAfter.all(last?.number ?? -1, limit))) {
        if (!isFindable(row, recent.run())) addProblem(`row ${row.number} of the IDs of outputs is not where look-ups read it`);
        addTo(stored, row);
      }
      if (!stored.equals(expected)) addProblem('the IDs of outputs differ from the outputs of the transactions');
    },
  };
}

/** Creates a function that returns whether a transaction creates an asset, and compares the asset's row if it does. */
function createAssetCheck(db: Database, t: Tables, addProblem: AddProblem): (tx: Tx) => boolean {
  const assetById = db.prepare<{ fxs: string; name: Uint8Array; symbol: Uint8Array; denomination: number }>(
    `SELECT * FROM ${t.asset} WHERE id = ?`,
  );
  return (tx) => {
    const asset = assetOf(tx);
    if (asset === 'not-an-asset' || tx.unsigned.kind !== 'CreateAssetTx') return false;
    const row = assetById.get(idToBytes(tx.id));
    const { name, symbol, denomination } = tx.unsigned;
    const same =
      row?.fxs === asset.fxs.join(' ') && equal(row.name, name) && equal(row.symbol, symbol) && row.denomination === denomination;
    if (!same) addProblem(`asset ${tx.id} differs from what its transaction created`);
    return true;
  };
}

/**
 * Looks up every output that a transaction consumes, to name those that are not marked as spent by it and transactions whose stored outputs
 * are wrong. Slow, so only if the sums of a check differ.
 */
export function findWrongSpends(db: Database, t: Tables, { addProblem, readRows }: CheckContext): void {
  const txsAfter = db.prepare<TxRow>(`SELECT * FROM ${t.tx} WHERE seq > ? ORDER BY seq LIMIT ?`);
  const utxos = openUtxoTable(db, t, { caching: false, epoch: () => 0 });
  const timeAt = db.prepare<{ time: number }>(`SELECT time FROM ${t.block} WHERE height = ?`);
  const spender = db.prepare<{ tx: number }>(`SELECT tx FROM ${t.spend} WHERE utxo = ?`);
  addProblem('the outputs that transactions consume are not those that are marked as spent by them');
  for (const row of readRows<TxRow>((last, limit) => txsAfter.all(last?.seq ?? 0, limit))) {
    const tx = unlessFault(() => parseTx(row.bytes, maxGenesisBytes));
    if (tx === undefined) continue;
    const found = new Map<Id, FoundOutput | undefined>();
    for (const ref of effectsOf(tx).spent) {
      const output = unlessFault(() => utxos.find(ref));
      found.set(refId(ref), output);
      if (output === undefined || spender.get(output.seq)?.tx !== row.seq)
        addProblem(`output ${idText(refId(ref))} is not marked as spent by transaction ${row.seq}`);
    }
    if (!hasStoredOutputs(row, tx, found, (height) => timeAt.get(height)?.time ?? 0)) addProblem(describeWrongOutputs(row.seq));
  }
}

/** Whether the column `outputs` of a transaction is right: it is made again of the outputs that the transaction consumes. A transaction may have none. */
function hasStoredOutputs(
  { outputs, height }: TxRow,
  tx: Tx,
  consumed: ReadonlyMap<Id, FoundOutput | undefined>,
  timeAt: (height: number) => number,
): boolean {
  if (outputs === null) return true;
  if (outputs.length === 0) return mayBeUnknown(tx, height);
  const expected = encodeTxOutputs(tx, (id) => {
    const row = consumed.get(id);
    const utxo = row && unlessFault(() => decodeWithoutChecksum(row.bytes));
    return utxo && { utxo, time: timeAt(row.height) };
  });
  return expected !== null && equal(expected, outputs);
}
