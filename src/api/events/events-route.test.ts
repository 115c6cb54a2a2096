import { expect, test } from 'bun:test';
import { longWork } from '../../base/timing/long-work.fixture.ts';
import { createStreamLimit } from '../access/stream-limit.ts';
import { createParamContext } from '../rest/addresses.ts';
import { createEventsRoute } from './events-route.ts';
import { createEventHub } from './hub.ts';

test('the limit of streams counts IPv6 addresses by their /64, and a stream that ends is free again', async () => {
  const hub = createEventHub({
    log: { id: () => 'log', last: () => 0, read: () => [] },
    textOf: () => expect.unreachable(),
    timers: { soon: (run) => void setImmediate(run), after: () => () => undefined },
    longWork,
    report: (error) => {
      throw error;
    },
  });
  const counted: string[] = [];
  const route = createEventsRoute({
    hub,
    gate: {
      admit: (visit) => {
        counted.push(`${visit.route} ${visit.caller}`);
        return { admitted: true, headers: {} };
      },
    },
    context: { ...createParamContext('local'), asset: () => undefined },
    caller: (request) => request.remoteAddress?.() ?? '',
    streamLimit: createStreamLimit(2),
  });
  const open = async (address: string) => {
    if (!('handler' in route)) return expect.unreachable();
    const request = { method: 'GET', path: '/ext/events', query: '', header: () => null, body: () => new Uint8Array() };
    return route.handler({ ...request, remoteAddress: () => address });
  };
  const [first] = [await open('2001:db8:1:2::1'), await open('2001:db8:1:2::ffff')];
  expect((await open('2001:db8:1:2:3::1')).status).toBe(429);
  expect((await open('2001:db8:1:3::1')).status).toBe(200);
  expect((await open('192.0.2.1')).status).toBe(200);
  // The rate limits count opening a stream, also one that is refused.
  expect(counted).toHaveLength(5);
  expect(counted[0]).toBe('subscribeToEvents 2001:db8:1:2::1');
  await first?.stream?.[Symbol.asyncIterator]().return?.();
  expect((await open('2001:db8:1:2:3::1')).status).toBe(200);
  expect((await open('2001:db8:1:2:3::1')).status).toBe(429);
});
