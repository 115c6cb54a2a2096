import { expect, test } from 'bun:test';
import type { Tx } from '../../avm/tx/tx.ts';
import { type Id, idText, zeroId } from '../../base/bytes/id.ts';
import { type AnyFault, Fault } from '../../base/fault.ts';
import { type ChainEvent, createEventBus } from '../../chain/lifecycle/events.ts';
import type { ExplainedStatus } from '../../chain/lifecycle/ledger.ts';
import { createIssueAndWait } from './issue-and-wait.ts';

const tx = { id: 'aa'.repeat(32) as Id } as Tx;

/** A chain whose engine, status and timers the test controls. */
function setUp({ isBlockDue = true, issue = async () => {} }: { isBlockDue?: boolean; issue?: () => Promise<void> } = {}) {
  const bus = createEventBus(() => {});
  const waiting = new Set<() => void>();
  let subscriptions = 0;
  let report: ExplainedStatus = { status: 'Processing' };
  let commitFailure: AnyFault | undefined;
  const issueAndWait = createIssueAndWait({
    running: {
      spec: { id: zeroId },
      engine: { isBlockDue: () => isBlockDue },
      commitFailure: () => commitFailure,
      txIssuer: { issue, explainStatus: async () => report },
    },
    events: {
      subscribe: (kind, listener) => {
        subscriptions++;
        const unsubscribe = bus.subscribe(kind, listener);
        return () => {
          subscriptions--;
          unsubscribe();
        };
      },
    },
    timers: {
      after: (_ms, run) => {
        waiting.add(run);
        return () => void waiting.delete(run);
      },
    },
  });
  return {
    issueAndWait,
    setReport: (next: ExplainedStatus) => {
      report = next;
    },
    failCommits: () => {
      commitFailure = new Fault('database or disk is full', { code: 'STORE_FULL' });
    },
    accept: (id: Id) => bus.publish({ kind: 'accepted', chainID: zeroId, stored: { block: { txs: [{ id }] } } } as unknown as ChainEvent),
    runTimers: async () => {
      for (const run of [...waiting]) {
        waiting.delete(run);
        run();
      }
      await Promise.resolve();
    },
    left: () => subscriptions + waiting.size,
  };
}

/** Whether a promise is still pending after the tasks that are ready have run. */
const isPending = async (promise: Promise<unknown>): Promise<boolean> => {
  for (let i = 0; i < 10; i++) await Promise.resolve();
  return Promise.race([promise.then(() => false), Promise.resolve(true)]);
};

test('waits for the block with the transaction, not for another', async () => {
  const chain = setUp();
  const issued = chain.issueAndWait(tx);
  await Promise.resolve();
  chain.accept('bb'.repeat(32) as Id);
  expect(await isPending(issued)).toBe(true);
  chain.accept(tx.id);
  await issued;
  expect(chain.left()).toBe(0);
});

test('returns at once if no block is due', async () => {
  const chain = setUp({ isBlockDue: false });
  await chain.issueAndWait(tx);
  expect(chain.left()).toBe(0);
});

test('a transaction that is dropped is an error with the reason', async () => {
  const chain = setUp();
  const issued = chain.issueAndWait(tx).catch((error) => [error.fault.code, error.message]);
  await Promise.resolve();
  await chain.runTimers();
  expect(await isPending(issued)).toBe(true);
  chain.setReport({ status: 'Rejected', reason: 'it was spent' });
  await chain.runTimers();
  expect(await issued).toEqual(['DEV_TX_DROPPED', expect.stringContaining('was dropped: it was spent')]);
  expect(chain.left()).toBe(0);
});

test('a block that cannot be stored is an error at the next check, and names the transaction that waits', async () => {
  const chain = setUp();
  const issued = chain.issueAndWait(tx).catch((error) => [error.fault, error.message]);
  await Promise.resolve();
  chain.failCommits();
  await chain.runTimers();
  expect(await issued).toEqual([
    { code: 'DEV_NOT_STORED', txID: idText(tx.id), cause: 'STORE_FULL' },
    expect.stringMatching(/could not be stored: database or disk is full\. It waits in the mempool; do not send it again$/),
  ]);
  expect(chain.left()).toBe(0);
});

test('returns after ten seconds although the transaction still waits', async () => {
  const chain = setUp();
  const issued = chain.issueAndWait(tx);
  await Promise.resolve();
  for (let i = 0; i < 200; i++) await chain.runTimers();
  expect(await isPending(issued)).toBe(true);
  await chain.runTimers();
  await issued;
  expect(chain.left()).toBe(0);
});

test('an error of the rules is passed on', async () => {
  const chain = setUp({ issue: () => Promise.reject(new Error('not valid')) });
  expect(await chain.issueAndWait(tx).catch((error) => error.message)).toBe('not valid');
  expect(chain.left()).toBe(0);
});
