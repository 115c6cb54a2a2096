import { describe, expect, test } from 'bun:test';
import { createVirtualClock } from '../../base/timing/virtual-timing.fixture.ts';
import { maxLoggedCalls } from '../contract/dev-call-methods.ts';
import { createCallLog, keptAfterRead, maxLogBytes } from './call-log.ts';
import type { CallRecord } from './call-record.ts';

const call = (changes: object = {}): CallRecord =>
  ({ path: '/ext/bc/X', methods: ['avm.getHeight'], error: undefined, request: {}, answer: {}, ...changes }) as unknown as CallRecord;
const everything = { after: 0, limit: 9999, text: '', onlyErrors: false };

function create() {
  const clock = createVirtualClock(1_000_000);
  const [switches, news]: [boolean[], number[]] = [[], []];
  const log = createCallLog({
    now: clock.now,
    after: clock.after,
    onSwitch: async (isOn) => void switches.push(isOn),
    onNews: (last) => news.push(last),
  });
  const numbers = (wanted: object = {}): number[] => log.list({ ...everything, ...wanted }).map(({ number }) => number);
  return { ...log, clock, switches, news, numbers };
}

describe('the log of calls', () => {
  test('keeps calls from the first question on, until five minutes after the last', async () => {
    const { ask, add, isOn, read, clock, switches, numbers } = create();
    add([call()], 1);
    expect([isOn(), read(), switches]).toEqual([false, { last: 0, kept: 0, skipped: 0, since: 0 }, []]);
    await ask();
    add([call(), call()], 3);
    expect([isOn(), read()]).toEqual([true, { last: 2, kept: 2, skipped: 3, since: 1_000_000 }]);
    clock.advance(keptAfterRead - 1);
    await ask();
    expect(switches).toEqual([true]);
    clock.advance(keptAfterRead - 1);
    expect([isOn(), numbers()]).toEqual([true, [2, 1]]);
    clock.advance(1);
    expect([isOn(), numbers(), switches, read()]).toEqual([false, [], [true, false], { last: 2, kept: 0, skipped: 0, since: 1_000_000 }]);
    await ask();
    add([call()], 0);
    expect([numbers(), read().since, switches]).toEqual([[3], 1_000_000 + 2 * keptAfterRead - 1, [true, false, true]]);
  });

  test('lists newest first what is asked for: after a number, with a text, with an error', async () => {
    const { ask, add, numbers, find } = create();
    await ask();
    add(
      [
        call(),
        call({ methods: ['dev.send', 'info.peers'] }),
        call({ error: { message: 'bad' } }),
        call({ path: '/v1/Networks', methods: [] }),
      ],
      0,
    );
    expect([numbers(), numbers({ limit: 2 }), numbers({ after: 2 }), numbers({ after: 4 })]).toEqual([[4, 3, 2, 1], [4, 3], [4, 3], []]);
    expect([numbers({ onlyErrors: true }), numbers({ text: 'PEERS' }), numbers({ text: 'networks' }), numbers({ text: 'none' })]).toEqual([
      [3],
      [2],
      [4],
      [],
    ]);
    expect([find(2)?.methods, find(5)]).toEqual([['dev.send', 'info.peers'], undefined]);
  });

  test('has at most so many calls, and so many bytes of texts', async () => {
    const { ask, add, numbers, read } = create();
    await ask();
    add(
      Array.from({ length: maxLoggedCalls }, () => call()),
      0,
    );
    expect(read().kept).toBe(maxLoggedCalls);
    add([call()], 0);
    expect([read().kept, numbers().at(-1)]).toEqual([maxLoggedCalls, 2]);
    const rest = 500 + 2 * ('/p'.length + 'agent'.length + 'bad'.length + 'request'.length);
    const large = (bytes: number): CallRecord => {
      const texts = { request: { text: 'request' }, answer: { text: 'x'.repeat((bytes - rest) / 2) } };
      return call({ path: '/p', userAgent: 'agent', error: { message: 'bad' }, ...texts });
    };
    add([large(maxLogBytes)], 0);
    expect(numbers()).toEqual([maxLoggedCalls + 2]);
    add([large(maxLogBytes / 2), large(maxLogBytes / 2)], 0);
    expect(numbers()).toEqual([maxLoggedCalls + 4, maxLoggedCalls + 3]);
    add([large(maxLogBytes / 2 + 2)], 0);
    expect(numbers()).toEqual([maxLoggedCalls + 5]);
  });

  test('announces new calls at once, then at most four times a second', async () => {
    const { ask, add, clock, news } = create();
    await ask();
    add([], 0);
    expect(news).toEqual([]);
    add([call()], 0);
    add([call()], 0);
    clock.advance(249);
    add([call()], 0);
    expect(news).toEqual([1]);
    clock.advance(1);
    expect(news).toEqual([1, 3]);
    clock.advance(1000);
    expect(news).toEqual([1, 3]);
    add([], 2);
    expect(news).toEqual([1, 3, 3]);
  });

  test('announces nothing after its end, and a closed log ends no more', async () => {
    const { ask, add, close, clock, news, switches, isOn } = create();
    await ask();
    clock.advance(keptAfterRead - 100);
    add([call()], 0);
    add([call()], 0);
    clock.advance(1000);
    expect(news).toEqual([1]);
    await ask();
    close();
    clock.advance(2 * keptAfterRead);
    expect([switches, isOn()]).toEqual([[true, false, true], true]);
    create().close();
  });
});
