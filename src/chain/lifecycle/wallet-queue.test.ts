import { expect, test } from 'bun:test';
import type { Tx } from '../../avm/tx/tx.ts';
import { idOf } from '../../base/bytes/id.ts';
import { Fault } from '../../base/fault.ts';
import { ChainError } from './fault.ts';
import { genesis, other, spend } from './memory-chain.fixture.ts';
import { maxMempoolSize } from './mempool.ts';
import { decodeTxs, encodeTxs, formatPendingTxs, parsePendingTxs } from './pending-text.ts';
import { createWalletQueue } from './wallet-queue.ts';

const [first, large, last] = ['first', 'large', 'last'].map((memo) => spend([[genesis.id, 0]], memo)) as [Tx, Tx, Tx];
const nameOf = ({ unsigned }: Tx): string => Buffer.from(unsigned.memo).toString();

/** Creates a queue whose first transaction is decided, whose second waits for its signers, and whose third waits for the second. */
function createPreparingQueue(refused?: string) {
  const mempool: string[] = [];
  let preparation: { readonly resolve: () => void; readonly reject: (error: unknown) => void } | undefined;
  const add = (tx: Tx) => {
    if (nameOf(tx) === refused) throw new Fault('refused', { code: 'TEST_REFUSED' });
    mempool.push(nameOf(tx));
  };
  const fetchAndRecover = (tx: Tx) =>
    nameOf(tx) === 'large'
      ? new Promise<void>((resolve, reject) => {
          preparation = { resolve, reject };
        })
      : undefined;
  const queue = createWalletQueue({ add, skipFailedTx: true, fetchAndRecover, mempoolBytes: () => 0 });
  for (const tx of [first, large, last]) queue.issue(tx);
  queue.onDecided(first.id);
  expect(mempool).toEqual(['first']);
  return { mempool, queue, preparation: preparation as NonNullable<typeof preparation> };
}

test('a transaction is added to the mempool when its signers are known, the next one when it is decided', async () => {
  const { mempool, queue, preparation } = createPreparingQueue();
  preparation.resolve();
  await Promise.resolve();
  expect(mempool).toEqual(['first', 'large']);
  queue.onDecided(large.id);
  expect(mempool).toEqual(['first', 'large', 'last']);
});

test('a transaction whose preparation fails is added as well', async () => {
  const { mempool, preparation } = createPreparingQueue();
  preparation.reject(new Fault('busy', { code: 'TEST_BUSY' }));
  await Promise.resolve();
  expect(mempool).toEqual(['first', 'large']);
});

test('after a transaction that the mempool refuses, the next one is added', async () => {
  const { mempool, queue, preparation } = createPreparingQueue('large');
  preparation.resolve();
  await Promise.resolve();
  expect(mempool).toEqual(['first', 'last']);
  expect(queue.has(large.id)).toBe(false);
});

test('a transaction that was accepted during its preparation is not added', async () => {
  const { mempool, queue, preparation } = createPreparingQueue();
  queue.onDecided(large.id);
  preparation.resolve();
  await Promise.resolve();
  expect(mempool).toEqual(['first', 'last']);
});

test('while the queue is empty, a transaction that the mempool refuses is refused, and one that waits there already is queued', () => {
  const fault = { code: 'MEMPOOL_FULL' as 'MEMPOOL_FULL' | 'MEMPOOL_DUPLICATE', txID: '', size: 1, available: 0 };
  const add = () => {
    throw new ChainError('refused', fault);
  };
  const queue = createWalletQueue({ add, skipFailedTx: true, mempoolBytes: () => 0 });
  expect(codeOf(() => queue.issue(first))).toBe(fault);
  expect(queue.list()).toEqual([]);
  fault.code = 'MEMPOOL_DUPLICATE';
  expect(codeOf(() => queue.issue(first))).toBeUndefined();
  expect(queue.list()).toEqual([first.bytes]);
});

