import { createHash } from 'node:crypto';
import { sha256Hex } from '../bytes/hash.ts';
import { type Id, idText, idToBytes } from '../bytes/id.ts';
import type { Store } from '../store/store.ts';
import { claimedNumber } from './chain-number.ts';
import { checkAccounts } from './check-accounts.ts';
import { checkHistory } from './check-history.ts';
import { checkMemory } from './check-memory.ts';
import { checkUtxos } from './check-utxos.ts';
import type { Complain } from './check-walk.ts';
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
 * It reads in one snapshot, piece by piece, so its memory does not grow with the chain.
 */
export function checkChain(store: Store, chainID: Id): CheckReport {
  const problems: string[] = [];
  const complain: Complain = (problem) => {
    if (problems.length < maxProblems) problems.push(problem);
  };
  return store.read(() => {
    const number = claimedNumber(store, chainID);
    const tables = tablesOf(number);
    const { last, txs } = checkHistory(store.db, tables, complain);
    if (last === undefined) complain(`chain ${idText(chainID)} has no block`);
    const ledger = createHash('sha256');
    if (last !== undefined) ledger.update(idToBytes(last.id));
    const { unspent, owners } = checkUtxos(store.db, tables, txs, (bytes) => ledger.update(bytes), complain);
    if (last !== undefined && last.unspent !== unspent)
      complain(`the last block counts ${last.unspent} unspent outputs, there are ${unspent}`);
    checkAccounts(store.db, tables, owners, complain);
    const ledgerHash = ledger.digest('hex') as Id;
    const memoryHash = checkMemory(store.db, number, complain);
    const hash = sha256Hex(Buffer.from(ledgerHash + memoryHash, 'hex')) as Id;
    return { problems, hash, ledgerHash, blocks: (last?.height ?? -1) + 1, txs, unspent };
  });
}
