import { afterEach, describe, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { createTestServers, implementations, until } from './serve.fixture.ts';

/** A stream whose chunks a test provides one by one. `pulled`: number of requested chunks. `left`: resolves when the client has disconnected. */
function chunkSource() {
  let pulled = 0;
  const left = Promise.withResolvers<void>();
  const waiting: ((result: IteratorResult<Uint8Array>) => void)[] = [];
  const ready: IteratorResult<Uint8Array>[] = [];
  const put = (result: IteratorResult<Uint8Array>): void => {
    const next = waiting.shift();
    if (next === undefined) ready.push(result);
    else next(result);
  };
  const iterator: AsyncIterator<Uint8Array> = {
    next: () => {
      pulled++;
      const first = ready.shift();
      return first === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(first);
    },
    return: async () => {
      left.resolve();
      put({ done: true, value: undefined });
      return { done: true, value: undefined };
    },
  };
  return {
    stream: { [Symbol.asyncIterator]: () => iterator },
    put: (text: string | Uint8Array) => put({ done: false, value: Buffer.from(text as string) }),
    end: () => put({ done: true, value: undefined }),
    pulled: () => pulled,
    left: left.promise,
  };
}

for (const [name, serve] of implementations)
  describe(name, () => {
    const { start, close } = createTestServers(serve);
    afterEach(close);

    test('a stream is sent chunk by chunk after `body`, before it ends', async () => {
      const source = chunkSource();
      const server = await start({
        handler: async () => ({ status: 200, headers: { 'content-type': 'x/y' }, body: 'head ', stream: source.stream }),
      });
      const response = await fetch(`http://127.0.0.1:${server.port}/`);
      expect(response.headers.get('content-type')).toBe('x/y');
      const reader = (response.body as ReadableStream<Uint8Array>).getReader();
      const read = async () => Buffer.from((await reader.read()).value ?? []).toString();
      expect(await read()).toBe('head ');
      source.put('one');
      expect(await read()).toBe('one');
      source.put('two');
      expect(await read()).toBe('two');
      source.end();
      expect((await reader.read()).done).toBe(true);
    });

    test('the stream ends when the client disconnects', async () => {
      const source = chunkSource();
      const server = await start({ handler: async () => ({ status: 200, headers: {}, body: 'head', stream: source.stream }) });
      const abort = new AbortController();
      const response = await fetch(`http://127.0.0.1:${server.port}/`, { signal: abort.signal });
      await (response.body as ReadableStream<Uint8Array>).getReader().read();
      abort.abort();
      // Some servers notice a disconnect only when they send.
      const timer = setInterval(() => source.put('more'), 20);
      await source.left;
      clearInterval(timer);
    });

    test('a slow client slows the stream down instead of filling memory', async () => {
      const source = chunkSource();
      const chunk = new Uint8Array(1_000_000);
      for (let i = 0; i < 200; i++) source.put(chunk);
      const server = await start({ handler: async () => ({ status: 200, headers: {}, body: '', stream: source.stream }) });
      const socket = connect({ host: '127.0.0.1', port: server.port }, () => socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'));
      socket.pause();
      await until(async () => source.pulled() > 0);
      await Bun.sleep(300);
      expect(source.pulled()).toBeLessThan(100);
      socket.destroy();
    });
  });
