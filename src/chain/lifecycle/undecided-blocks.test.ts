import { describe, expect, spyOn, test } from 'bun:test';
import { type Block, makeBlock } from '../../avm/tx/block.ts';
import type { Tx } from '../../avm/tx/tx.ts';
import type { View } from '../../avm/view.ts';
import type { Id } from '../../base/bytes/id.ts';
import { genesis, messageOf, other, setUp, spend, verifier } from './memory-chain.fixture.ts';

const coinSpender = (index: number, memo = '') => spend([[genesis.id, index]], memo);
const blockOn = (parent: { id: Id; height: bigint }, txs: Tx[], time = 2000n): Block =>
  makeBlock({ parentID: parent.id, height: parent.height + 1n, time, txs });

describe('built blocks', () => {
  test('several can wait for verification; each one is verified and accepted', () => {
    const { chain } = setUp();
    const [a, b] = [coinSpender(0), coinSpender(1)];
    chain.issue(a);
    const first = chain.build()!;
    chain.issue(b);
    const second = chain.build()!;
    expect([chain.status(a.id), chain.status(b.id), chain.waiting()]).toEqual(['Processing', 'Processing', 0]);
    chain.verify(first);
    chain.verify(second);
    expect(chain.processing()).toBe(2);
    chain.accept([first.id]);
    chain.reject(second.id);
    expect([chain.status(a.id), chain.status(b.id), chain.waiting()]).toEqual(['Accepted', 'Processing', 1]);
  });

  test('their transactions are verified once, when the block is built; a foreign block is verified in full', () => {
    const spends: Id[] = [];
    const counting = {
      ...verifier,
      verifySpend: (tx: Tx, view: View) => {
        spends.push(tx.id);
        verifier.verifySpend(tx, view);
      },
    };
    const { chain, ledger } = setUp(true, 100, { verifier: counting });
    const [a, b] = [coinSpender(0), coinSpender(1)];
    chain.issue(a);
    const own = chain.build()!;
    expect(spends).toEqual([a.id, a.id]);
    chain.verify(own);
    chain.accept([own.id]);
    expect([spends.length, chain.status(a.id)]).toEqual([2, 'Accepted']);
    chain.verify(blockOn(ledger.lastAccepted(), [b]));
    expect(spends.slice(2)).toEqual([b.id]);
    expect(messageOf(() => chain.verify(blockOn(ledger.lastAccepted(), [coinSpender(0, 'again')])))).toContain('not found');
  });

  test('have the oldest transactions of the mempool, which is passed once', () => {
    const { chain } = setUp(true, 100);
    const txs = Array.from({ length: 40 }, (_, i) => coinSpender(i));
    for (const tx of txs) chain.issue(tx);
    const values = spyOn(Map.prototype, 'values');
    try {
      expect((chain.build() as Block).txs.map(({ id }) => id)).toEqual(txs.map(({ id }) => id));
      // An iterator for each transaction would pass all deleted ones each time.
      expect(values.mock.calls.length).toBeLessThan(txs.length);
    } finally {
      values.mockRestore();
    }
  });

  test('one that fails returns its transactions, although another was built after it', () => {
    const { chain, setNow } = setUp();
    const a = coinSpender(0);
    chain.issue(a);
    const first = chain.build()!;
    chain.issue(coinSpender(1));
    const second = chain.build()!;
    setNow(1000n);
    expect(messageOf(() => chain.verify(first))).toContain('too far in the future');
    expect(messageOf(() => chain.verify(second))).toContain('too far in the future');
    expect([chain.waiting(), chain.mempool.get(a.id)?.id]).toEqual([2, a.id]);
  });

  test('one that is never verified returns its transactions when it is rejected, or when another block has its height', () => {
    const { chain, decide, ledger } = setUp();
    const [a, b, c] = [coinSpender(0), coinSpender(1), coinSpender(2)];
    let notified = 0;
    chain.onWork(() => notified++);
    chain.issue(a);
    chain.reject(chain.build()!.id);
    // Not notified: an engine would build the same block again at once.
    expect([chain.waiting(), notified]).toEqual([1, 1]);
    chain.build();
    const foreign = blockOn(ledger.lastAccepted(), [b]);
    chain.verify(foreign);
    chain.accept([foreign.id]);
    chain.setPreference(foreign.id);
    expect([chain.waiting(), notified]).toEqual([1, 2]);
    chain.issue(c);
    expect(decide()?.txs.map(({ id }) => id)).toEqual([a.id, c.id]);
  });

  test('at most eight wait: the oldest gives its transactions back', () => {
    const { chain } = setUp();
    for (let i = 0; i < 9; i++) {
      chain.issue(coinSpender(i));
      expect(chain.build()).toBeDefined();
    }
    expect(chain.mempool.get(coinSpender(0).id)).toBeDefined();
    expect(chain.waiting()).toBe(1);
  });

  test('a block is decoded from its bytes unless this chain made it: a forged object has no effect', () => {
    const { chain, ledger } = setUp();
    const honest = blockOn(ledger.lastAccepted(), [coinSpender(0)]);
    const forged = { ...honest, txs: [coinSpender(1)] };
    chain.verify(forged);
    chain.accept([forged.id]);
    expect([chain.status(coinSpender(0).id), chain.status(coinSpender(1).id)]).toEqual(['Accepted', 'Unknown']);
  });
});

