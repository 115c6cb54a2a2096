import { describe, expect, test } from 'bun:test';
import { recordFigure } from '../../../test/figure.ts';
import { type Block, makeBlock, parseBlock } from '../../avm/tx/block.ts';
import type { Tx } from '../../avm/tx/tx.ts';
import type { EngineBlock } from '../../avm/vm.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import type { Diff } from '../../ledger/state/diff.ts';
import { genesis, importTx, messageOf, other, setUp, spend } from './memory-chain.fixture.ts';

describe('the mempool', () => {
  test('accepts a waiting transaction again without error and names conflicts', () => {
    const { chain } = setUp();
    const a = spend([[genesis.id, 0]]);
    const b = spend([[genesis.id, 0]], 'other');
    chain.issue(a);
    chain.issue(a);
    expect(messageOf(() => chain.issue(b))).toBe(`tx conflicts with other tx: ${idText(b.id)}`);
    expect(chain.mempool.size()).toEqual({ txs: 1, bytes: a.bytes.length });
  });

  test('rejects a transaction larger than 64 KiB', () => {
    const { chain } = setUp();
    const large = spend([[genesis.id, 0]], 'x', 70_000);
    expect(messageOf(() => chain.issue(large))).toBe(`tx too large: ${idText(large.id)} size (${large.bytes.length}) > max size (65536)`);
  });

  test('--strict: a drop reason is cached until 64 others follow, even if the transaction has become valid', () => {
    const { chain, decide } = setUp(false);
    const parent = spend([[genesis.id, 0]]);
    const child = spend([[parent.id, 0]]);
    expect(messageOf(() => chain.issue(child))).toBe('not found');
    chain.issue(parent);
    decide();
    expect(messageOf(() => chain.issue(child))).toBe('not found');
    for (let i = 0; i < 64; i++) messageOf(() => chain.issue(spend([[other, i]])));
    expect(messageOf(() => chain.issue(child))).toBe('accepted');
  });

  test('a transaction that was rejected is verified again', () => {
    const { chain, decide } = setUp();
    const parent = spend([[genesis.id, 0]]);
    const child = spend([[parent.id, 0]]);
    expect(messageOf(() => chain.issue(child))).toBe('not found');
    chain.issue(parent);
    decide();
    expect(messageOf(() => chain.issue(child))).toBe('accepted');
  });
});

test('only the last listener for work is held: an engine that has stopped is not called', () => {
  const { chain } = setUp();
  const called: string[] = [];
  for (const engine of ['stopped', 'running']) chain.onWork(() => void called.push(engine));
  chain.issue(spend([[genesis.id, 0]]));
  expect([...new Set(called)]).toEqual(['running']);
});

