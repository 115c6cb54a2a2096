import { expect, test } from 'bun:test';
import { createVirtualClock, settle } from '../../base/timing/virtual-timing.fixture.ts';
import { webhookLimits } from '../contract/webhook-schemas.ts';
import { createStateSaver } from './state-saver.ts';
import type { Attempt, DeliveryState } from './webhook.ts';

const state = (position: string): DeliveryState => ({ position }) as DeliveryState;
const attempt = (messageID: string, body?: string): Attempt => ({ messageID, body }) as Attempt;

function create() {
  const clock = createVirtualClock(0);
  const saved: { states: [string, string][]; attempts: [string, string][] }[] = [];
  const results: unknown[] = [];
  let failure: Error | undefined;
  let during = (): void => {};
  const saver = createStateSaver(
    {
      saveStates: async (states, attempts) => {
        saved.push({
          states: [...states].map(([id, { position }]) => [id, position]),
          attempts: [...(attempts ?? new Map<string, readonly Attempt[]>())].map(([id, list]) => [
            id,
            list.map(({ messageID }) => messageID).join(),
          ]),
        });
        during();
        if (failure !== undefined) throw failure;
      },
    },
    clock,
    (error) => results.push(error),
  );
  return {
    ...saver,
    results,
    fail: (error: Error | undefined, whileSaving = (): void => {}): void => {
      [failure, during] = [error, whileSaving];
    },
    pass: async (milliseconds: number) => {
      clock.advance(milliseconds);
      await settle();
      return saved.splice(0);
    },
    saved,
  };
}

test('the newest states and all attempts are stored together, 100 ms after the first change', async () => {
  const { put, addAttempt, unsaved, pass, results } = create();
  put('a', state('1'));
  addAttempt('a', attempt('m1'));
  put('a', state('2'));
  addAttempt('a', attempt('m2'));
  put('b', state('9'));
  expect([unsaved('a')?.position, await pass(99)]).toEqual(['2', []]);
  expect(await pass(1)).toEqual([
    {
      states: [
        ['a', '2'],
        ['b', '9'],
      ],
      attempts: [['a', 'm1,m2']],
    },
  ]);
  expect([unsaved('a'), results, await pass(1000)]).toEqual([undefined, [undefined], []]);
  addAttempt('a', attempt('m3'));
  expect(await pass(100)).toEqual([{ states: [], attempts: [['a', 'm3']] }]);
});

test('what could not be stored is stored later, but not over what is newer', async () => {
  const { put, addAttempt, unsaved, fail, pass, results } = create();
  const failure = new TypeError('disk');
  put('a', state('1'));
  put('b', state('1'));
  addAttempt('a', attempt('m1'));
  fail(failure, () => {
    put('a', state('2'));
    addAttempt('a', attempt('m2'));
  });
  await pass(100);
  expect([unsaved('a')?.position, unsaved('b')?.position, results]).toEqual(['2', '1', [failure]]);
  fail(undefined);
  expect(await pass(100)).toEqual([
    {
      states: [
        ['a', '2'],
        ['b', '1'],
      ],
      attempts: [['a', 'm1,m2']],
    },
  ]);
  expect(results).toEqual([failure, undefined]);
});

test('of the attempts of a webhook that wait, the last fifty are kept, and those whose bodies fit', async () => {
  const { addAttempt, pass } = create();
  for (let i = 0; i <= webhookLimits.attempts; i++) addAttempt('many', attempt(`m${i}`));
  const half = 'x'.repeat(webhookLimits.attemptBytes / 2);
  for (const name of ['l1', 'l2', 'l3']) addAttempt('large', attempt(name, half));
  addAttempt('larger', attempt('one', `${half}${half}`));
  addAttempt('larger', attempt('two', 'y'));
  const [{ attempts = [] } = {}] = await pass(100);
  const kept = new Map(attempts);
  expect([kept.get('many')?.split(',').length, kept.get('many')?.split(',')[0]]).toEqual([50, 'm1']);
  // The one with which the bodies exceed the limit is the first that is kept.
  expect([kept.get('large'), kept.get('larger')]).toEqual(['l1,l2,l3', 'one,two']);
});

test('at the end the rest is stored, once', async () => {
  const { put, close, saved, pass } = create();
  put('a', state('1'));
  await close();
  expect(saved.splice(0)).toEqual([{ states: [['a', '1']], attempts: [] }]);
  expect(await pass(1000)).toEqual([]);
  put('a', state('2'));
  expect(await pass(1000)).toEqual([]);
});
