import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Address, createAddressFormatter } from '../src/base/bytes/address.ts';
import { sha256Hex } from '../src/base/bytes/hash.ts';
import { type Id, idText } from '../src/base/bytes/id.ts';
import { areFiguresRecorded, recordFigure } from './figure.ts';
import { type Program, startProgram } from './program.ts';

/** The node frees the memory of large requests once they are answered: the bench measures its growth. */

let node: Program;
beforeAll(async () => {
  node = await startProgram();
});
afterAll(() => node.stop());

const megabyte = 1_000_000;
/** Megabytes sent, and the growth of the node's memory in megabytes that the bench allows. */
const sentMegabytes = Number(process.env.SERAC_BODY_MEGABYTES ?? (areFiguresRecorded ? 1000 : 50));
const maxGrowth = 80;

const residentMegabytes = async (): Promise<number> => {
  const { text } = await node.client.send('GET', '/ext/metrics');
  return Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1]) / megabyte;
};

const padding = 'x'.repeat(0.9 * megabyte);
const hashOf = (at: number) => sha256Hex(Buffer.from(`request ${at}`));
const writeAddress = createAddressFormatter('X', 'local');

/** Calls with an ID, an address and a request ID that were not used before, so that caches get new keys. */
const calls: readonly ((at: number) => { readonly method: string; readonly params: unknown })[] = [
  (at) => ({ method: 'avm.getTx', params: { txID: idText(hashOf(at) as Id) } }),
  (at) => ({
    method: 'avm.getBalance',
    params: { address: writeAddress(hashOf(at).slice(0, 40) as Address), assetID: 'AVAX', includePartial: at % 3 === 0 },
  }),
];

const send = async (at: number): Promise<void> => {
  const call = calls[at % calls.length]?.(at);
  const body = JSON.stringify({ jsonrpc: '2.0', ...call, id: `request-${at}`, padding });
  const { status, text } = await node.client.send('POST', '/ext/bc/X', { 'content-type': 'application/json' }, body);
  expect(status).toBe(200);
  expect(JSON.parse(text).id).toBe(`request-${at}`);
};

test('many large requests, each with its own ID, address and request ID, are answered', async () => {
  let at = 0;
  for (; at < 30; at++) await send(at);
  const before = await residentMegabytes();
  for (const end = at + sentMegabytes / 0.9; at < end; at++) await send(at);
  if (!areFiguresRecorded) return;
  // The node collects garbage when idle; bodies in a cache would stay.
  for (let waited = 0; (await residentMegabytes()) - before > maxGrowth && waited < 5000; waited += 100) await Bun.sleep(100);
  recordFigure({
    name: `growth after ${sentMegabytes} MB of requests`,
    unit: 'MB',
    value: (await residentMegabytes()) - before,
    limit: maxGrowth,
  });
});
