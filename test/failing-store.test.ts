import { afterEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Chain, TxStatus } from '../src/chain/chain.ts';
import { startSolo } from '../src/engine/solo.ts';
import { Fault } from '../src/fault.ts';
import { effectsOf } from '../src/tx/effects.ts';
import type { Tx } from '../src/tx/tx.ts';
import type { Utxo } from '../src/tx/utxo.ts';
import { diskFull, type FailingDatabase, failingDatabase, readError } from './failing-database.ts';
import { type LocalChain, openLocalChain } from './local-chain.ts';
import { baseTx, createWallet, ewoq, ewoqGenesisUtxo, localTerms, ownedBy, signed, transfer } from './wallet-kit.ts';

/** The real chain, engine and state over a database that fails on demand: nothing that was issued is lost. */

const wallet = createWallet('failing', { keys: [ewoq], count: 0 });
const pay = (from: Utxo): Tx => signed(baseTx(wallet, { utxos: [from] }, [transfer(localTerms.feeAsset, 1n, ownedBy([ewoq]))]));
const many = 12;
const split = signed(
  baseTx(
    wallet,
    { utxos: [ewoqGenesisUtxo] },
    Array.from({ length: many + 1 }, (_, i) => transfer(localTerms.feeAsset, 10_000_000n + BigInt(i), ownedBy([ewoq]))),
  ),
);
const coins = effectsOf(split).created.filter(({ output }) => 'amount' in output && output.amount < 20_000_000n);
const [extra, ...txs] = coins.map(pay) as [Tx, ...Tx[]];

type Bench = LocalChain & { readonly database: FailingDatabase; readonly errors: unknown[]; readonly turn: () => void };

let bench: Bench;
let folder: string;
afterEach(() => {
  bench.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A chain with coins to spend; `turn` lets the engine do what is due, once. */
function start(): Bench {
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
    { now: () => 0, unix: () => 1_800_000_000n, soon: later, after },
    (error) => void errors.push(error),
  );
  const turn = () => {
    for (const run of due.splice(0)) run();
  };
  bench = { ...local, database, errors, turn };
  local.chain.issue(split);
  turn();
  expect(local.chain.status(split.id)).toBe('Accepted');
  return bench;
}

const statuses = (chain: Chain) => txs.map(({ id }) => chain.status(id));
const all = (status: TxStatus) => txs.map(() => status);

/** The next commit fails, and every read from then on. */
const failAll = (database: FailingDatabase) => void Object.assign(database, { failCommits: diskFull, failReadsWithCommit: true });
const mend = (database: FailingDatabase) =>
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

test('a failed commit, then failing reads: everything waits again, and both errors are reported', () => {
  const { chain, database, errors, turn } = start();
  for (const tx of txs) chain.issue(tx);
  failAll(database);
  turn();
  expect(errors).toHaveLength(2);
  expect((errors[0] as Fault<{ code: string }>).fault.code).toBe('STORE_FULL');
  expect(errors[1]).toBe(readError);

  mend(database);
  expect(statuses(chain)).toEqual(all('Processing'));
  turn();
  expect(statuses(chain)).toEqual(all('Accepted'));
  expect(errors).toHaveLength(2);
});

test('whichever read fails while a block is built, verified or stored, nothing is lost', () => {
  const { chain, database, errors, turn } = start();
  for (const tx of txs) chain.issue(tx);
  let tries = 0;
  for (; tries < 200 && chain.mempool.size().txs > 0; tries++) {
    // A failed commit empties the cache of outputs, so that everything has to be read again.
    failAll(database);
    turn();
    mend(database);
    expect(statuses(chain)).toEqual(all('Processing'));
    errors.length = 0;
    database.failReadsAfter = tries;
    turn();
    mend(database);
    if (errors.length > 0) expect(statuses(chain)).toEqual(all('Processing'));
  }
  expect(tries).toBeGreaterThan(many);
  expect(statuses(chain)).toEqual(all('Accepted'));
});

test('while commits fail nothing new is issued, and the error names cause and remedy', () => {
  const { chain, database, turn } = start();
  chain.issue(txs[0] as Tx);
  database.failCommits = diskFull;
  expect(codeOf(() => chain.issue(txs[1] as Tx))).toBe('issued');
  turn();
  for (const issue of [chain.issue, chain.issueInTurn]) expect(codeOf(() => issue(extra))).toBe('BLOCK_NOT_STORED');
  expect(chain.status(extra.id)).toBe('Unknown');
  expect(() => chain.issue(extra)).toThrow(/^transaction not issued: block 2 could not be stored: .*disk is full; free space/);
  // What waits already is taken as before.
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
