import { expect, test } from 'bun:test';
import type { WebSocketHandlers } from '../../api/http/message.ts';
import { createUnreadResponses, sliceBody, watchWebSocket } from './unread-responses.ts';

/** Counts responses; `cut` has the names of those that were cut off. */
function open(max: number, timeout = 60_000) {
  const cut: string[] = [];
  const unread = createUnreadResponses({ max, timeout });
  return { cut, add: (name: string, bytes: number) => unread.tryAdd(bytes, () => cut.push(name)), unread };
}

test('responses have room up to the limit; the first one has it whatever its size', () => {
  const { add, cut } = open(100);
  const large = add('large', 500);
  expect(large).toBeDefined();
  expect(add('small', 1)).toBeUndefined();
  large?.end();
  expect([add('a', 60), add('b', 40)].every((one) => one !== undefined)).toBe(true);
  expect(add('c', 1)).toBeUndefined();
  // Nothing waits of it yet.
  expect(add('empty', 0)).toBeDefined();
  expect(cut).toEqual([]);
});

test('what a client has read makes room for others', () => {
  const { add } = open(100);
  const first = add('first', 90);
  first?.progress(20);
  expect(add('second', 80)).toBeDefined();
  expect(add('third', 1)).toBeUndefined();
  first?.progress(0);
  expect(add('third', 20)).toBeDefined();
});

test('a client that reads nothing for a second makes room when another needs it, the one that waits longest first', async () => {
  const { add, cut } = open(100);
  add('first', 50);
  add('second', 50);
  await Bun.sleep(1010);
  expect(add('third', 30)).toBeDefined();
  expect(cut).toEqual(['first']);
  expect(add('fourth', 60)).toBeDefined();
  expect(cut).toEqual(['first', 'second']);
});

test('a client that reads nothing until the timeout is cut off; one that was cut off or has ended takes no room again', async () => {
  const { add, cut } = open(100, 30);
  const silent = add('silent', 50);
  add('ended', 40)?.end();
  for (let waited = 0; cut.length === 0 && waited < 5000; waited += 10) await Bun.sleep(10);
  expect(cut).toEqual(['silent']);
  silent?.progress(100);
  expect(add('next', 100)).toBeDefined();
});

const slicesOf = (body: string | Uint8Array): Uint8Array[] => {
  const slices: Uint8Array[] = [];
  for (let one = sliceBody(body), next = one.next(); next.done !== true; next = one.next()) slices.push(next.value);
  return slices;
};

test('a body is sent in slices of 64 KiB, which together are the body', () => {
  const bytes = Uint8Array.from({ length: 150_000 }, (_, at) => at % 251);
  const slices = slicesOf(bytes);
  expect(slices.map(({ length }) => length)).toEqual([65_536, 65_536, 18_928]);
  expect(Buffer.concat(slices).equals(bytes)).toBe(true);
  expect([slicesOf(''), slicesOf(new Uint8Array(65_536)).length]).toEqual([[], 1]);
});

test('a slice of text does not end in the middle of a character', () => {
  const text = `${'a'.repeat(65_535)}😀${'b'.repeat(10)}`;
  const slices = slicesOf(text);
  expect(slices.map(({ length }) => length)).toEqual([65_539, 10]);
  expect(Buffer.concat(slices).toString()).toBe(text);
});

test('a WebSocket whose client does not read is terminated; a drained one is not', async () => {
  const calls: string[] = [];
  const handlers: WebSocketHandlers = {
    onOpen: (peer: Parameters<WebSocketHandlers['onOpen']>[0]) => {
      calls.push(`open ${peer.send('hello')}`);
      peer.send('more');
    },
    onDrain: () => calls.push('drain'),
    onClose: () => calls.push('close'),
  } as never;
  const { unread } = open(100, 30);
  const start = (name: string) => {
    const watched: WebSocketHandlers = watchWebSocket(handlers, unread);
    watched.onOpen({ send: () => false, close: () => {}, terminate: () => calls.push(`terminate ${name}`) });
    return watched;
  };
  const drained = start('drained');
  drained.onDrain();
  start('silent');
  for (let waited = 0; !calls.some((one) => one.startsWith('terminate')) && waited < 5000; waited += 10) await Bun.sleep(10);
  drained.onClose();
  expect(calls).toEqual(['open false', 'drain', 'open false', 'terminate silent', 'close']);
});

test('a process ends although a client has not read what waits for it', async () => {
  const source = `import { createUnreadResponses } from ${JSON.stringify(import.meta.resolve('./unread-responses.ts'))};
    createUnreadResponses({ max: 100, timeout: 2000 }).tryAdd(10, () => console.log('cut off'));`;
  const child = Bun.spawn([process.execPath, '-e', source], { stdout: 'pipe' });
  expect([await new Response(child.stdout).text(), await child.exited]).toEqual(['', 0]);
});
