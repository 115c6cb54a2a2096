import { expect, test } from 'bun:test';
import { openDatabase } from '../../app/platform/bun/database.ts';
import { makeBlock } from '../../avm/tx/block.ts';
import { effectsOf } from '../../avm/tx/effects.ts';
import { makeTx, type Tx } from '../../avm/tx/tx.ts';
import type { Utxo } from '../../avm/tx/utxo.ts';
import type { Address } from '../../base/bytes/address.ts';
import { type Id, zeroId } from '../../base/bytes/id.ts';
import { sqliteRunner } from '../store/sqlite-runner.ts';
import { checkChain } from './check.ts';
import { openChain } from './open-chain.fixture.ts';
import { createRunQueries, isFindable, type OutputIdRow, rowsToRead } from './output-id-runs.ts';
import { createRecentIds } from './output-ids.ts';
import { chainID, randomChain } from './random-chain.fixture.ts';

const output = {
  kind: 'secp256k1fx.TransferOutput' as const,
  ...{ amount: 1n, locktime: 0n, threshold: 1, addresses: ['ab'.repeat(20) as Address] },
};

/** A transaction that creates outputs from nothing: the state does not verify. */
const txWith = (memo: string, outputs: number): Tx =>
  makeTx(
    {
      ...{ kind: 'BaseTx', networkID: 1, blockchainID: chainID, inputs: [], memo: Buffer.from(memo) },
      outputs: Array.from({ length: outputs }, () => ({ assetID: zeroId, output })),
    },
    [],
  );

test('outputs are found by ID in runs and behind the last run, also by a reader and after a restart; unknown IDs are not', () => {
  const chain = openChain(openDatabase);
  const source = randomChain(8);
  chain.state.init(source.genesisTxs, source.first);
  const created: Utxo[] = [];
  let parent: { id: Id; height: bigint } = source.first;
  const add = (txs: readonly Tx[]): void => {
    const applied = txs.map((tx) => ({ tx, effects: effectsOf(tx) }));
    const block = makeBlock({ parentID: parent.id, height: parent.height + 1n, time: 1_700_000_000n, txs: [...txs] });
    chain.state.commitAll([{ block, diff: { applied, consumed: new Map() } }]);
    created.push(...applied.flatMap(({ effects }) => effects.created));
    parent = block;
  };
  const runs = () => chain.store.db.prepare<{ n: number }>('SELECT count(*) / 128 AS n FROM c1_output_id').get()?.n;
  // A transaction without outputs, some with many, and some with one.
  for (let i = 0; i < 43; i++) add([txWith(`none ${i}`, 0), txWith(`many ${i}`, 780), txWith(`one ${i}`, 1)]);
  expect(runs()).toBe(2);
  const sample = created.filter((_, i) => i % 1500 === 0 || i === created.length - 1);
  const findAll = ({ findUtxo }: typeof chain.state) => sample.map(({ id }) => findUtxo(id)?.id);
  const expected = sample.map(({ id }) => id);
  expect(findAll(chain.state)).toEqual(expected);
  const reader = openChain(() => chain.store.db);
  expect(findAll(reader.state)).toEqual(expected);
  // The reader has read the IDs behind the last run; the writer ends that run.
  for (let i = 0; i < 22; i++) add([txWith(`later ${i}`, 780)]);
  expect(runs()).toBe(3);
  expect(findAll(reader.state)).toEqual(expected);
  const last = created[created.length - 1] as Utxo;
  expect(reader.state.findUtxo(last.id)).toEqual(last);
  for (const { id } of sample) expect(chain.state.findUtxo(`${id.slice(0, 62)}${id.endsWith('00') ? '01' : '00'}` as Id)).toBeUndefined();
  expect(checkChain(chain.store, chainID).problems).toEqual([]);
});

