import { expect, test } from 'bun:test';
import { makeTx, type Tx } from '../../avm/tx/tx.ts';
import { idOf } from '../../base/bytes/id.ts';
import type { ForeignReads } from '../../chain/follow/majority-remote.ts';
import type { NetworkContext } from '../node/network-context.ts';
import type { Env } from '../platform/env.ts';
import { openJoinedImports } from './joined-imports.ts';

const [x, p, c] = ['X', 'P', 'C'].map((name) => idOf(Buffer.from(name))) as [Tx['id'], Tx['id'], Tx['id']];

/** A transaction that imports outputs of `count` exports. */
const importOf = (name: string, count: number): Tx => {
  const importedInputs = Array.from({ length: count }, (_, index) => ({
    txID: idOf(Buffer.from(`${name} ${index}`)),
    outputIndex: 0,
    assetID: x,
    input: { kind: 'secp256k1fx.TransferInput' as const, amount: 5n, signatureIndices: [] },
  }));
  const base = { networkID: 1, blockchainID: x, outputs: [], inputs: [], memo: new Uint8Array(0) };
  return makeTx({ kind: 'ImportTx', ...base, sourceChain: p, importedInputs }, []);
};

/** A trusted node whose answers the test gives, and a clock that the test moves. */
function open() {
  const unanswered: (() => void)[] = [];
  const timers: (() => void)[] = [];
  let asked = 0;
  const foreignTx = () => {
    asked++;
    return new Promise<undefined>((resolve) => unanswered.push(() => resolve(undefined)));
  };
  const { fetchInputs } = openJoinedImports({
    remote: { foreignTx } as unknown as ForeignReads,
    env: { timers: { after: (_: number, run: () => void) => timers.push(run) }, clock: { monotonic: () => 0 } } as unknown as Env,
    context: { specs: [{ id: x }], p: { id: p }, c: { id: c } } as unknown as NetworkContext,
    store: { knowsAtomicUtxo: () => false, putAtomicUtxo: () => {} },
  });
  const answer = (count: number): Promise<void> => {
    for (const run of unanswered.splice(0, count)) run();
    return new Promise((resolve) => setImmediate(resolve));
  };
  const endWaiting = (): void => {
    for (const run of timers.splice(0)) run();
  };
  return { fetchInputs, asked: () => asked, answer, endWaiting };
}

test('64 exports are looked up at once for all transactions together', async () => {
  const { fetchInputs, asked, answer } = open();
  const fetched = Promise.all(Array.from({ length: 80 }, (_, index) => fetchInputs(importOf(`tx ${index}`, 2))));
  await answer(0);
  expect(asked()).toBe(64);
  await answer(3);
  expect(asked()).toBe(67);
  for (let round = 0; round < 3; round++) await answer(64);
  expect(asked()).toBe(160);
  await fetched;
});

test('when a transaction no longer waits, the rest of its exports is not looked up', async () => {
  const { fetchInputs, asked, answer, endWaiting } = open();
  const fetched = Promise.all(Array.from({ length: 80 }, (_, index) => fetchInputs(importOf(`tx ${index}`, 100))));
  await answer(0);
  endWaiting();
  await fetched;
  await answer(64);
  expect(asked()).toBe(64);
});
