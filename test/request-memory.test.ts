import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Address, addressWriter } from '../src/bytes/address.ts';
import { sha256Hex } from '../src/bytes/hash.ts';
import { type Id, idText } from '../src/bytes/id.ts';
import { type Program, startProgram } from './program.ts';

/** Memory of the node while large requests come in: nothing of a request stays once it is answered. */

let node: Program;
beforeAll(async () => {
  node = await startProgram();
});
afterAll(() => node.stop());

const megabyte = 1_000_000;
/** Megabytes sent, and by how many the node may have grown when it is idle again. */
const sent = Number(process.env.SERAC_BODY_MEGABYTES ?? 1000);
const most = 80;

const residentMegabytes = async (): Promise<number> => {
  const { text } = await node.client.send('GET', '/ext/metrics');
  return Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1]) / megabyte;
};

const padding = 'x'.repeat(0.9 * megabyte);
const hashOf = (at: number) => sha256Hex(Buffer.from(`request ${at}`));
const writeAddress = addressWriter('X', 'local');

/** Calls that name an id, an address and a request id which no call before has named: whatever caches by them gets a new key. */
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

test('memory is back after many large requests, each with an id, an address and a request id of its own', async () => {
  let at = 0;
  for (; at < 30; at++) await send(at);
  const before = await residentMegabytes();
  for (const end = at + sent / 0.9; at < end; at++) await send(at);
  // Garbage is collected when the node is idle; a cache that holds bodies holds them for good.
  for (let waited = 0; (await residentMegabytes()) - before > most && waited < 5000; waited += 100) await Bun.sleep(100);
  expect((await residentMegabytes()) - before).toBeLessThan(most);
}, 300_000);
