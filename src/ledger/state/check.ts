import { createHash } from 'node:crypto';
import { sha256Hex } from '../../base/bytes/hash.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { type Id, idText, idToBytes } from '../../base/bytes/id.ts';
import type { Database } from '../store/database.ts';
import type { Store } from '../store/store.ts';
import { getChainNumber } from './chain-number.ts';
import { checkAccounts, sameBytes } from './check-accounts.ts';
import { type AddProblem, type CheckContext, createRowReader } from './check-context.ts';
import { checkHistory } from './check-history.ts';
import { tablesOf } from './schema.ts';
import { hasValidChecksum, ownerRowBytes, type StoredUtxo, storedID, storedOwners } from './stored-utxo.ts';

/** The result of checking every row of a chain. */
type CheckReport = {
  /** The problems found, at most `maxProblems`. */
  readonly problems: readonly string[];
  /** A hash of the last block, all unspent outputs and the shared memory: equal for two nodes in the same state. */
  readonly hash: Id;
  /** The hash without shared memory: equal to that of a chain rebuilt from the blocks alone. */
  readonly ledgerHash: Id;
  readonly blocks: number;
  readonly txs: number;
  readonly unspent: number;
};

const maxProblems = 100;

/**
 * Compares redundant data: blocks with their hashes, owners and balances with the unspent outputs.
 * It reads one snapshot in batches, so its memory use does not grow with the chain. `onBatch` is called with the number of rows of each
 * batch; `estimateRowsToRead` returns the expected total.
 */
export function checkChain(store: Store, chainID: Id, onBatch: (rows: number) => void = () => {}): CheckReport {
  const problems: string[] = [];
  const addProblem: AddProblem = (problem) => {
    if (problems.length < maxProblems) problems.push(problem);
  };
  const context = { addProblem, readRows: createRowReader(onBatch) };
  return store.read(() => {
    const number = getChainNumber(store, chainID);
    const tables = tablesOf(number);
    const { last, txs, unspent, hash: unspentHash, ...owners } = checkHistory(store.db, tables, context);
    // A new chain has tables before it has block 0.
    if (last === undefined && txs + unspent > 0) addProblem(`chain ${idText(chainID)} has no block`);
    const ledger = createHash('sha256');
    if (last !== undefined) ledger.update(idToBytes(last.id));
    ledger.update(unspentHash);
    if (last !== undefined && last.unspent !== unspent)
      addProblem(`the last block counts ${last.unspent} unspent outputs, there are ${unspent}`);
    checkAccounts(store.db, tables, owners, context);
    const ledgerHash = ledger.digest('hex') as Id;
    const memoryHash = checkSharedMemory(store.db, number, context);
    const hash = sha256Hex(Buffer.from(ledgerHash + memoryHash, 'hex')) as Id;
    return { problems, hash, ledgerHash, blocks: (last?.height ?? -1) + 1, txs, unspent };
  });
}

/** Estimates how many rows `checkChain` will read, without counting large tables: an unspent output has about one owner row and one balance. */
export function estimateRowsToRead({ db }: Store, number: number): number {
  const t = tablesOf(number);
  const count = (text: string): number => db.prepare<{ n: number | null }>(text).get()?.n ?? 0;
  const unspent = count(`SELECT unspent AS n FROM ${t.block} ORDER BY height DESC LIMIT 1`);
  const shared = count(`SELECT count(*) AS n FROM atomic WHERE ${number} IN (reader, peer)`);
  return (
    count(`SELECT count(*) AS n FROM ${t.block}`) +
    // Each transaction, and about one mark of a spent output.
    2 * count(`SELECT max(seq) AS n FROM ${t.tx}`) +
    count(`SELECT count(*) AS n FROM ${t.oldUtxo}`) +
    2 * unspent +
    shared
  );
}

type Pair = { readonly reader: number; readonly peer: number; readonly reader_id: Uint8Array; readonly peer_id: Uint8Array };

type AtomicRow = { readonly seq: number; readonly id: Uint8Array; readonly bytes: StoredUtxo | null; readonly removed: 0 | 1 };

/** Checks the memory that a chain shares with others, in both directions. Returns a hash of it, without the removed outputs. */
function checkSharedMemory(db: Database, chain: number, { addProblem, readRows }: CheckContext): Id {
  const pairs = db.prepare<Pair>(
    `SELECT a.reader, a.peer, r.id AS reader_id, p.id AS peer_id
     FROM (SELECT DISTINCT reader, peer FROM atomic WHERE reader = ? OR peer = ?) a
     JOIN chain r ON r.number = a.reader JOIN chain p ON p.number = a.peer ORDER BY r.id, p.id`,
  );
  // Ordered as the table's index on (reader, id, peer), so that each batch starts where the last one ended without sorting.
  const rowsAfter = db.prepare<AtomicRow>(
    `SELECT seq, id, bytes, removed FROM atomic WHERE reader = ? AND peer = ? AND id > ? ORDER BY id LIMIT ?`,
  );
  const ownerRow = db.prepare<{ copy: StoredUtxo | null }>(
    `SELECT bytes AS copy FROM atomic_owner WHERE reader = ? AND peer = ? AND address = ? AND seq = ?`,
  );
  const totalOwnerRows = db.prepare<{ n: number }>(`SELECT count(*) AS n FROM atomic_owner WHERE reader = ? AND peer = ?`);
  const digest = createHash('sha256');
  const noBytes = new Uint8Array(0);
  for (const { reader, peer, reader_id, peer_id } of pairs.all(chain, chain)) {
    let owners = 0;
    for (const row of readRows<AtomicRow>((last, limit) => rowsAfter.all(reader, peer, last?.id ?? noBytes, limit))) {
      if (row.bytes !== null && storedID(row.bytes) !== toHex(row.id)) addProblem(`shared output ${row.seq} does not match its id`);
      const isIntact = row.bytes === null || hasValidChecksum(row.bytes);
      if (!isIntact) addProblem(`shared output ${row.seq} has a wrong checksum`);
      // The number of owners in damaged bytes may be any.
      const unspent = isIntact && row.removed === 0 ? row.bytes : null;
      const copy = unspent && ownerRowBytes(unspent);
      const expected = unspent === null ? [] : [...new Set(storedOwners(unspent))];
      owners += expected.length;
      const found = expected.map((owner) => ownerRow.get(reader, peer, Buffer.from(owner, 'hex'), row.seq));
      if (found.some((one) => one === undefined || !sameBytes(one.copy, copy)))
        addProblem(`shared output ${row.seq} does not have the owner rows it should have`);
      if (row.bytes !== null && row.removed === 1) continue;
      for (const part of [reader_id, peer_id, row.id, row.bytes ?? noBytes]) digest.update(part);
    }
    const found = totalOwnerRows.get(reader, peer)?.n;
    if (found !== owners) addProblem(`there are ${found} owners of shared outputs, there should be ${owners}`);
  }
  return digest.digest('hex') as Id;
}