describe('a block', () => {
  test('holds waiting transactions, oldest first, up to 128 KiB, and its time is never before its parent', () => {
    const { chain, decide, setNow } = setUp();
    const txs = [0, 1, 2].map((i) => spend([[genesis.id, i]], `${i}`, 60_000));
    for (const tx of txs) chain.issue(tx);
    const first = decide();
    expect(first?.txs.map((tx) => tx.id)).toEqual(txs.slice(0, 2).map((tx) => tx.id));
    setNow(1995n);
    const second = decide();
    expect(second?.time).toBe(2000n);
    expect(second?.height).toBe(2n);
    expect(second?.txs.map((tx) => tx.id)).toEqual([txs[2]!.id]);
    expect(decide()).toBeUndefined();
  });

  test('that fails because the clock is far behind returns its transactions to the mempool', () => {
    const { chain, decide, setNow } = setUp();
    chain.issue(spend([[genesis.id, 0]]));
    decide();
    const next = spend([[genesis.id, 1]]);
    setNow(1500n);
    chain.issue(next);
    expect(messageOf(decide)).toContain('too far in the future');
    expect(chain.status(next.id)).toBe('Processing');
    setNow(2001n);
    expect(decide()?.txs.map((tx) => tx.id)).toEqual([next.id]);
  });

  test('that fails returns its transactions, except one that conflicts with a transaction the wallet queue has added since', () => {
    const { chain, decide, setNow } = setUp();
    chain.issue(spend([[genesis.id, 0]]));
    decide();
    setNow(1500n);
    const [replaced, returned] = [spend([[genesis.id, 1]], 'replaced', 60_000), spend([[genesis.id, 2]], 'returned', 60_000)];
    // The conflicting transaction enters the mempool when the invalid one is dropped, and is too large for the same block.
    const [bad, conflicting] = [spend([[other, 0]], 'bad'), spend([[genesis.id, 1]], 'conflicting', 20_000)];
    for (const tx of [replaced, returned]) chain.issue(tx);
    for (const tx of [bad, conflicting]) chain.queueWalletTx(tx);
    expect(messageOf(decide)).toContain('too far in the future');
    setNow(2001n);
    expect([replaced, returned, conflicting].map(({ id }) => chain.status(id))).toEqual(['Unknown', 'Processing', 'Processing']);
    expect(decide()?.txs.map(({ id }) => id)).toEqual([conflicting.id, returned.id]);
    expect(chain.status(replaced.id)).toBe('Rejected');
  });

  test('does not import the same output twice', () => {
    const { chain, ledger } = setUp();
    const [a, b] = [importTx('a'), importTx('b')];
    const twice = makeBlock({ parentID: chain.lastAccepted(), height: 1n, time: 2000n, txs: [a, b] });
    expect(messageOf(() => chain.verify(twice))).toBe('block contains conflicting transactions');
    const first = makeBlock({ parentID: chain.lastAccepted(), height: 1n, time: 2000n, txs: [a] });
    chain.verify(first);
    const child = makeBlock({ parentID: first.id, height: 2n, time: 2000n, txs: [b] });
    expect(messageOf(() => chain.verify(child))).toContain('conflicts with a transaction in a parent block');
    expect(ledger.lastAccepted().height).toBe(0n);
  });

  test('is rejected by the first rule it violates', () => {
    const { chain } = setUp();
    const tx = spend([[genesis.id, 0]]);
    const good = { parentID: chain.lastAccepted(), height: 1n, time: 2000n, txs: [tx] };
    const rooted = parseBlock(makeBlock(good).bytes.fill(0xbb, 54, 86));
    const cases: [Block, string][] = [
      [rooted, 'unexpected merkle root'],
      [makeBlock({ ...good, time: 2011n, txs: [] }), 'too far in the future'],
      [makeBlock({ ...good, txs: [] }), 'no transactions'],
      [makeBlock({ ...good, parentID: other, txs: [spend([[genesis.id, 0]], 'malformed')] }), 'failed to syntactically verify tx'],
      [makeBlock({ ...good, parentID: other }), 'failed to get parent'],
      [makeBlock({ ...good, height: 2n, time: 1n }), 'incorrect height: expected height 1, got 2'],
      [makeBlock({ ...good, time: 999n }), 'before current chain time'],
      [makeBlock({ ...good, txs: [tx, tx] }), 'failed to semantically verify tx'],
    ];
    for (const [block, text] of cases) expect(messageOf(() => chain.verify(block))).toContain(text);
    expect(messageOf(() => chain.verify(makeBlock({ ...good, time: 2010n })))).toBe('accepted');
  });
});

describe('the status of a refused transaction', () => {
  test('is Unknown with the reason while the transaction it conflicts with is pending, and Rejected when that is accepted', () => {
    const { chain, decide } = setUp();
    const [winner, loser] = [spend([[genesis.id, 0]], 'winner'), spend([[genesis.id, 0]], 'loser')];
    chain.issue(winner);
    expect(chain.explainStatus(loser.id)).toEqual({ status: 'Unknown' });
    const reason = messageOf(() => chain.issue(loser));
    expect(reason).toBe(`tx conflicts with other tx: ${idText(loser.id)}`);
    const refusal = { reason, code: 'MEMPOOL_CONFLICT' };
    expect(chain.explainStatus(loser.id)).toEqual({ status: 'Unknown', ...refusal });
    decide();
    expect([chain.explainStatus(winner.id), chain.explainStatus(loser.id)]).toEqual([
      { status: 'Accepted' },
      { status: 'Rejected', ...refusal },
    ]);
  });

  test('is Unknown while the transaction it conflicts with may still be dropped', () => {
    const { chain, decide } = setUp();
    const [first, second] = [spend([[genesis.id, 0]], 'first'), spend([[genesis.id, 0]], 'second')];
    chain.issue(first);
    messageOf(() => chain.issue(second));
    expect(chain.dropTx(first.id)).toBe(true);
    chain.issue(second);
    decide();
    expect([first, second].map(({ id }) => chain.status(id))).toEqual(['Unknown', 'Accepted']);
    // The dropped one was valid when it was dropped; issued again, it is refused for good.
    messageOf(() => chain.issue(first));
    expect(chain.explainStatus(first.id)).toMatchObject({ status: 'Rejected', code: 'TX_UTXO_NOT_FOUND' });
  });

  test('is Rejected if an accepted transaction spends the missing output later, or if no state can change the rule', () => {
    const { chain, decide } = setUp();
    const parent = spend([[genesis.id, 0]], 'parent');
    const [child, twin] = [spend([[parent.id, 0]], 'child'), spend([[parent.id, 0]], 'twin')];
    messageOf(() => chain.issue(twin));
    expect(chain.status(twin.id)).toBe('Unknown');
    for (const tx of [parent, child]) {
      chain.issue(tx);
      decide();
    }
    expect(chain.explainStatus(twin.id)).toMatchObject({ status: 'Rejected', code: 'TX_UTXO_NOT_FOUND' });
    const malformed = spend([[genesis.id, 1]], 'malformed');
    messageOf(() => chain.issue(malformed));
    expect(chain.status(malformed.id)).toBe('Rejected');
  });

  test('is Processing and Accepted again when the transaction is issued again and is valid now', () => {
    const { chain, decide } = setUp();
    const parent = spend([[genesis.id, 0]], 'parent');
    const child = spend([[parent.id, 0]], 'child');
    const reason = messageOf(() => chain.issue(child));
    expect(chain.explainStatus(child.id)).toEqual({ status: 'Unknown', reason, code: 'TX_UTXO_NOT_FOUND' });
    chain.issue(parent);
    decide();
    chain.issue(child);
    expect(chain.explainStatus(child.id)).toEqual({ status: 'Processing' });
    expect(chain.dropTx(child.id)).toBe(true);
    const dropped = { reason: `dropped from the mempool by dev.dropTx: ${idText(child.id)}`, code: 'MEMPOOL_DROPPED_BY_CALLER' };
    expect(chain.explainStatus(child.id)).toEqual({ status: 'Unknown', ...dropped });
    chain.issue(child);
    decide();
    expect(chain.explainStatus(child.id)).toEqual({ status: 'Accepted' });
  });

  test('is kept for the last 4,096 of them', () => {
    const { chain } = setUp();
    const bad = Array.from({ length: 4097 }, (_, i) => spend([[other, i]], 'bad'));
    for (const tx of bad) messageOf(() => chain.issue(tx));
    expect([0, 1, 4096].map((i) => chain.explainStatus(bad[i]!.id).code)).toEqual([undefined, 'TX_UTXO_NOT_FOUND', 'TX_UTXO_NOT_FOUND']);
  });
});

