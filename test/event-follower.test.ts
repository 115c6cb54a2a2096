import { expect, test } from 'bun:test';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type EventFollower, followEvents } from './event-follower.ts';
import { eventually } from './processes.ts';

/** The client that tests use to find gaps and repetitions: it finds them. */

type Sent = { readonly id: number; readonly kind: string; readonly data: object };

const block = (height: number, ...txIDs: string[]): Sent[] => [
  { id: height * 10, kind: 'block', data: { height, blockID: `b${height}`, parentID: `b${height - 1}`, txIDs } },
  ...txIDs.map((txID, i) => ({ id: height * 10 + 1 + i, kind: 'tx', data: { height, txID } })),
];
const chain = [...block(1, 'a', 'b'), ...block(2, 'c'), ...block(3, 'd', 'e')];

/** Serves events, each connection `size` of them, after the ID that the client gives. */
async function serveEvents(events: readonly Sent[], size: number): Promise<{ server: Server; port: number }> {
  const server = createServer(({ headers }, response) => {
    const after = Number(headers['last-event-id'] ?? -1);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const next = events.filter(({ id }) => id > after).slice(0, size);
    for (const { id, kind, data } of next) response.write(`id: ${id}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`);
    if (next.length === 0) response.write('event: heartbeat\ndata: {}\n\n');
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, port: (server.address() as AddressInfo).port };
}

async function follow(events: readonly Sent[], count: number, size = 100): Promise<EventFollower> {
  const { server, port } = await serveEvents(events, size);
  const follower = followEvents({ port: () => port });
  await eventually(
    () => follower.counts().txs,
    (received) => received === count,
  );
  await follower.stop();
  server.close();
  return follower;
}

test('a stream that is resumed after every second event is whole', async () => {
  const follower = await follow(chain, 5, 2);
  expect([follower.problems, follower.height()]).toEqual([[], 3]);
  expect(follower.counts()).toMatchObject({ blocks: 3, txs: 5 });
  expect(follower.counts().connections).toBeGreaterThanOrEqual(4);
});

const without = (id: number) => chain.filter((event) => event.id !== id);
const again = (id: number) => chain.flatMap((event) => (event.id === id ? [event, event] : [event]));
const broken: [what: string, events: readonly Sent[], txs: number, problem: string][] = [
  ['a block is missing', without(20), 5, 'c of block 2 came instead of undefined of block 1'],
  ['a transaction is missing', without(12), 4, 'block 2 came before 1 transactions of block 1'],
  ['a block comes twice', again(20), 5, 'block 2 came after block 2'],
  ['a transaction comes twice', again(21), 6, 'c of block 2 came instead of undefined of block 2'],
  ['a stream that cannot be resumed', [...chain, { id: 99, kind: 'reset', data: {} }], 5, 'reset after block 3: {}'],
];
for (const [what, events, txs, problem] of broken)
  test(what, async () => {
    expect((await follow(events, txs)).problems).toContain(problem);
  });
