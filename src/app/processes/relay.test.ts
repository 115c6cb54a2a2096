import { expect, test } from 'bun:test';
import type { Handler, HttpResponse } from '../../api/http/message.ts';
import { channelPair, never, soon } from './channel-pair.fixture.ts';
import { createRelayClient, relayedJson, serveRelay } from './relay.ts';

const logError = () => expect.unreachable();
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
    { soon, logError },
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
  const message = 'the writer process of the node has not answered for 30 s; the call may still take effect: look before you send it again';
  await expect(response).rejects.toMatchObject({ fault: { code: 'RELAY_BUSY' }, message });
});

test('while the other process is hung, new and pending requests are rejected at once', async () => {
  const { client, server } = channelPair();
  serveRelay(server, async () => ({ status: 200, headers: {}, body: 'answered' }), { soon, logError });
  const relay = createRelayClient(client, { soon, after: never });
  const pending = relay(request('x'));
  relay.setHung('hangs');
  const fault = { code: 'RELAY_BUSY' };
  await expect(pending).rejects.toMatchObject({ fault, message: expect.stringContaining('hangs; the call may still take effect') });
  await expect(relay(request('y'))).rejects.toMatchObject({ fault, message: 'the writer process of the node hangs; try again' });
  relay.setHung(undefined);
  expect((await relay(request('z'))).body).toBe('answered');
});

test('a request whose handler fails is answered with 500 and reported, and the others are answered', async () => {
  const { client, server } = channelPair();
  const reported: unknown[] = [];
  const handler: Handler = async ({ path }) => {
    if (path === '/throws') throw new Error('at once');
    return path === '/rejects' ? Promise.reject(new Error('later')) : { status: 200, headers: {}, body: '{"answered":true}' };
  };
  serveRelay(server, handler, { soon, logError: (error) => reported.push(error) });
  const relay = createRelayClient(client, { soon, after: never });
  const [throws, rejects, answered] = await Promise.all(['/throws', '/rejects', '/a'].map((path) => relay(request('x', path))));
  expect([throws?.status, rejects?.status, answered?.status]).toEqual([500, 500, 200]);
  expect(reported).toEqual([new Error('at once'), new Error('later')]);
  expect(relayedJson(answered as HttpResponse)).toEqual({ answered: true });
  expect(() => relayedJson(throws as HttpResponse)).toThrow(expect.objectContaining({ fault: { code: 'RELAY_FAILED', status: 500 } }));
});