describe('a foreign block that fails', () => {
  test('drops no transaction of the mempool, and no entry of the wallet queue', () => {
    const dropped: Id[] = [];
    const { chain, ledger, decide } = setUp(true, 100, { onDropped: ({ id }) => void dropped.push(id) });
    const parent = coinSpender(0);
    const queued = [coinSpender(1), spend([[coinSpender(1).id, 0]])] as const;
    chain.issue(parent);
    for (const tx of queued) chain.queueWalletTx(tx);
    // The last one of the queue spends an output that does not exist in this block.
    const bad = blockOn(ledger.lastAccepted(), [parent, queued[1]]);
    expect(messageOf(() => chain.verify(bad))).toContain('failed to semantically verify tx');
    const worse = blockOn(ledger.lastAccepted(), [queued[0], spend([[other, 0]])]);
    expect(messageOf(() => chain.verify(worse))).toContain('failed to semantically verify tx');
    expect([dropped, chain.waiting(), chain.status(queued[1].id)]).toEqual([[], 2, 'Processing']);
    decide();
    decide();
    expect([parent, ...queued].map(({ id }) => chain.status(id))).toEqual(['Accepted', 'Accepted', 'Accepted']);
  });

  test('--strict: the reason is cached for a transaction that is not in the mempool, as in AvalancheGo', () => {
    const { chain, ledger, decide } = setUp(false);
    const parent = coinSpender(0);
    const child = spend([[parent.id, 0]]);
    messageOf(() => chain.verify(blockOn(ledger.lastAccepted(), [child])));
    chain.issue(parent);
    decide();
    expect(messageOf(() => chain.issue(child))).toBe('not found');
  });
});

describe('a foreign block that conflicts with the mempool', () => {
  test('displaces the conflicting transaction, which comes back if the block is rejected', () => {
    const { chain, ledger } = setUp();
    const mine = coinSpender(0, 'mine');
    chain.issue(mine);
    const foreign = blockOn(ledger.lastAccepted(), [coinSpender(0, 'theirs')]);
    chain.verify(foreign);
    expect([chain.waiting(), chain.status(mine.id)]).toEqual([0, 'Processing']);
    chain.reject(foreign.id);
    expect(chain.mempool.get(mine.id)).toBeDefined();
    expect(chain.status(mine.id)).toBe('Processing');
  });

  test('drops it with a reason if the block is accepted; the wallet queue goes on', () => {
    const dropped: [Id, string][] = [];
    const { chain, ledger } = setUp(true, 100, { onDropped: ({ id }, { fault }) => void dropped.push([id, fault.code]) });
    const [mine, next] = [coinSpender(0, 'mine'), coinSpender(1, 'next')];
    for (const tx of [mine, next]) chain.queueWalletTx(tx);
    const foreign = blockOn(ledger.lastAccepted(), [coinSpender(0, 'theirs')]);
    chain.verify(foreign);
    chain.accept([foreign.id]);
    expect(dropped).toEqual([[mine.id, 'MEMPOOL_CONFLICT']]);
    expect([chain.status(mine.id), chain.mempool.get(next.id)?.id]).toEqual(['Rejected', next.id]);
  });

  test('one that was issued while the block was processing is dropped too', () => {
    const { chain, ledger } = setUp();
    const foreign = blockOn(ledger.lastAccepted(), [coinSpender(0, 'theirs')]);
    chain.verify(foreign);
    const mine = coinSpender(0, 'mine');
    chain.issue(mine);
    chain.accept([foreign.id]);
    expect([chain.waiting(), chain.status(mine.id)]).toEqual([0, 'Rejected']);
  });
});

