import { expect, test } from 'bun:test';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { createVirtualTiming } from '../../base/timing/virtual-timing.fixture.ts';
import { createDialer } from './dialer.ts';

const [a, b] = ['a', 'b'] as unknown as [NodeId, NodeId];
const at = (port: number, ip = '9.9.9.9') => ({ ip, port });
const limits = { dialsPerSecond: 50, initialReconnectDelay: 1000, maxReconnectDelay: 60_000, dialTimeout: 7, allowPrivateIps: false };

type World = { answers?: boolean; reached?: NodeId; wanted?: boolean; open?: boolean; cutOff?: boolean };

/** A dialer whose random bytes are all `random`. A test may change `world` while the dialer runs. */
function create(world: World = {}, options: Partial<typeof limits> = {}, random = 0) {
  const { timing, pass } = createVirtualTiming();
  const dials: [port: number, time: number][] = [];
  const log: string[] = [];
  let [closed, opened] = [0, 0];
  const dialer = createDialer({
    sockets: {
      dial: async ({ port }: { port: number }, timeout: number) => {
        expect(timeout).toBe(7);
        dials.push([port, Math.round(timing.now())]);
        if (world.answers !== true) throw new TypeError('refused');
        return { close: () => closed++ };
      },
    },
    timing: { ...timing, randomBytes: (length: number) => new Uint8Array(length).fill(random) },
    options: { ...limits, ...options },
    log: (line: string) => log.push(line),
    isWanted: () => world.wanted !== false,
    isOpen: () => world.open === true,
    isCutOff: () => world.cutOff === true,
    opened: () => {
      opened++;
      return world.reached;
    },
  } as never);
  return { ...dialer, dials, log, pass, times: () => dials.map(([, time]) => time), counts: () => ({ closed, opened }) };
}

test('a node is dialled at once, and again after delays that grow', async () => {
  const { track, pass, times, log, count } = create({}, {}, 128);
  track(a, at(1));
  await pass(12_000);
  // Each is 1.5 times as long as the one before, and a bit: 128 of 256 in each byte is slightly more than a half.
  const [first, second, third, fourth, fifth] = times() as [number, number, number, number, number];
  expect([first, second, count()]).toEqual([0, 1502, 1]);
  expect([third - second, fourth - third, fifth - fourth]).toEqual([2256, 3388, expect.any(Number)]);
  expect(log[0]).toBe('cannot connect to a peer at 9.9.9.9:1: TypeError: refused');
});

test('the longest delay is a minute, or two seconds while this node is cut off', async () => {
  const gaps = (times: readonly number[]): number[] => times.slice(1).map((time, i) => time - (times[i] as number));
  const far = create({}, { initialReconnectDelay: 50_000 }, 255);
  far.track(a, at(1));
  await far.pass(300_000);
  // From 45 s to 60 s.
  for (const gap of gaps(far.times()).slice(1)) expect([gap > 59_000, gap <= 60_000]).toEqual([true, true]);
  const cut = create({ cutOff: true }, { initialReconnectDelay: 1500 }, 0);
  cut.track(a, at(1));
  await cut.pass(9000);
  expect(gaps(cut.times()).every((gap) => gap >= 1500 && gap <= 2000)).toBe(true);
  const short = create({ cutOff: true }, { initialReconnectDelay: 900, maxReconnectDelay: 800 }, 0);
  short.track(a, at(1));
  await short.pass(1300);
  expect(gaps(short.times())).toEqual([600, 600]);
});

test('who is no longer wanted is forgotten; an open connection is not dialled again', async () => {
  const unwanted = create({ wanted: false });
  unwanted.track(a, at(1));
  await unwanted.pass(5000);
  expect([unwanted.dials, unwanted.count()]).toEqual([[], 0]);
  const open = create({ open: true });
  open.track(a, at(1));
  await open.pass(5000);
  expect([open.dials, open.count()]).toEqual([[], 1]);
});

test('an address that is private or none is not dialled, unless private ones are allowed', async () => {
  for (const ip of ['10.0.0.1', '127.0.0.1', 'example.com']) {
    const { track, pass, dials } = create();
    track(a, at(1, ip));
    await pass(5000);
    expect([ip, dials]).toEqual([ip, []]);
  }
  const { track, pass, dials } = create({}, { allowPrivateIps: true });
  track(a, at(1, '10.0.0.1'));
  await pass(1);
  expect(dials).toHaveLength(1);
});

test('so many dials per second go out, and the others wait', async () => {
  const { track, pass, times } = create({}, { dialsPerSecond: 2, initialReconnectDelay: 50_000 });
  for (let i = 0; i < 5; i++) track(`${i}` as unknown as NodeId, at(i));
  await pass(1999);
  expect(times()).toEqual([0, 0, 500, 1000, 1500]);
});

test('a node that was reached is not dialled again; another one at its address is', async () => {
  const right = create({ answers: true, reached: a });
  right.track(a, at(1));
  await right.pass(5000);
  expect([right.times(), right.counts()]).toEqual([[0], { closed: 0, opened: 1 }]);
  const wrong = create({ answers: true, reached: b });
  wrong.track(a, at(1));
  await wrong.pass(1500);
  expect([wrong.times().length, wrong.log[0]]).toEqual([2, 'another node than expected answers at 9.9.9.9:1']);
  const lost = create({ answers: true });
  lost.track(a, at(1));
  await lost.pass(1500);
  expect([lost.times().length, lost.log]).toEqual([2, []]);
});

test('a new address is dialled at the delay reached so far, and the old one no more', async () => {
  const { track, pass, dials } = create();
  track(a, at(1));
  await pass(500);
  track(a, at(2));
  await pass(5000);
  expect(dials.slice(0, 2)).toEqual([
    [1, 0],
    [2, 1500],
  ]);
  expect(dials.slice(1).every(([port]) => port === 2)).toBe(true);
});

test('a retry waits for the delay reached so far; a node that is not tracked is none', async () => {
  const world: World = { answers: true, reached: a };
  const { track, retry, stop, pass, times, count } = create(world);
  track(a, at(1));
  await pass(100);
  retry(a);
  retry(b);
  await pass(999);
  expect(times()).toEqual([0]);
  await pass(1);
  expect(times()).toEqual([0, 1100]);
  stop(a);
  retry(a);
  await pass(90_000);
  expect([times().length, count()]).toEqual([2, 0]);
});

test('after closing nothing is dialled, and a connection that opens then is closed', async () => {
  const { track, retry, close, pass, times, counts, count } = create({ answers: true, reached: a });
  track(a, at(1));
  track(b, at(2));
  await pass(0);
  close();
  track(a, at(3));
  retry(b);
  await pass(90_000);
  expect([count(), times().length <= 2]).toEqual([0, true]);
  const { opened, closed } = counts();
  expect(opened + closed).toBe(times().length);
});
