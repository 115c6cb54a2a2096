import { expect, test } from 'bun:test';
import type { AnyFault } from '../../base/fault.ts';
import { createVirtualClock, settle } from '../../base/timing/virtual-timing.fixture.ts';
import type { Services } from '../rpc/method.ts';
import { createCallFaults } from './call-faults.ts';

function create(methods: readonly string[] = ['avm.getHeight', 'avm.getTx']) {
  const clock = createVirtualClock(0);
  let changes = 0;
  const faults = createCallFaults(clock.after, () => changes++);
  const plain = { methods: new Map(methods.map((name) => [name, { run: () => `${name} ran` }])) } as unknown as Services;
  const services = faults.apply(plain);
  const call = (name: string) => services.methods.get(name)?.run(undefined) as Promise<unknown>;
  const codeOf = async (work: () => unknown): Promise<unknown> => {
    try {
      await work();
    } catch (error) {
      return (error as AnyFault).fault;
    }
    return undefined;
  };
  return { ...faults, clock, services, plain, call, settle, codeOf, changes: () => changes };
}

test('while nothing is ordered the methods are those of the node', () => {
  const { services, plain, isActive, list, setLatency } = create();
  expect([services.methods === plain.methods, isActive(), list()]).toEqual([true, false, []]);
  setLatency(5, '');
  expect([services.methods === plain.methods, isActive()]).toEqual([false, true]);
  setLatency(0, '');
  expect([services.methods === plain.methods, isActive()]).toEqual([true, false]);
});

test('a delay is of all calls, or of one method, and that of the method comes first', async () => {
  const { setLatency, call, clock, settle, list, changes } = create();
  setLatency(100, '');
  setLatency(10, 'avm.getTx');
  expect(list()).toEqual([
    { kind: 'latency', target: '', ms: 100 },
    { kind: 'latency', target: 'avm.getTx', ms: 10 },
  ]);
  const done: string[] = [];
  for (const name of ['avm.getTx', 'avm.getHeight']) void call(name).then((result) => done.push(String(result)));
  clock.advance(10);
  await settle();
  expect(done).toEqual(['avm.getTx ran']);
  clock.advance(90);
  await settle();
  expect(done).toEqual(['avm.getTx ran', 'avm.getHeight ran']);
  setLatency(0, 'avm.getTx');
  expect([list().length, changes()]).toEqual([1, 3]);
});

test('so many calls of a method fail with the message, then it answers again', async () => {
  const { failNext, call, codeOf, list, isActive, changes } = create();
  failNext('avm.getTx', 2, 'out of order');
  expect([list(), isActive(), changes()]).toEqual([[{ kind: 'failure', target: 'avm.getTx', times: 2, message: 'out of order' }], true, 1]);
  expect(await codeOf(() => call('avm.getTx'))).toEqual({ code: 'DEV_ORDERED_FAILURE', method: 'avm.getTx' });
  expect([await call('avm.getHeight'), list()]).toEqual([
    'avm.getHeight ran',
    [{ kind: 'failure', target: 'avm.getTx', times: 1, message: 'out of order' }],
  ] as never);
  await expect(call('avm.getTx')).rejects.toThrow('out of order');
  expect([list(), isActive(), changes(), await call('avm.getTx')]).toEqual([[], false, 3, 'avm.getTx ran']);
  failNext('avm.getTx', 5, 'x');
  failNext('avm.getTx', 0, '');
  expect([list(), isActive()]).toEqual([[], false]);
});

test('a method that does not exist is refused, with the nearest name', async () => {
  const { setLatency, failNext, codeOf } = create();
  const unknown = { code: 'DEV_UNKNOWN_METHOD', method: 'avm.getHeigt', didYouMean: 'avm.getHeight' };
  expect(await codeOf(() => setLatency(5, 'avm.getHeigt'))).toEqual(unknown);
  expect(await codeOf(() => failNext('avm.getHeigt', 1, 'x'))).toEqual(unknown);
});

test('limits: 20 s, a million times, a thousand characters, a hundred methods', async () => {
  const names = Array.from({ length: 101 }, (_, i) => `m.${i}`);
  const { setLatency, failNext, codeOf, list } = create(names);
  const limit = (what: string, max: number) => ({ code: 'DEV_LIMIT', what, max });
  setLatency(20_000, 'm.0');
  expect(await codeOf(() => setLatency(20_001, 'm.0'))).toEqual(limit('ms', 20_000));
  failNext('m.0', 1_000_000, 'x'.repeat(1000));
  expect(await codeOf(() => failNext('m.0', 1_000_001, ''))).toEqual(limit('times', 1_000_000));
  expect(await codeOf(() => failNext('m.0', 1, 'x'.repeat(1001)))).toEqual(limit('characters of error', 1000));
  for (const name of names.slice(1, 100)) {
    setLatency(1, name);
    failNext(name, 1, '');
  }
  expect(list()).toHaveLength(200);
  for (const order of [() => setLatency(1, 'm.100'), () => failNext('m.100', 1, '')])
    expect(await codeOf(order)).toEqual(limit('methods', 100));
  // A method that already has a fault may get another one.
  setLatency(7, 'm.99');
  failNext('m.99', 7, '');
  expect(list()).toHaveLength(200);
});

test('10,000 calls wait at a time; the next is refused until one has ended', async () => {
  const { setLatency, call, codeOf, clock, settle } = create();
  setLatency(50, '');
  const waiting = Array.from({ length: 10_000 }, () => call('avm.getTx'));
  expect(await codeOf(() => call('avm.getTx'))).toEqual({ code: 'DEV_LIMIT', what: 'delayed calls', max: 10_000 });
  clock.advance(50);
  await Promise.all(waiting);
  const next = call('avm.getTx');
  clock.advance(50);
  await settle();
  expect(await next).toBe('avm.getTx ran');
});
