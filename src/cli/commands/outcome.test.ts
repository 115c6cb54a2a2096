import { expect, test } from 'bun:test';
import type { ClientContext } from './client-command.ts';
import { waitForOutcome } from './outcome.ts';

const policyOf = (automine: boolean, interval: number) => ({
  ...{
    version: '1',
    network: { id: 1, name: 'n', hrp: 'h' },
    blockchainID: 'b',
    height: '1',
    blockID: 'b',
    blockTime: '0',
    time: '0',
    offset: '0',
  },
  ...{ frozen: false, automine, interval, pending: 0, impersonated: 0, impersonatedAddresses: [], autoImpersonate: false, faults: [] },
});

/** A command whose node answers with one status after the other. `waits`: what a terminal shows. */
function open(statuses: string[], policy?: object, noWait = false) {
  const waits: string[] = [];
  const call = async (_: string, method: string) => {
    if (method === 'avm.getTxStatus') return { status: statuses.length > 1 ? statuses.shift() : statuses[0] };
    if (policy === undefined) throw new Error('no dev methods');
    return policy;
  };
  const wait = <T>(what: string, work: Promise<T>): Promise<T> => {
    waits.push(what);
    return work;
  };
  return { waits, context: { client: { call }, options: { 'no-wait': noWait }, wait } as unknown as ClientContext };
}

test('an accepted or dropped transaction is not waited for', async () => {
  for (const status of ['Accepted', 'Dropped', 'Unknown']) {
    const { context, waits } = open([status]);
    expect([await waitForOutcome(context, 'tx'), waits]).toEqual([{ status }, []]);
  }
  expect(await waitForOutcome(open([]).context, undefined)).toEqual({ status: 'Waiting' });
});

test('a transaction in the mempool is waited for until it is accepted', async () => {
  const { context, waits } = open(['Processing', 'Processing', 'Accepted'], policyOf(true, 0));
  expect(await waitForOutcome(context, 'tx')).toEqual({ status: 'Accepted' });
  expect(waits).toEqual(['waiting until the transaction is accepted']);
  const timed = open(['Processing', 'Accepted'], policyOf(false, 3));
  expect(await waitForOutcome(timed.context, 'tx')).toEqual({ status: 'Accepted' });
  expect(timed.waits).toEqual(['waiting for the next block; one is made every 3 s']);
  const network = open(['Processing', 'Accepted']);
  expect(await waitForOutcome(network.context, 'tx')).toEqual({ status: 'Accepted' });
  expect(network.waits).toEqual(['waiting until the transaction is accepted']);
});

test('where blocks are made by hand, or with --no-wait, the remedy is told at once', async () => {
  const byHand = open(['Processing'], policyOf(false, 0));
  expect(await waitForOutcome(byHand.context, 'tx')).toEqual({
    status: 'Processing',
    remedy: 'blocks are made by hand here: serac mine makes one',
  });
  const impatient = open(['Processing'], policyOf(true, 0), true);
  expect(await waitForOutcome(impatient.context, 'tx')).toEqual({
    status: 'Processing',
    remedy: 'it is in no block yet; serac tx ID shows whether it is',
  });
  expect([byHand.waits, impatient.waits]).toEqual([[], []]);
});
