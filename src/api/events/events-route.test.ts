import { expect, test } from 'bun:test';
import { longWork } from '../../base/timing/long-work.fixture.ts';
import { createOwnStreamLimit, createStreamLimit } from '../access/stream-limit.ts';
import { createParamContext } from '../rest/addresses.ts';
import { createEventsRoute } from './events-route.ts';
import { createEventHub } from './hub.ts';

test('the limit of streams counts IPv6 addresses by their /64, and a stream that ends is free again', async () => {
  const hub = createEventHub({
    log: { id: async () => 'log', last: async () => 0, read: async () => [] },
    textOf: () => expect.unreachable(),
    timers: { soon: (run) => void setImmediate(run), after: () => () => undefined },
    longWork,
    logError: (error) => {
      throw error;
    },
  });
  const counted: string[] = [];
  const route = createEventsRoute({
    hub,
    gate: {
      admit: async (visit) => {
        counted.push(`${visit.route} ${visit.caller}`);
        return { admitted: true, headers: {} };
      },
      stillAdmits: async () => true,
    },
    context: { ...createParamContext('local'), asset: () => undefined },
    caller: (request) => request.remoteAddress?.() ?? '',
    streamLimit: createOwnStreamLimit(createStreamLimit(2)),
  });
  const open = async (address: string) => {
    if (!('handler' in route)) return expect.unreachable();
    const request = { method: 'GET', path: '/ext/events', query: '', header: () => null, body: async () => new Uint8Array() };
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

test('a stream ends within a second or so after its key was revoked, and one without a key goes on', async () => {
  let isValid: boolean | Promise<boolean> = true;
  const waiting: (() => void)[] = [];
  const passSecond = async (): Promise<void> => {
    for (const run of waiting.splice(0)) run();
    for (let turn = 0; turn < 5; turn++) await Bun.sleep(0);
  };
  const hub = createEventHub({
    log: { id: async () => 'log', last: async () => 0, read: async () => [] },
    textOf: () => expect.unreachable(),
    timers: { soon: (run) => void setImmediate(run), after: (ms, run) => (ms === 1000 ? void waiting.push(run) : undefined) ?? (() => {}) },
    longWork,
    logError: (error) => {
      throw error;
    },
  });
  const asked: string[] = [];
  const route = createEventsRoute({
    hub,
    gate: {
      admit: async () => ({ admitted: true, headers: {} }),
      stillAdmits: async (key) => {
        asked.push(key);
        return isValid;
      },
    },
    context: { ...createParamContext('local'), asset: () => undefined },
    caller: () => '',
  });
  const open = async (key: string | null) => {
    if (!('handler' in route)) return expect.unreachable();
    const header = (name: string) => (name === 'x-service-api-key' ? key : null);
    const { stream } = await route.handler({ method: 'GET', path: '/ext/events', query: '', header, body: async () => new Uint8Array() });
    let text = '';
    const ended = (async () => {
      for await (const chunk of stream ?? []) text += typeof chunk === 'string' ? chunk : Buffer.from(chunk as Uint8Array).toString();
    })();
    return { read: () => text, ended };
  };
  const [withKey, withoutKey, withEmptyKey] = [await open('sk_1'), await open(null), await open('')];
  await passSecond();
  await passSecond();
  expect([asked, withKey.read()]).toEqual([['sk_1', 'sk_1'], expect.not.stringContaining('closed')]);
  isValid = Promise.resolve(false);
  await passSecond();
  await withKey.ended;
  expect(withKey.read()).toContain('"reason":"key-invalid"');
  for (const { read } of [withoutKey, withEmptyKey]) expect(read()).not.toContain('closed');
  await passSecond();
  expect(asked).toHaveLength(3);
  hub.close();
});
