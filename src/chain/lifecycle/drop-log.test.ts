import { expect, test } from 'bun:test';
import { makeTx, type Tx } from '../../avm/tx/tx.ts';
import { zeroId } from '../../base/bytes/id.ts';
import { createDropLog } from './drop-log.ts';
import { ChainError } from './fault.ts';

const txWith = (memo: number, size = 10): Tx =>
  makeTx({ kind: 'BaseTx', networkID: 1, blockchainID: zeroId, outputs: [], inputs: [], memo: new Uint8Array(size).fill(memo) }, []);
const reason = new ChainError('mempool is full', { code: 'MEMPOOL_FULL', txID: '', size: 1, available: 0 });
const drop = (tx: Tx) => ({ tx, time: 5n, stage: 'dropped' as const, reason });

test('lists the newest drops first, page by page, and forgets the oldest', () => {
  const log = createDropLog({ drops: 5, bytes: 1_000_000 });
  const txs = Array.from({ length: 8 }, (_, i) => txWith(i));
  expect(log.list(undefined, 10)).toEqual([]);
  for (const tx of txs) log.add(drop(tx));
  expect(log.list(undefined, 10).map(({ number }) => number)).toEqual([8, 7, 6, 5, 4]);
  expect(log.list(7, 2).map(({ txID }) => txID)).toEqual([txs[5]?.id, txs[4]?.id] as never);
  expect(log.list(4, 10)).toEqual([]);
  expect(log.list(-3, 10)).toEqual([]);
  expect(log.list(1000, 1).map(({ number }) => number)).toEqual([8]);
  expect(log.find((txs[2] as Tx).id)).toBeUndefined();
  expect(log.find((txs[3] as Tx).id)?.number).toBe(4);
});

test('a transaction that is dropped again is found by its last drop', () => {
  const log = createDropLog({ drops: 3, bytes: 1_000_000 });
  const tx = txWith(1);
  log.add(drop(tx));
  log.add(drop(txWith(2)));
  log.add(drop(tx));
  expect(log.find(tx.id)?.number).toBe(3);
  // The first drop of it leaves the log, the last stays.
  log.add(drop(txWith(3)));
  expect(log.find(tx.id)?.number).toBe(3);
});

test('keeps the bytes of the newest drops within a limit, as copies', () => {
  const size = txWith(0, 100).bytes.length;
  const log = createDropLog({ drops: 100, bytes: size * 3 + 10 });
  const request = Buffer.alloc(100_000);
  for (let i = 0; i < 20; i++) {
    const tx = txWith(i, 100);
    request.set(tx.bytes);
    log.add(drop({ ...tx, bytes: request.subarray(0, size) }));
  }
  const drops = log.list(undefined, 100);
  expect(drops).toHaveLength(20);
  expect(drops.map(({ bytes }) => bytes?.length)).toEqual([size, size, size, ...Array(17).fill(undefined)]);
  expect(drops[0]?.bytes?.buffer.byteLength).toBe(size);
  expect(drops[1]?.bytes).toEqual(new Uint8Array(txWith(18, 100).bytes));
  log.add(drop(txWith(50, 60_000)));
  expect(log.list(undefined, 3).map(({ bytes }) => bytes)).toEqual([undefined, undefined, undefined]);
});
