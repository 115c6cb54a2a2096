import { expect, test } from 'bun:test';
import { type Channel, createRelayClient, serveRelay } from './relay.ts';

/** Both ends of a channel in one process. Messages are cloned, as between processes. */
function channelPair() {
  const ends = [[], []] as [((message: unknown) => void)[], ((message: unknown) => void)[]];
  let messages = 0;
  const end = (own: 0 | 1): Channel => ({
    send: (message) => {
      messages++;
      const copy = structuredClone(message);
      queueMicrotask(() => ends[own === 0 ? 1 : 0].forEach((listener) => void listener(copy)));
    },
    onMessage: (listener) => void ends[own].push(listener),
  });
  return { client: end(0), server: end(1), messages: () => messages };
}

const soon = (run: () => void) => void setImmediate(run);
const never = () => () => {};
const request = (body: string, path = '/a') => ({
  method: 'POST',
  path,
  query: 'q',
  contentType: 'application/json',
  body: Buffer.from(body),
});

test('each request gets its own response, in whatever order the responses are sent', async () => {
  const { client, server, messages } = channelPair();
  const quickArrived = Promise.withResolvers<void>();
  serveRelay(
    server,
    async (relayed) => {
      const text = Buffer.from(await relayed.body(1000)).toString();
      if (text === 'slow') await quickArrived.promise;
      return {
        status: 200,
        headers: { path: relayed.path, type: relayed.header('content-type') ?? '', host: relayed.header('host') ?? '' },
        body: text,
      };
    },
    soon,
  );
  const relay = createRelayClient(client, { soon, after: never });
  const [slow, ...quick] = ['slow', 'a', 'b'].map((text) => relay(request(text)));
  await Promise.all(quick);
  quickArrived.resolve();
  const responses = await Promise.all([slow, ...quick]);
  expect(responses.map((response) => response?.body)).toEqual(['slow', 'a', 'b']);
  expect(responses[1]?.headers).toEqual({ path: '/a', type: 'application/json', host: 'localhost' });
  // Three requests in one message, two quick responses in another, the slow response in a third.
  expect(messages()).toBe(3);
});

test('a request times out if the other process does not answer', async () => {
  const { client } = channelPair();
  const timers: (() => void)[] = [];
  const after = (_ms: number, run: () => void) => {
    timers.push(run);
    return () => {};
  };
  const response = createRelayClient(client, { soon, after })(request('x'));
  for (const run of timers) run();
  expect(response).rejects.toMatchObject({ fault: { code: 'RELAY_BUSY' } });
});

test('while the other process is hung, new and pending requests are rejected at once', async () => {
  const { client, server } = channelPair();
  serveRelay(server, async () => ({ status: 200, headers: {}, body: 'answered' }), soon);
  const relay = createRelayClient(client, { soon, after: never });
  const pending = relay(request('x'));
  relay.setHung('hangs');
  expect(pending).rejects.toMatchObject({ fault: { code: 'RELAY_BUSY' } });
  expect(relay(request('y'))).rejects.toMatchObject({ fault: { code: 'RELAY_BUSY' } });
  relay.setHung(undefined);
  expect((await relay(request('z'))).body).toBe('answered');
});
