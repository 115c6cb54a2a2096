import { afterEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { effectsOf } from '../src/avm/tx/effects.ts';
import type { Tx } from '../src/avm/tx/tx.ts';
import type { Utxo } from '../src/avm/tx/utxo.ts';
import { Fault } from '../src/base/fault.ts';
import type { Chain } from '../src/chain/lifecycle/chain.ts';
import type { TxStatus } from '../src/chain/lifecycle/ledger.ts';
import { startSolo } from '../src/chain/solo/solo.ts';
import { diskFull, type FailingDatabase, failingDatabase, readError } from './failing-database.ts';
import { type LocalChain, openLocalChain } from './local-chain.ts';
import { baseTx, createWallet, ewoq, ewoqGenesisUtxo, localChainParams, ownedBy, signDraft, transfer } from './wallet-kit.ts';

/** Real chain, engine and state over a database that fails on demand: no issued transaction is lost. */

const wallet = createWallet('failing', { keys: [ewoq], count: 0 });
const pay = (from: Utxo): Tx => signDraft(baseTx(wallet, { utxos: [from] }, [transfer(localChainParams.feeAsset, 1n, ownedBy([ewoq]))]));
const many = 12;
const split = signDraft(
  baseTx(
    wallet,
    { utxos: [ewoqGenesisUtxo] },
    Array.from({ length: many + 1 }, (_, i) => transfer(localChainParams.feeAsset, 10_000_000n + BigInt(i), ownedBy([ewoq]))),
  ),
);
const coins = effectsOf(split).created.filter(({ output }) => 'amount' in output && output.amount < 20_000_000n);
const [extra, ...txs] = coins.map(pay) as [Tx, ...Tx[]];

type TestChain = LocalChain & { readonly database: FailingDatabase; readonly errors: unknown[]; readonly turn: () => void };

let testChain: TestChain;
let folder: string;
afterEach(() => {
  testChain.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A chain with outputs to spend; `turn` runs the timers of the engine that are due. */
function start(): TestChain {
  const database = failingDatabase();
  folder = mkdtempSync(join(tmpdir(), 'serac-failing-'));
  const local = openLocalChain({ path: join(folder, 'x.sqlite'), now: () => 1_800_000_000n, openDatabase: database.open });
  const due: (() => void)[] = [];
  const errors: unknown[] = [];
  const later = (run: () => void) => void due.push(run);
  const after = (_: number, run: () => void) => {
    later(run);
    return () => {};
  };
  startSolo(
    local.chain,
    { minBlockDelay: 0 },
    { now: () => 0, unixNanos: () => 1_800_000_000_000_000_000n, soon: later, after },
    (error) => void errors.push(error),
  );
  const turn = () => {
    for (const run of due.splice(0)) run();
  };
  testChain = { ...local, database, errors, turn };
  local.chain.issue(split);
  turn();
  expect(local.chain.status(split.id)).toBe('Accepted');
  return testChain;
}

const statuses = (chain: Chain) => txs.map(({ id }) => chain.status(id));
const all = (status: TxStatus) => txs.map(() => status);

/** Makes the next commit fail, and every read after it. */
const failAll = (database: FailingDatabase) => void Object.assign(database, { failCommits: diskFull, failReadsWithCommit: true });
const repair = (database: FailingDatabase) =>
  void Object.assign(database, { failCommits: undefined, failReadsWithCommit: false, failReadsAfter: Number.POSITIVE_INFINITY });

const codeOf = (run: () => void): string => {
  try {
    run();
  } catch (error) {
    if (error instanceof Fault) return error.fault.code;
    throw error;
  }
  return 'issued';
};

test('after a failed commit and failing reads all transactions are pending again, and both errors are reported', () => {
  const { chain, database, errors, turn } = start();
  for (const tx of txs) chain.issue(tx);
  failAll(database);
  turn();
  expect(errors).toHaveLength(2);
  expect((errors[0] as Fault<{ code: string }>).fault.code).toBe('STORE_FULL');
  expect(errors[1]).toBe(readError);

  repair(database);
  expect(statuses(chain)).toEqual(all('Processing'));
  turn();
  expect(statuses(chain)).toEqual(all('Accepted'));
  expect(errors).toHaveLength(2);
});

test('no transaction is lost if any read fails while a block is built, verified or stored', () => {
  const { chain, database, errors, turn } = start();
  for (const tx of txs) chain.issue(tx);
  let tries = 0;
  for (; tries < 200 && chain.mempool.size().txs > 0; tries++) {
    // A failed commit clears the UTXO cache, so that every output is read again.
    failAll(database);
    turn();
    repair(database);
    expect(statuses(chain)).toEqual(all('Processing'));
    errors.length = 0;
    database.failReadsAfter = tries;
    turn();
    repair(database);
    if (errors.length > 0) expect(statuses(chain)).toEqual(all('Processing'));
  }
  // The outputs are of one transaction, which is read once.
  expect(tries).toBeGreaterThan(5);
  expect(statuses(chain)).toEqual(all('Accepted'));
});

test('while commits fail new transactions are rejected, and the error has cause and remedy', () => {
  const { chain, database, turn } = start();
  chain.issue(txs[0] as Tx);
  database.failCommits = diskFull;
  expect(codeOf(() => chain.issue(txs[1] as Tx))).toBe('issued');
  turn();
  for (const issue of [chain.issue, chain.queueWalletTx]) expect(codeOf(() => issue(extra))).toBe('BLOCK_NOT_STORED');
  expect(chain.status(extra.id)).toBe('Unknown');
  expect(() => chain.issue(extra)).toThrow(
    /^transaction not issued: block 2 could not be stored: .*disk is full; free space .*; the node tries again every second$/,
  );
  // A transaction that is already pending is accepted by issueTx as usual.
  expect(codeOf(() => chain.issue(txs[1] as Tx))).toBe('issued');
  turn();
  expect(codeOf(() => chain.issue(extra))).toBe('BLOCK_NOT_STORED');
  database.failCommits = undefined;
  turn();
  expect(chain.commitFailure()).toBeUndefined();
  expect(codeOf(() => chain.issue(extra))).toBe('issued');
  turn();
  expect([txs[0] as Tx, txs[1] as Tx, extra].map(({ id }) => chain.status(id))).toEqual(['Accepted', 'Accepted', 'Accepted']);
});
