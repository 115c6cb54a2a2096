import { describe, expect, test } from 'bun:test';
import { readChunks, readServerSentEvents } from './server-sent-events.ts';
import { createSilenceLimit } from './silence-limit.ts';

const chunksOf = async function* (...texts: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text as string);
};
const read = (...texts: (string | Uint8Array)[]) => Array.fromAsync(readServerSentEvents(chunksOf(...texts)));

describe('server-sent events', () => {
  test('have an ID, a kind and data, however the stream is cut', async () => {
    const text = 'id: 1\nevent: tx\ndata: {"a":\ndata: 1}\n\n: comment\n\ndata:x\n\nevent: none\n\nid: 2\ndata: é\n\ndata: cut off';
    const events = [
      { id: '1', kind: 'tx', data: '{"a":\n1}' },
      { id: '', kind: 'message', data: 'x' },
      { id: '2', kind: 'message', data: 'é' },
    ];
    expect(await read(text)).toEqual(events);
    const bytes = Buffer.from(text);
    expect(await read(...Array.from(bytes, (byte) => new Uint8Array([byte])))).toEqual(events);
    expect(await read()).toEqual([]);
  });

  test('an event of more than 64 Mi characters ends the stream, with the ID of the last one', async () => {
    const part = 'x'.repeat(16 * 1024 * 1024);
    expect(await read('id: 7\ndata: a\n\n', part, part, part, part)).toHaveLength(1);
    await expect(read('id: 7\ndata: a\n\n', part, part, part, part, 'x')).rejects.toMatchObject({
      ...{ fault: { code: 'EVENTS_CLOSED', reason: 'event-too-long', lastEventId: '7' } },
    });
  });

  test('a body is read in its chunks; who stops early cancels it', async () => {
    let cancelled = 0;
    const body = () =>
      new ReadableStream<Uint8Array>({
        pull: (controller) => controller.enqueue(new Uint8Array([1])),
        cancel: () => void cancelled++,
      });
    for await (const chunk of readChunks(body())) {
      expect(chunk).toEqual(new Uint8Array([1]));
      break;
    }
    expect(cancelled).toBe(1);
    expect(await Array.fromAsync(readChunks(new Response('abc').body as never))).toEqual([new Uint8Array(Buffer.from('abc'))]);
  });
});

describe('a limit of silence', () => {
  const isSilent = async (watched: (limit: ReturnType<typeof createSilenceLimit>) => Promise<void>): Promise<boolean> => {
    const limit = createSilenceLimit(30);
    await watched(limit);
    return limit.signal.aborted;
  };
  const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

  test('ends a connection that does not even begin', async () => {
    const { signal } = createSilenceLimit(5);
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    expect(signal.aborted).toBe(true);
  });

  test('does not run while the caller has a chunk, nor after the end', async () => {
    const ended = await isSilent(async ({ watch }) => {
      for await (const chunk of watch(chunksOf('a', 'b'))) {
        expect(chunk).toHaveLength(1);
        await pause(60);
      }
      await pause(60);
    });
    const stopped = await isSilent(async ({ stop }) => {
      stop();
      await pause(60);
    });
    expect([ended, stopped]).toEqual([false, false]);
  });

  test('begins again after each chunk', async () => {
    const slow = async function* (): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(1);
      await pause(120);
      yield new Uint8Array(1);
    };
    expect(await isSilent(async ({ watch }) => void (await Array.fromAsync(watch(slow()))))).toBe(true);
  });
});
