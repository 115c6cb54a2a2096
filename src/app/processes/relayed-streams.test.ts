import { expect, test } from 'bun:test';
import { createStreamLimit } from '../../api/access/stream-limit.ts';
import type { Channel } from '../platform/node-processes.ts';
import { createRelayedStreamLimit, serveStreamLimit } from './relayed-streams.ts';

/** Two ends of a channel. While it is `broken`, messages to the reader are kept; `mend` delivers them. */
function connectChannel() {
  const toWriter: ((message: unknown) => void)[] = [];
  const toReader: ((message: unknown) => void)[] = [];
  const kept: unknown[] = [];
  let isBroken = false;
  const deliver = (message: unknown) => queueMicrotask(() => toReader.forEach((listen) => void listen(message)));
  const reader: Channel = {
    send: (message) => queueMicrotask(() => toWriter.forEach((listen) => void listen(message))),
    onMessage: (listen) => void toReader.push(listen),
  };
  const writer: Channel = {
    send: (message) => (isBroken ? void kept.push(message) : deliver(message)),
    onMessage: (listen) => void toWriter.push(listen),
  };
  return {
    reader,
    writer,
    break: () => {
      isBroken = true;
    },
    mend: () => {
      isBroken = false;
      for (const message of kept.splice(0)) deliver(message);
    },
  };
}

/** A timer that fires at once if the channel is broken. */
const soonAfter = (_: number, run: () => void) => {
  const timer = setTimeout(run, 5);
  return () => clearTimeout(timer);
};
const never = () => () => undefined;

const openReader = (limit: ReturnType<typeof createStreamLimit>, after: typeof soonAfter = never) => {
  const channel = connectChannel();
  const end = serveStreamLimit(channel.writer, limit);
  return { ...channel, exit: end, limit: createRelayedStreamLimit(channel.reader, after, { max: limit.max, processes: 3 }) };
};

test('streams of all processes count together; those that end or whose process ends are free again', async () => {
  const writer = createStreamLimit(6);
  const [a, b] = [openReader(writer), openReader(writer)];
  const taken = await Promise.all(
    Array.from({ length: 12 }, async (_, i) => (i % 3 === 0 ? writer : i % 3 === 1 ? a.limit : b.limit).take('client')),
  );
  const open = taken.filter((end) => end !== undefined);
  expect(open).toHaveLength(6);
  expect(await b.limit.take('other')).toBeDefined();
  expect(await a.limit.take('client')).toBeUndefined();
  const ofA = taken.findIndex((end, i) => i % 3 === 1 && end !== undefined);
  taken[ofA]?.();
  taken[ofA]?.();
  expect(await b.limit.take('client')).toBeDefined();
  expect(await b.limit.take('client')).toBeUndefined();
  b.exit();
  expect(await a.limit.take('client')).toBeDefined();
});

test('while the writer process does not answer, a reader admits an equal share; late answers count nothing', async () => {
  const writer = createStreamLimit(6);
  const reader = openReader(writer, soonAfter);
  reader.break();
  const taken = await Promise.all(Array.from({ length: 6 }, () => reader.limit.take('client')));
  expect(taken.filter((end) => end !== undefined)).toHaveLength(2);
  reader.mend();
  await Bun.sleep(1);
  const all = Array.from({ length: 7 }, () => writer.take('client')).filter((end) => end !== undefined);
  expect(all).toHaveLength(6);
});
