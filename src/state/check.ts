import { createHash } from 'node:crypto';
import { sha256Hex } from '../bytes/hash.ts';
import { type Id, idText, idToBytes } from '../bytes/id.ts';
import type { Store } from '../store/store.ts';
import { claimedNumber } from './chain-number.ts';
import { checkAccounts } from './check-accounts.ts';
import { checkHistory } from './check-history.ts';
import { checkMemory } from './check-memory.ts';
import { checkUtxos } from './check-utxos.ts';
import { type Complain, walkTelling } from './check-walk.ts';
import { tablesOf } from './schema.ts';

/** What walking every row of a chain found. */
export type CheckReport = {
  /** Empty if all is well; at most `maxProblems` are told. */
  readonly problems: readonly string[];
  /** A digest of the last block, all unspent outputs and the shared memory: equal for two nodes in the same state. */
  readonly hash: Id;
  /** The same without shared memory: equal to what replaying the blocks alone gives. */
  readonly ledgerHash: Id;
  readonly blocks: number;
  readonly txs: number;
  readonly unspent: number;
};

const maxProblems = 100;

/**
 * Holds everything that is stored twice against each other: blocks against their hashes, owners and balances against unspent outputs.
 * It reads in one snapshot, piece by piece, so its memory does not grow with the chain. `read` is told about every piece; `rowsToRead` says
 * how many rows there will be.
 */
export function checkChain(store: Store, chainID: Id, read: (rows: number) => void = () => {}): CheckReport {
  const problems: string[] = [];
  const complain: Complain = (problem) => {
    if (problems.length < maxProblems) problems.push(problem);
  };
  const checking = { complain, walk: walkTelling(read) };
  return store.read(() => {
    const number = claimedNumber(store, chainID);
    const tables = tablesOf(number);
    const { last, txs } = checkHistory(store.db, tables, checking);
    if (last === undefined) complain(`chain ${idText(chainID)} has no block`);
    const ledger = createHash('sha256');
    if (last !== undefined) ledger.update(idToBytes(last.id));
    const { unspent, owners } = checkUtxos(store.db, tables, txs, (bytes) => ledger.update(bytes), checking);
    if (last !== undefined && last.unspent !== unspent)
      complain(`the last block counts ${last.unspent} unspent outputs, there are ${unspent}`);
    checkAccounts(store.db, tables, owners, checking);
    const ledgerHash = ledger.digest('hex') as Id;
    const memoryHash = checkMemory(store.db, number, checking);
    const hash = sha256Hex(Buffer.from(ledgerHash + memoryHash, 'hex')) as Id;
    return { problems, hash, ledgerHash, blocks: (last?.height ?? -1) + 1, txs, unspent };
  });
}

/** About how many rows `checkChain` will read: unspent outputs are walked three times, in the order of seq, of id and of owner. */
export function rowsToRead({ db }: Store, number: number): number {
  const t = tablesOf(number);
  const count = (text: string): number => db.prepare<{ n: number | null }>(text).get()?.n ?? 0;
  const unspent = count(`SELECT unspent AS n FROM ${t.block} ORDER BY height DESC LIMIT 1`);
  const shared = count(`SELECT count(*) AS n FROM atomic WHERE ${number} IN (reader, peer)`);
  return (
    count(`SELECT count(*) AS n FROM ${t.block}`) +
    count(`SELECT max(seq) AS n FROM ${t.tx}`) +
    count(`SELECT max(seq) AS n FROM ${t.utxo}`) +
    2 * unspent +
    shared
  );
}
