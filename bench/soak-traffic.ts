import type { Tx } from '../src/avm/tx/tx.ts';
import { idText } from '../src/base/bytes/id.ts';
import type { EventFollower } from '../test/event-follower.ts';
import type { Client } from '../test/http.ts';
import type { SteadyLoad } from '../test/steady-load.ts';
import { BenchError } from './fault.ts';
import { rpcBody, xPath } from './fixture.ts';
import { createMixedReads } from './mixed-reads.ts';
import { median } from './report.ts';
import type { LoadCall } from './socket-load.ts';

/** Requests of mixed reads, more than the response cache holds. */
const readCount = 20_000;
/** Accepted transactions that the mixed reads ask for. */
const readTxs = 256;
/** Blocks that they ask for. */
const readBlocks = 10;
/** Milliseconds within which the event of a transaction must come. */
const acceptTimeout = 60_000;

type Pending = { readonly since: number; readonly accepted: Promise<void>; readonly reject: (error: Error) => void };

/** Transactions, and after each a read. A sender goes on when the event of its transaction has come. */
export function createTraffic(client: Client, load: SteadyLoad, events: EventFollower) {
  const problems: string[] = [];
  const count = { transactions: 0, reads: 0 };
  const pending = new Map<string, Pending>();
  let delays: number[] = [];
  let reads: readonly LoadCall[] = [];
  const accepted: Tx[] = [];

  const nextRead = (tx: Tx | undefined): LoadCall => {
    const number = count.reads++;
    if (accepted.length < readTxs || events.counts().blocks < readBlocks || (number % 2 === 0 && tx !== undefined))
      return { path: xPath, body: tx === undefined ? rpcBody('avm.getHeight') : rpcBody('avm.getTxStatus', { txID: idText(tx.id) }) };
    if (reads.length === 0)
      reads = createMixedReads({ richAddress: load.addresses[1] as string, smallTxs: accepted, wideTxs: accepted }, readCount);
    return reads[(number >> 1) % reads.length] as LoadCall;
  };
  const read = async (tx: Tx | undefined): Promise<void> => {
    const { path, body } = nextRead(tx);
    const { status, text } =
      body === undefined ? await client.send('GET', path) : await client.send('POST', path, { 'content-type': 'application/json' }, body);
    if (status !== 200 || text.includes('"error":{')) problems.push(`${path} ${body ?? ''}: ${status} ${text.slice(0, 200)}`);
  };

  const onIssue = (tx: Tx): void => {
    const txID = idText(tx.id);
    const since = performance.now();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    pending.set(txID, { since, accepted: promise, reject });
    void events.untilTx(txID).then(() => {
      delays.push(performance.now() - since);
      if (accepted.length < readTxs) accepted.push(tx);
      resolve();
    });
  };
  const untilAccepted = async ({ id }: Tx): Promise<void> => {
    const txID = idText(id);
    await pending.get(txID)?.accepted;
    pending.delete(txID);
  };
  /** The oldest ones are first. */
  const rejectLate = (): void => {
    for (const [txID, { since, reject }] of pending) {
      if (performance.now() - since < acceptTimeout) return;
      reject(new BenchError(`no event of ${txID} came within ${acceptTimeout / 1000} s`));
    }
  };
  return {
    problems,
    counts: () => ({ ...count }),
    /** Runs at a rate until a value of `performance.now()`; returns the transactions per second. */
    run: async (rate: number, until: number): Promise<number> => {
      const start = performance.now();
      const late = setInterval(rejectLate, 5000);
      try {
        const issued = await load.run({ rate, until, onIssue, untilAccepted, afterEach: read });
        count.transactions += issued;
        return (issued / (performance.now() - start)) * 1000;
      } finally {
        clearInterval(late);
      }
    },
    takeDelay: (): number | undefined => {
      const taken = delays;
      delays = [];
      return taken.length === 0 ? undefined : median(taken);
    },
  };
}
