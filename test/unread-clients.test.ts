import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readMemory } from '../bench/process-usage.ts';
import { openEvents } from './event-client.ts';
import { eventually } from './processes.ts';
import { type Program, startProgram } from './program.ts';
import { createSelfTransfers } from './self-transfers.ts';
import { openUnreadClients, probeNode } from './unread-clients.ts';

/** Clients that ask for much and read nothing: other requests are answered meanwhile, and the memory is not theirs for long. */

const hasProc = readMemory(process.pid) !== undefined;
let node: Program;
let txIDs: string[];
beforeAll(async () => {
  node = await startProgram('--workers=0', '--min-block-delay=0s');
  // 400 outputs each: 100 KB of JSON.
  txIDs = await createSelfTransfers('unread').send(node.client, 100, undefined, 400);
});
afterAll(() => node?.stop());

const megabytes = (): number => readMemory(node.pid)?.megabytes ?? 0;

/** CPU milliseconds. Without slices 64 streams took 900, and 150 batches 900. */
const maxWaited = 400;
/** Megabytes above those before. Without a limit 150 batches took 850, until the idle timeout of 120 s. */
const maxGrowth = 250;

test.skipIf(!hasProc)('resumed event streams that nobody reads do not block other requests', async () => {
  const first = openEvents(node.port);
  const [{ id = '' } = {}] = await first.until(({ kind }) => kind === 'heartbeat');
  first.close();
  const request = `GET /ext/events?lastEventId=${id.replace(/-.*/, '-0')} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`;
  const clients = await openUnreadClients(node.port, 64, request);
  expect((await probeNode(node, 3000)).waited).toBeLessThan(maxWaited);
  clients.close();
  expect((await probeNode(node, 500)).waited).toBeLessThan(maxWaited);
});

test.skipIf(!hasProc)('large responses that nobody reads do not block other requests, and are dropped after some seconds', async () => {
  const before = megabytes();
  const calls = txIDs.slice(0, 60).map((txID, id) => ({ jsonrpc: '2.0', id, method: 'avm.getTx', params: { txID, encoding: 'json' } }));
  const body = JSON.stringify(calls);
  const head = `POST /ext/bc/X HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  const clients = await openUnreadClients(node.port, 150, head + body);
  expect((await probeNode(node, 5000)).waited).toBeLessThan(maxWaited);
  await eventually(megabytes, (now) => now - before < maxGrowth, 60_000);
  // While others use up the memory, a large response may be 503.
  const send = () => node.client.send('POST', '/ext/bc/X', { 'content-type': 'application/json' }, body);
  const { text } = await eventually(send, ({ status }) => status === 200, 60_000);
  expect(JSON.parse(text)).toHaveLength(calls.length);
  clients.close();
});
