import { heapStats } from 'bun:jsc';
import { expect, test } from 'bun:test';
import { baseTx, createWallet, ewoq, ewoqGenesisUtxo, localChainParams, ownedBy, signDraft, transfer } from '../../../test/wallet-kit.ts';
import { effectsOf } from '../../avm/tx/effects.ts';
import type { Tx } from '../../avm/tx/tx.ts';
import { refId, type Utxo } from '../../avm/tx/utxo.ts';
import type { View } from '../../avm/view.ts';
import { type Id, idOf } from '../../base/bytes/id.ts';
import type { StoredVertex, VertexStore } from '../../ledger/vertices/vertex-store.ts';
import { createDagExecutor } from './dag-executor.ts';

test('large transactions that wait for one in the last vertex take no memory, and are executed after it', () => {
  const count = 130;
  const wallet = createWallet('dag', { keys: [ewoq] });
  const to = ownedBy([ewoq]);
  const pay = (utxos: Utxo[], outputs: number): Tx =>
    signDraft(
      baseTx(
        wallet,
        { utxos },
        Array.from({ length: outputs }, () => transfer(localChainParams.feeAsset, 5_000_000n, to)),
      ),
    );
  const parent = pay([ewoqGenesisUtxo], count);
  const outputs = effectsOf(parent).created.filter(({ output }) => 'amount' in output && output.amount === 5_000_000n);
  // Each is made when it is read, so that the test holds none: 1 nAVAX in 500 outputs, about 40 kB.
  const child = (i: number): Tx =>
    signDraft(
      baseTx(
        wallet,
        { utxos: [outputs[i] as Utxo] },
        Array.from({ length: 500 }, () => transfer(localChainParams.feeAsset, 1n, to)),
      ),
    );
  const indexOf = new Map(outputs.map((_, i) => [child(i).id, i] as const));
  const ids = [...indexOf.keys()];
  const vertices: StoredVertex[] = [...ids, parent.id].map((txID, i) => ({
    id: idOf(Uint8Array.of(i, i >> 8)),
    height: BigInt(i),
    parentIDs: [],
    txIDs: [txID],
  }));
  let isLinearized = false;
  const executed: Id[] = [];
  const store = {
    after: (position, limit) => vertices.filter(({ height }) => position === undefined || height > position.height).slice(0, limit),
    waitingTx: (id) => (id === parent.id ? parent.bytes : child(indexOf.get(id) as number).bytes),
    executed: () => undefined,
    isLinearized: () => isLinearized,
    markExecuted: (work) => {
      executed.push(...work.txIDs);
      isLinearized = work.isLinearized;
    },
  } as Partial<VertexStore> as VertexStore;
  const view = {
    hasTx: (id: Id) => executed.includes(id),
    utxo: (ref: Parameters<View['utxo']>[0]) => (refId(ref) === ewoqGenesisUtxo.id ? ewoqGenesisUtxo : undefined),
  } as unknown as View & { readonly hasTx: (id: Id) => boolean };
  const executor = createDagExecutor({
    vertices: store,
    view,
    verifier: { verifySyntax: () => {}, verifySpend: () => {} },
    extendGenesis: (_, mark) => mark(),
  });
  const heap = (): number => {
    Bun.gc(true);
    const { heapSize, extraMemorySize } = heapStats();
    return heapSize + extraMemorySize;
  };
  const before = heap();
  executor.step();
  executor.step();
  // 128 transactions wait: decoded they would take 30 MB.
  expect((heap() - before) / 1e6).toBeLessThan(5);
  expect(executed).toEqual([]);
  while (executor.step() !== undefined);
  expect([executed[0], executed.length]).toEqual([parent.id, count + 1]);
});