describe('several blocks at once', () => {
  test('two blocks have the same parent; one is accepted, the other returns its transactions', () => {
    const { chain, ledger } = setUp();
    const [a, b, c] = [spend([[genesis.id, 0]], 'a'), spend([[genesis.id, 1]], 'b'), spend([[genesis.id, 0]], 'c')];
    const left = makeBlock({ parentID: chain.lastAccepted(), height: 1n, time: 2000n, txs: [a] });
    const right = makeBlock({ parentID: chain.lastAccepted(), height: 1n, time: 2001n, txs: [b, c] });
    chain.verify(left);
    chain.verify(right);
    expect(chain.processing()).toBe(2);
    expect(chain.status(b.id)).toBe('Processing');
    chain.accept([left.id]);
    chain.reject(right.id);
    expect(chain.processing()).toBe(0);
    expect(ledger.lastAccepted().id).toBe(left.id);
    expect(chain.status(a.id)).toBe('Accepted');
    expect(chain.status(b.id)).toBe('Processing');
    expect(chain.status(c.id)).toBe('Rejected');
    expect(chain.status(other)).toBe('Unknown');
  });

  test('a child is verified and built on a parent that is not accepted yet', () => {
    const { chain } = setUp();
    const parent = spend([[genesis.id, 0]]);
    const child = spend([[parent.id, 0]]);
    const first = makeBlock({ parentID: chain.lastAccepted(), height: 1n, time: 2000n, txs: [parent] });
    chain.verify(first);
    chain.setPreference(first.id);
    chain.queueWalletTx(child);
    const second = chain.build();
    expect(second?.parentID).toBe(first.id);
    chain.verify(second!);
    chain.accept([first.id]);
    chain.accept([second!.id]);
    expect(chain.status(child.id)).toBe('Accepted');
  });

  test('10,000 blocks, always two of them processing', () => {
    const blocks = 10_000;
    const { chain } = setUp(true, blocks);
    const window = 1_000;
    const windowTimes: number[] = [];
    let previous: EngineBlock | undefined;
    let spent: Id = genesis.id;
    let started = performance.now();
    for (let height = 1; height < blocks; height++) {
      // Every block spends an output of its parent and one from genesis: the latter is looked up through the whole chain of views.
      const tx = spend([
        [spent, 0],
        [genesis.id, height],
      ]);
      spent = tx.id;
      const block = makeBlock({ parentID: previous?.id ?? chain.lastAccepted(), height: BigInt(height), time: 2000n, txs: [tx] });
      chain.verify(block);
      if (previous !== undefined) chain.accept([previous.id]);
      previous = block;
      if ((height + 1) % window !== 0) continue;
      windowTimes.push(performance.now() - started);
      started = performance.now();
    }
    expect(chain.processing()).toBe(1);
    // The first window warms up the compiler. With a chain of diffs the last one is many times as slow as the second.
    recordFigure({
      name: 'the last 1,000 of 10,000 blocks',
      unit: 'ms',
      value: windowTimes.at(-1)!,
      limit: 8 * Math.max(windowTimes[1]!, 5),
    });
  });

  test('the descendants of an accepted block do not keep it in memory', async () => {
    const { chain, ledger } = setUp();
    const diffs: WeakRef<Diff>[] = [];
    const { accept } = ledger;
    Object.assign(ledger, {
      accept: (blocks: Parameters<typeof accept>[0]) => {
        for (const { diff } of blocks) diffs.push(new WeakRef(diff as Diff));
        accept(blocks);
      },
    });
    let parentID = chain.lastAccepted();
    let before: Id | undefined;
    for (let height = 1; height <= 50; height++) {
      const block = makeBlock({ parentID, height: BigInt(height), time: 2000n, txs: [spend([[genesis.id, height]])] });
      chain.verify(block);
      if (before !== undefined) chain.accept([before]);
      before = parentID = block.id;
    }
    // A weak reference is cleared only between turns of the event loop.
    await Bun.sleep(1);
    Bun.gc(true);
    expect(diffs.length).toBe(49);
    expect(diffs.filter((diff) => diff.deref() !== undefined).length).toBeLessThan(10);
    expect(chain.processing()).toBe(1);
  });

  test('a processing block is found with its bytes, as peers ask for it, and an accepted one too', () => {
    const { chain, decide } = setUp();
    chain.issue(spend([[genesis.id, 0]]));
    const accepted = decide() as Block;
    chain.issue(spend([[genesis.id, 1]]));
    const processing = chain.build() as EngineBlock;
    expect(chain.blockBytes(processing.id)).toBeUndefined();
    chain.verify(processing);
    for (const { id, bytes } of [accepted, processing]) {
      expect(chain.blockBytes(id)).toEqual(bytes);
      expect(chain.block(id)?.bytes).toEqual(bytes);
    }
  });

  test('only a processing block can be decided', () => {
    const { chain } = setUp();
    expect(messageOf(() => chain.accept([other]))).toContain('block not found');
    expect(messageOf(() => chain.reject(other))).toContain('block not found');
  });
});

