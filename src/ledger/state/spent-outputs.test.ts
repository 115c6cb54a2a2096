import { expect, test } from 'bun:test';
import { openDatabase } from '../../app/platform/bun/database.ts';
import { makeBlock } from '../../avm/tx/block.ts';
import { effectsOf } from '../../avm/tx/effects.ts';
import { makeTx, type Tx } from '../../avm/tx/tx.ts';
import { zeroId } from '../../base/bytes/id.ts';
import type { OpenDatabase } from '../store/database.ts';
import { createDiff } from './diff.ts';
import { openChain } from './open-chain.fixture.ts';
import { randomChain } from './random-chain.fixture.ts';

const base = { kind: 'BaseTx' as const, networkID: 1, blockchainID: zeroId, memo: new Uint8Array() };
const output = { kind: 'secp256k1fx.TransferOutput' as const, locktime: 0n, threshold: 1, addresses: ['ab'.repeat(20) as never] };
const outputCount = 50;

/** A transaction with many outputs, and transactions that spend one of them each. */
function createTxs() {
  const outputs = Array.from({ length: outputCount }, (_, i) => ({ assetID: zeroId, output: { ...output, amount: BigInt(i + 1) } }));
  const wide = makeTx({ ...base, inputs: [], outputs }, []);
  const spend = (outputIndex: number): Tx => {
    const input = { kind: 'secp256k1fx.TransferInput' as const, amount: BigInt(outputIndex + 1), signatureIndices: [0] };
    return makeTx({ ...base, inputs: [{ txID: wide.id, outputIndex, assetID: zeroId, input }], outputs: [] }, []);
  };
  return { wide, spend };
}

const failingDisk = (): never => {
  throw new Error('full disk');
};

/** A chain in memory whose reads of `spend` are counted. */
function openCountedChain() {
  const counts = { spendReads: 0 };
  const open: OpenDatabase = (path, options) => {
    const db = openDatabase(path, options);
    const prepare: typeof db.prepare = <Row>(sql: string) => {
      const statement = db.prepare<Row>(sql);
      if (!/^SELECT .* FROM c1_spend /.test(sql)) return statement;
      const count = <A extends unknown[], R>(run: (...values: A) => R) => {
        return (...values: A): R => {
          counts.spendReads++;
          return run(...values);
        };
      };
      return { ...statement, get: count(statement.get), all: count(statement.all) };
    };
    return { ...db, prepare };
  };
  const chain = openChain(open);
  const source = randomChain(1);
  chain.state.init(source.genesisTxs, source.first);
  const commit = (txs: Tx[], onStored?: () => void): void => {
    const diff = createDiff(chain.state);
    for (const tx of txs) diff.apply(tx, effectsOf(tx));
    const { id, height, time } = chain.state.lastAccepted();
    chain.state.commitAll([{ block: makeBlock({ parentID: id, height: height + 1n, time, txs }), diff }], onStored);
  };
  return { ...chain, counts, commit };
}

test('which outputs of a transaction are spent is read once, and known after commits, failed commits and reverts', () => {
  const { state, store, counts, commit, close } = openCountedChain();
  const { wide, spend } = createTxs();
  const listUnspent = (): number[] =>
    Array.from({ length: outputCount }, (_, i) => i).filter((outputIndex) => {
      const utxo = state.utxo({ txID: wide.id, outputIndex });
      if (utxo !== undefined) expect([utxo.id, utxo.output]).toEqual([effectsOf(wide).created[outputIndex]?.id as never, utxo.output]);
      return utxo !== undefined;
    });
  const all = Array.from({ length: outputCount }, (_, i) => i);
  commit([wide]);
  commit([spend(3), spend(40)]);
  // A revert that changes nothing: the caches are empty.
  store.revert(() => {});
  counts.spendReads = 0;
  expect(listUnspent()).toEqual(all.filter((i) => i !== 3 && i !== 40));
  expect(counts.spendReads).toBe(1);
  commit([spend(17)]);
  expect(listUnspent()).toEqual(all.filter((i) => ![3, 17, 40].includes(i)));
  expect(counts.spendReads).toBe(1);
  expect(() => commit([spend(18)], failingDisk)).toThrow('full disk');
  expect(listUnspent()).toEqual(all.filter((i) => ![3, 17, 40].includes(i)));
  close();
});