test('after a transaction that needs no preparation and that the mempool refuses, the next one is added', () => {
  const mempool: string[] = [];
  const add = (tx: Tx) => {
    if (nameOf(tx) === 'large') throw new Fault('refused', { code: 'TEST_REFUSED' });
    mempool.push(nameOf(tx));
  };
  const queue = createWalletQueue({ add, skipFailedTx: true, mempoolBytes: () => 0 });
  for (const tx of [first, large, last]) queue.issue(tx);
  queue.onDecided(first.id);
  expect(mempool).toEqual(['first', 'last']);
  expect(queue.list()).toEqual([last.bytes]);
});

/** Returns a transaction of 250,000 bytes. */
const largeTx = (index: number): Tx => spend([[other, index]], `${index}`, 250_000 - spend([[other, index]]).bytes.length);

const codeOf = (work: () => void): unknown => {
  try {
    work();
  } catch (error) {
    if (error instanceof ChainError) return error.fault;
    throw error;
  }
  return undefined;
};

test('queue and mempool together hold 64 MiB; what leaves the queue makes room', () => {
  const mempoolBytes = 1_000_000;
  const queue = createWalletQueue({ add: () => {}, skipFailedTx: true, mempoolBytes: () => mempoolBytes });
  const fitting = Math.floor((maxMempoolSize - mempoolBytes) / 250_000);
  const txs = Array.from({ length: fitting + 2 }, (_, i) => largeTx(i));
  for (const tx of txs.slice(0, fitting)) expect(codeOf(() => queue.issue(tx))).toBeUndefined();
  const available = maxMempoolSize - mempoolBytes - fitting * 250_000;
  const [next, afterNext] = txs.slice(fitting) as [Tx, Tx];
  expect(codeOf(() => queue.issue(next))).toMatchObject({ code: 'WALLET_QUEUE_FULL', txs: fitting, size: 250_000, available });
  expect(codeOf(() => queue.issue(spend([[other, 0]], 'small')))).toBeUndefined();
  queue.onDecided(txs[0]!.id);
  expect(codeOf(() => queue.issue(next))).toBeUndefined();
  expect(codeOf(() => queue.issue(afterNext))).toMatchObject({ code: 'WALLET_QUEUE_FULL' });
  // A duplicate needs no space, and a replaced queue is counted anew.
  expect(codeOf(() => queue.issue(next))).toBeUndefined();
  queue.replace([next.bytes]);
  for (const tx of txs.slice(0, fitting - 1)) expect(codeOf(() => queue.issue(tx))).toBeUndefined();
  expect(codeOf(() => queue.issue(txs[fitting - 1]!))).toMatchObject({ code: 'WALLET_QUEUE_FULL' });
});

test('the queue keeps bytes of its own, not the transaction or the request that it is a part of', async () => {
  const queue = createWalletQueue({ add: () => {}, skipFailedTx: true, mempoolBytes: () => 0 });
  const decoded: WeakRef<Tx>[] = [];
  for (let i = 0; i < 20; i++) {
    const tx = spend([[other, i]]);
    decoded.push(new WeakRef(tx));
    queue.issue(tx);
  }
  // A weak reference is cleared only between turns of the event loop.
  await Bun.sleep(1);
  Bun.gc(true);
  expect(decoded.filter((tx) => tx.deref() !== undefined).length).toBeLessThan(5);
  const request = new Uint8Array(10_000);
  request.set(first.bytes, 500);
  queue.issue({ ...first, bytes: request.subarray(500, 500 + first.bytes.length) });
  expect(queue.list().every((bytes) => bytes.buffer.byteLength === bytes.length)).toBe(true);
});

test('a full queue passes through the text and the chunks of a snapshot', () => {
  const walletQueue = Array.from({ length: Math.floor(maxMempoolSize / 250_000) }, (_, i) => largeTx(i).bytes);
  const text = formatPendingTxs({ mempool: [first], walletQueue });
  const bytesOf = new Map([...decodeTxs(encodeTxs([first.bytes, ...walletQueue]))].map((bytes) => [idOf(bytes), bytes]));
  const restored = parsePendingTxs(text, (id) => bytesOf.get(id));
  expect(restored.mempool).toEqual([first.bytes]);
  expect(restored.walletQueue.length).toBe(walletQueue.length);
  expect(restored.walletQueue.every((bytes, i) => Buffer.compare(bytes, walletQueue[i]!) === 0)).toBe(true);
});
