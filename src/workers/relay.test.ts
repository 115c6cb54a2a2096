import { expect, test } from 'bun:test';
import { type Channel, createRelay, serveRelay } from './relay.ts';

/** Two ends of one channel in one process; messages are cloned as between processes. */
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
  return { asking: end(0), answering: end(1), messages: () => messages };
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

test('each question gets its own answer, whatever the order they are answered in', async () => {
  const { asking, answering, messages } = channelPair();
  serveRelay(
    answering,
    async (asked) => {
      const text = Buffer.from(await asked.body(1000)).toString();
      if (text === 'slow') await new Promise((resolve) => setTimeout(resolve, 5));
      return {
        status: 200,
        headers: { path: asked.path, type: asked.header('content-type') ?? '', host: asked.header('host') ?? '' },
        body: text,
      };
    },
    soon,
  );
  const relay = createRelay(asking, { soon, after: never });
  const answers = await Promise.all(['slow', 'a', 'b'].map((text) => relay(request(text))));
  expect(answers.map(({ body }) => body)).toEqual(['slow', 'a', 'b']);
  expect(answers[1]?.headers).toEqual({ path: '/a', type: 'application/json', host: 'localhost' });
  // Three questions in one message, two quick answers in another, the slow one by itself.
  expect(messages()).toBe(3);
});

test('a process that does not answer is given up', async () => {
  const { asking } = channelPair();
  const timers: (() => void)[] = [];
  const after = (_ms: number, run: () => void) => {
    timers.push(run);
    return () => {};
  };
  const asked = createRelay(asking, { soon, after })(request('x'));
  for (const run of timers) run();
  expect(asked).rejects.toMatchObject({ fault: { code: 'RELAY_BUSY' } });
});

test('while the other process is hung, calls are rejected at once, those under way too', async () => {
  const { asking, answering } = channelPair();
  serveRelay(answering, async () => ({ status: 200, headers: {}, body: 'answered' }), soon);
  const relay = createRelay(asking, { soon, after: never });
  const underWay = relay(request('x'));
  relay.setHung(true);
  expect(underWay).rejects.toMatchObject({ fault: { code: 'RELAY_BUSY' } });
  expect(relay(request('y'))).rejects.toMatchObject({ fault: { code: 'RELAY_BUSY' } });
  relay.setHung(false);
  expect((await relay(request('z'))).body).toBe('answered');
});
