import { expect, test } from 'bun:test';
import { zeroId } from '../../base/bytes/id.ts';
import { createVirtualTiming } from '../../base/timing/virtual-timing.fixture.ts';
import { FollowError, invalidResponse, noResponse } from './fault.ts';
import type { Remote } from './remote.ts';
import { withDeadline, withRetries } from './retrying-remote.ts';

const refused = new FollowError('no', { code: 'FOLLOW_REFUSED', method: 'm', rpcCode: -1 });
const silent = noResponse('m', 'w');

/** A node that fails with these errors, one after the other, and then answers 7; each request takes some milliseconds. */
function createNode(errors: readonly unknown[], milliseconds = 0) {
  const { timing, until } = createVirtualTiming();
  const left = [...errors];
  const requests: { at: number; args: unknown[] }[] = [];
  const request = async (...args: unknown[]): Promise<never> => {
    requests.push({ at: timing.now(), args });
    if (milliseconds > 0) await new Promise<void>((resolve) => timing.after(milliseconds, resolve));
    if (left.length > 0) throw left.shift();
    return 7 as never;
  };
  const names = ['networkID', 'blockchainID', 'height', 'blockAt', 'tx', 'txStatus', 'utxos', 'foreignTx', 'issueTx', 'issueWalletTx'];
  const remote = { url: 'http://node', ...Object.fromEntries(names.map((name) => [name, request])) } as unknown as Remote;
  const abort = new AbortController();
  /** What a call results in: its value, or the error. */
  const outcome = async (call: Promise<unknown>): Promise<unknown> => {
    let result: unknown;
    let isDone = false;
    const end = (value: unknown): void => {
      [result, isDone] = [value, true];
    };
    call.then(end, end);
    await until(() => isDone);
    return result;
  };
  return { remote, requests, abort, options: { timing, signal: abort.signal }, outcome };
}

test('a request is retried after temporary errors, three times in all, with growing delays', async () => {
  const { remote, requests, options, outcome } = createNode([silent, invalidResponse('m', 'w')]);
  expect(await outcome(withRetries(remote, options).tx(zeroId, 50))).toBe(7);
  expect(requests.map(({ at }) => at)).toEqual([0, 75, 225]);
  expect(requests.map(({ args }) => args)).toEqual(Array.from({ length: 3 }, () => [zeroId, 50]));
  const failing = createNode([silent, silent, silent]);
  expect(await failing.outcome(withRetries(failing.remote, failing.options).height())).toBe(silent);
  expect(failing.requests).toHaveLength(3);
});

test('a refusal is not retried', async () => {
  const { remote, requests, options, outcome } = createNode([refused]);
  expect([await outcome(withRetries(remote, options).height()), requests.length]).toEqual([refused, 1]);
  const once = createNode([silent]);
  expect(await once.outcome(withRetries(once.remote, { ...once.options, maxAttempts: 1 }).height())).toBe(silent);
});

test('all reading requests are retried; issuing a transaction is not', async () => {
  for (const name of ['networkID', 'blockchainID', 'height', 'blockAt', 'tx', 'txStatus', 'utxos', 'foreignTx', 'issueTx'] as const) {
    const { remote, options, outcome } = createNode([silent]);
    const call = (withRetries(remote, options)[name] as () => Promise<unknown>)();
    expect([name, await outcome(call)]).toEqual([name, name === 'issueTx' ? silent : 7]);
  }
});

test('when following ends, nothing is retried', async () => {
  const { remote, requests, options, abort, outcome } = createNode([silent]);
  abort.abort();
  expect(await outcome(withRetries(remote, options).height())).toMatchObject({ fault: { code: 'FOLLOW_STOPPED' } });
  expect(requests).toHaveLength(1);
});

test('callers wait for all attempts together at most 4.5 s', async () => {
  const { remote, requests, options, outcome } = createNode([silent, silent], 2000);
  expect(await outcome(withDeadline(remote, options).tx(zeroId))).toBe(7);
  expect(requests).toEqual([
    { at: 0, args: [zeroId, 4500] },
    { at: 2075, args: [zeroId, 2425] },
    { at: 4225, args: [zeroId, 275] },
  ]);
  const slow = createNode([silent, silent], 4425);
  expect(await slow.outcome(withDeadline(slow.remote, slow.options).height())).toBe(silent);
  expect(slow.requests).toHaveLength(1);
  const justInTime = createNode([silent], 4424);
  expect(await justInTime.outcome(withDeadline(justInTime.remote, justInTime.options).height())).toBe(7);
});

test('requests of callers: issuing is retried too, refusals are not, and there are three attempts', async () => {
  const bytes = new Uint8Array([1]);
  const calls = {
    height: [],
    tx: [zeroId],
    txStatus: [zeroId],
    issueTx: [bytes],
    issueWalletTx: [bytes],
  } as const;
  for (const [name, args] of Object.entries(calls)) {
    const { remote, requests, options, outcome } = createNode([silent]);
    const caller = withDeadline(remote, options)[name as keyof typeof calls] as (...args: unknown[]) => Promise<unknown>;
    expect([name, await outcome(caller(...args))]).toEqual([name, 7]);
    expect(requests.map((one) => one.args)).toEqual([
      [...args, 4500],
      [...args, 4425],
    ]);
  }
  for (const [errors, count] of [[[refused], 1] as const, [[silent, silent, silent], 3] as const]) {
    const { remote, requests, options, outcome } = createNode(errors);
    expect(await outcome(withDeadline(remote, options).height())).toBe(errors[0]);
    expect(requests).toHaveLength(count);
  }
});
