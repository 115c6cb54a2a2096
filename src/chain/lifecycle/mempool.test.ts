import { describe, expect, test } from 'bun:test';
import type { Tx } from '../../avm/tx/tx.ts';
import { refId } from '../../avm/tx/utxo.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import type { AnyFault } from '../../base/fault.ts';
import { ChainError } from './fault.ts';
import { genesis, importTx, spend } from './memory-chain.fixture.ts';
import { createMempool, maxMempoolSize } from './mempool.ts';

const coin = (index: number): [Id, number] => [genesis.id, index];
const coinId = (index: number): Id => refId({ txID: genesis.id, outputIndex: index });
const [a, b, c] = [spend([coin(0)], 'a'), spend([coin(1)], 'b'), spend([coin(2)], 'c')];
/** Spends what `a` and `b` spend. */
const rival = spend([coin(3), coin(1), coin(0)], 'rival');

/** What the mempool looks at of a transaction of `size` bytes that spends nothing. */
const ofSize = (size: number, name: string): Tx => ({ ...spend([], name), id: name.padEnd(64, '0') as Id, bytes: new Uint8Array(size) });

const faultOf = (step: () => void): AnyFault['fault'] | undefined => {
  try {
    step();
  } catch (error) {
    return (error as AnyFault).fault;
  }
  return undefined;
};

const filled = (...txs: readonly Tx[]) => {
  const mempool = createMempool();
  for (const tx of txs) mempool.add(tx);
  return mempool;
};
const ids = (txs: Iterable<Tx>): Id[] => [...txs].map(({ id }) => id);

describe('a mempool', () => {
  test('has transactions in the order in which they came, with their bytes and the outputs that they consume', () => {
    const mempool = filled(b, a);
    expect(ids(mempool.all())).toEqual([b.id, a.id]);
    expect(mempool.size()).toEqual({ txs: 2, bytes: a.bytes.length + b.bytes.length });
    expect([mempool.get(a.id), mempool.get(c.id)]).toEqual([a, undefined]);
    expect([mempool.consumerOf(coinId(1)), mempool.consumerOf(coinId(2))]).toEqual([b.id, undefined]);
  });

  test('refuses one that it has', () => {
    const mempool = filled(a);
    const duplicate = { code: 'MEMPOOL_DUPLICATE', txID: idText(a.id) } as const;
    expect([faultOf(() => mempool.add(a)), faultOf(() => mempool.putBack(a))]).toEqual([duplicate, duplicate]);
    expect(mempool.size().txs).toBe(1);
  });

  test('refuses one that spends an output of another, also of another chain, and names both', () => {
    const conflict = { code: 'MEMPOOL_CONFLICT', txID: idText(rival.id), utxoID: idText(coinId(1)), spentBy: idText(b.id) } as const;
    const mempool = filled(a, b);
    for (const step of [mempool.add, mempool.putBack, mempool.checkAddable]) expect(faultOf(() => step(rival))).toEqual(conflict);
    expect(faultOf(() => filled(importTx('one')).add(importTx('two')))).toMatchObject({ code: 'MEMPOOL_CONFLICT' });
    expect(faultOf(() => mempool.checkAddable(c))).toBeUndefined();
    expect(mempool.get(c.id)).toBeUndefined();
  });

  test('takes transactions of up to 64 KiB, and up to 64 MiB of them', () => {
    const max = 64 * 1024;
    expect(faultOf(() => filled(ofSize(max, 'a')))).toBeUndefined();
    expect(faultOf(() => filled(ofSize(max + 1, 'a')))).toMatchObject({ code: 'MEMPOOL_TX_TOO_LARGE', size: max + 1, max });
    expect(faultOf(() => createMempool().checkAddable(ofSize(max + 1, 'a')))).toMatchObject({ code: 'MEMPOOL_TX_TOO_LARGE' });
    const mempool = createMempool();
    for (let i = 0; i < maxMempoolSize / max - 1; i++) mempool.add(ofSize(max, `${i}x`));
    mempool.add(ofSize(max - 10, 'almost'));
    const tooMuch = ofSize(11, 'b');
    expect(faultOf(() => mempool.add(tooMuch))).toMatchObject({ code: 'MEMPOOL_FULL', size: 11, available: 10 });
    expect(faultOf(() => mempool.checkAddable(tooMuch))).toMatchObject({ code: 'MEMPOOL_FULL' });
    mempool.add(ofSize(10, 'c'));
    // A transaction whose block failed is added again, also above the limit.
    mempool.putBack(tooMuch);
    expect(mempool.size().bytes).toBe(maxMempoolSize + 11);
  });

  test('loses the transactions of a block, and those that conflict with them', () => {
    const mempool = filled(a, b, c);
    expect(mempool.remove([c])).toEqual([]);
    expect(mempool.remove([rival])).toEqual([
      { tx: b, utxoID: coinId(1), spentBy: rival.id },
      { tx: a, utxoID: coinId(0), spentBy: rival.id },
    ]);
    expect([mempool.size(), mempool.consumerOf(coinId(0))]).toEqual([{ txs: 0, bytes: 0 }, undefined]);
    mempool.add(rival);
    expect(mempool.remove([c])).toEqual([]);
    expect(mempool.size().txs).toBe(1);
  });

  test('may lose transactions while it is listed', () => {
    const mempool = filled(a, b, c);
    const seen: Id[] = [];
    for (const tx of mempool.all()) {
      seen.push(tx.id);
      mempool.remove([tx]);
    }
    expect([seen, mempool.size().txs]).toEqual([[a.id, b.id, c.id], 0]);
  });

  test('forgets why a transaction was dropped when it comes again; nothing waits after a clear', () => {
    const mempool = createMempool();
    const reason = new ChainError('dropped', { code: 'BLOCK_EMPTY' });
    mempool.drops.mark(a.id, reason);
    mempool.drops.mark(b.id, reason);
    mempool.add(a);
    expect([mempool.drops.reasonOf(a.id), mempool.drops.reasonOf(b.id)]).toEqual([undefined, reason]);
    mempool.clear();
    expect([mempool.size(), mempool.get(a.id), mempool.consumerOf(coinId(0)), mempool.drops.reasonOf(b.id)]).toEqual([
      { txs: 0, bytes: 0 },
      undefined,
      undefined,
      undefined,
    ]);
  });
});