describe('the wallet queue', () => {
  const chained = (length: number): Tx[] => {
    const txs: Tx[] = [];
    for (let i = 0; i < length; i++) txs.push(spend([[txs.at(-1)?.id ?? genesis.id, 0]]));
    return txs;
  };

  test('issues each transaction when the one before it is accepted', () => {
    const { chain, decide } = setUp();
    const txs = chained(5);
    for (const tx of txs) chain.queueWalletTx(tx);
    chain.queueWalletTx(txs[2]!);
    expect(chain.mempool.size().txs).toBe(1);
    for (const tx of txs) {
      expect(chain.status(tx.id)).toBe('Processing');
      expect(decide()?.txs.map(({ id }) => id)).toEqual([tx.id]);
    }
    expect(chain.status(txs[4]!.id)).toBe('Accepted');
  });

  test('goes on after a revert to a state that was saved while the signers of its first transaction were recovered', () => {
    const { chain, decide } = setUp(true, 100, { recoverAhead: () => new Promise(() => {}) });
    const [first, second] = chained(2) as [Tx, Tx];
    for (const tx of [first, second]) chain.queueWalletTx(tx);
    decide();
    const saved = chain.pending();
    chain.continueAfterRevert(saved);
    expect(decide()?.txs.map(({ id }) => id)).toEqual([second.id]);
    expect(chain.pending()).toEqual({ mempool: [], walletQueue: [] });
  });

  const behindBad = [spend([[other, 9]], 'bad'), spend([[genesis.id, 3]], 'good')];

  test('drops an invalid transaction and issues the next', () => {
    const { chain, decide } = setUp();
    for (const tx of behindBad) chain.queueWalletTx(tx);
    expect(decide()?.txs.map(({ id }) => id)).toEqual([behindBad[1]!.id]);
  });

  test('drops a malformed transaction and issues the next', () => {
    const { chain, decide } = setUp();
    for (const tx of [spend([[genesis.id, 4]], 'malformed'), behindBad[1]!]) chain.queueWalletTx(tx);
    expect(decide()?.txs.map(({ id }) => id)).toEqual([behindBad[1]!.id]);
  });

  test('--strict: an invalid transaction blocks the queue forever', () => {
    const { chain, decide } = setUp(false);
    for (const tx of behindBad) chain.queueWalletTx(tx);
    expect(decide()).toBeUndefined();
    expect(decide()).toBeUndefined();
    chain.issue(behindBad[1]!);
    expect(decide()?.txs).toHaveLength(1);
  });
});