test('a transaction of a rejected block that was accepted with another block does not come back', () => {
  const { chain, ledger } = setUp();
  const tx = coinSpender(0);
  const [left, right] = [blockOn(ledger.lastAccepted(), [tx]), blockOn(ledger.lastAccepted(), [tx, coinSpender(1)])];
  chain.verify(left);
  chain.verify(right);
  chain.accept([left.id]);
  chain.reject(right.id);
  expect([...chain.mempool.all()].map(({ id }) => id)).toEqual([coinSpender(1).id]);
});

test('a chain of blocks is accepted in one commit, or not at all', () => {
  const { chain, ledger } = setUp();
  const genesisID = chain.lastAccepted();
  const blocks: Block[] = [];
  for (let i = 0; i < 3; i++) blocks.push(blockOn(blocks.at(-1) ?? ledger.lastAccepted(), [coinSpender(i)]));
  for (const block of blocks) chain.verify(block);
  const ids = blocks.map(({ id }) => id);
  const full = () => {
    throw new Error('disk full');
  };
  expect(() => chain.accept(ids, full)).toThrow('disk full');
  expect([chain.lastAccepted(), chain.processing()]).toEqual([genesisID, 3]);
  let written = 0;
  chain.accept(ids, () => written++);
  expect([chain.lastAccepted(), chain.processing(), written]).toEqual([ids[2]!, 0, 1]);
  expect([0n, 1n, 3n, 4n].map(chain.blockIdAtHeight)).toEqual([genesisID, ids[0], ids[2], undefined]);
  expect(chain.blockBytes(ids[1]!)).toEqual(blocks[1]!.bytes);
});

test('a block that is not stored drops no transaction that spends an output of another one', () => {
  const [a, b] = [coinSpender(0), spend([[genesis.id, 1]], 'b', 60_000)];
  // The child of `a` is in its block, the child of `b` in the next one.
  const txs = [a, spend([[a.id, 0]]), b, spend([[genesis.id, 2]], 'other', 60_000), spend([[b.id, 0]], 'child', 60_000)];
  const { chain, ledger, decide } = setUp();
  for (const tx of txs) chain.issueAfterPending(tx);
  const failed = chain.build()!;
  chain.verify(failed);
  const accept = spyOn(ledger, 'accept').mockImplementationOnce(() => {
    throw new Error('disk is full');
  });
  expect(() => chain.accept([failed.id])).toThrow('disk is full');
  chain.reject(failed.id);
  expect(chain.waiting()).toBe(5);
  for (let i = 0; i < 3; i++) decide();
  accept.mockRestore();
  expect(txs.map(({ id }) => chain.status(id))).toEqual(txs.map(() => 'Accepted'));
});

describe('preverify', () => {
  test('recovers the signers of the transactions of a block that are not known yet, and waits for them', async () => {
    const prepared: Id[] = [];
    let finish = () => {};
    const waiting = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const recoverAhead = (tx: Tx) => {
      prepared.push(tx.id);
      return waiting;
    };
    const { chain, ledger } = setUp(true, 100, { recoverAhead });
    const [known, unknown] = [coinSpender(0), coinSpender(1)];
    chain.issue(known);
    const block = blockOn(ledger.lastAccepted(), [known, unknown]);
    let isDone = false;
    const done = chain.preverify(block).then(() => {
      isDone = true;
    });
    await Promise.resolve();
    expect([prepared, isDone]).toEqual([[unknown.id], false]);
    finish();
    await done;
    chain.verify(block);
    await chain.preverify(blockOn({ id: other, height: 7n }, [coinSpender(2)]));
    expect(prepared).toEqual([unknown.id]);
  });
});

test('while it bootstraps, a chain accepts no transactions and tells its verifier', () => {
  const modes: boolean[] = [];
  const { chain } = setUp(true, 100, { verifier: { ...verifier, setBootstrapping: (on) => void modes.push(on) } });
  chain.setBootstrapping(true);
  for (const issue of [chain.issue, chain.queueWalletTx, chain.checkIssuable])
    expect(messageOf(() => issue(coinSpender(0)))).toBe('chain not synced');
  expect(chain.nextBuildTime()).toBeUndefined();
  chain.setBootstrapping(false);
  expect(messageOf(() => chain.issue(coinSpender(0)))).toBe('accepted');
  expect([modes, chain.nextBuildTime()]).toEqual([[true, false], 0]);
});