test('a failed commit leaves no IDs behind', () => {
  const chain = openChain(openDatabase);
  const source = randomChain(8);
  chain.state.init(source.genesisTxs, source.first);
  const { id: parentID } = source.first;
  const txs = Array.from({ length: 30 }, (_, i) => txWith(`failed ${i}`, 780));
  const block = makeBlock({ parentID, height: 1n, time: 1_700_000_000n, txs });
  const applied = txs.map((tx) => ({ tx, effects: effectsOf(tx) }));
  const fail = () => {
    throw new TypeError('power cut');
  };
  expect(() => chain.state.commitAll([{ block, diff: { applied, consumed: new Map() } }], fail)).toThrow();
  const first = applied[0]?.effects.created[0] as Utxo;
  expect(chain.state.findUtxo(first.id)).toBeUndefined();
  chain.state.commitAll([{ block, diff: { applied, consumed: new Map() } }]);
  expect(chain.state.findUtxo(first.id)).toEqual(first);
  expect(checkChain(chain.store, chainID).problems).toEqual([]);
});

test('a run ends after 65,536 transactions, however few outputs they have, and its rows name them', () => {
  const ids = createRecentIds();
  const rows: OutputIdRow[] = [];
  for (const tx of [1, 65_536, 65_537, 200_000]) rows.push(...ids.add(tx, [tx]));
  expect([ids.run(), ids.after(), ids.upTo()]).toEqual([3, 196_608, 200_000]);
  expect(rows.map(({ last_tx }) => last_tx).filter((tx, i, all) => tx !== all[i - 1])).toEqual([65_536, 131_072, 196_608]);
  const entries = rows.filter((row) => row.ids.length > 0).map(({ number, last_tx, ids: [...bytes] }) => ({ number, last_tx, bytes }));
  expect(entries).toEqual([
    { number: 0, last_tx: 65_536, bytes: [0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 0] },
    { number: 128, last_tx: 131_072, bytes: [0, 1, 0, 1, 0, 1, 0, 1] },
  ]);
  expect([ids.find(200_000), ids.find(1)]).toEqual([[200_000], []]);
});

test('runs are merged, so that a look-up in 90 of them reads 40 rows at most and finds each ID once', () => {
  const db = openDatabase(':memory:', { readonly: false });
  db.exec('CREATE TABLE ids(number INTEGER PRIMARY KEY, last_tx INTEGER NOT NULL, ids BLOB NOT NULL)');
  const insert = db.prepare('INSERT INTO ids VALUES (?, ?, ?)');
  const all = db.prepare<OutputIdRow>('SELECT number, last_tx, ids FROM ids');
  const run = sqliteRunner(db);
  const queries = createRunQueries('ids');
  const recent = createRecentIds();
  const txSize = 4096;
  /** A different prefix for every output, spread evenly: the factor is odd. */
  const prefixOf = (tx: number, i: number) => Math.imul(tx * txSize + i, 0x9e3779b1) >>> 0;
  const addTx = (tx: number): void => {
    const before = recent.run();
    const rows = recent.add(
      tx,
      Array.from({ length: txSize }, (_, i) => prefixOf(tx, i)),
    );
    for (const { number, last_tx, ids } of rows) insert.run(number, last_tx, ids);
    run(queries.merge(before, recent.run()));
  };
  let tx = 0;
  const check = (): void => {
    for (let i = 0; i < 60; i++) {
      const wanted = 1 + ((i * 7919) % tx);
      const prefix = prefixOf(wanted, (i * 131) % txSize);
      expect(run(queries.find(recent.run(), prefix))).toEqual([wanted]);
      expect(rowsToRead(recent.run(), prefix).length).toBeLessThanOrEqual(40);
    }
  };
  for (const runs of [8, 9, 12, 17, 40, 66, 73, 74, 90]) {
    while (recent.run() < runs) addTx(++tx);
    check();
  }
  const rows = all.all();
  expect(rows.reduce((sum, { ids }) => sum + ids.length / 8, 0)).toBe(90 * 16_384);
  expect(rows.filter((row) => !isFindable(row, 90))).toEqual([]);
  // Fewer runs than rows: those of a level that was merged are gone.
  expect(rows.filter(({ number }) => number < 2 ** 40).length).toBeLessThan(17 * 128);
});
