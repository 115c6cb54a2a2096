import { createHash } from 'node:crypto';
import { sha256Hex } from '../../base/bytes/hash.ts';
import { type Id, idText, idToBytes } from '../../base/bytes/id.ts';
import type { Store } from '../store/store.ts';
import { getChainNumber } from './chain-number.ts';
import { checkAccounts } from './check-accounts.ts';
import { type AddProblem, createRowReader } from './check-context.ts';
import { checkHistory } from './check-history.ts';
import { checkSharedMemory } from './check-shared-memory.ts';
import { tablesOf } from './schema.ts';

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
    if (last === undefined) addProblem(`chain ${idText(chainID)} has no block`);
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
