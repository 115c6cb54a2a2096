import { afterEach, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectToSocket, socketPathOf } from '../platform/local-socket.ts';
import { createTemporaryFolder, type Order, sendOrder, takeOrders } from './testnet-control.ts';

const folder = mkdtempSync(join(tmpdir(), 'serac-control-'));
const orders: Order[] = [];
let stop = (): void => {};
afterEach(() => {
  stop();
  orders.length = 0;
  rmSync(folder, { recursive: true, force: true });
});

async function listen(): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  await Bun.write(join(folder, 'file'), '');
  stop = await takeOrders(folder, async (order) => {
    orders.push(order);
    return order.nodes[0] === 9 ? { refused: 'there is no node 9' } : { text: `${order.kind} done` };
  });
}

/** Sends text as another program could; resolves with what comes back when the connection is closed. */
function sendText(text: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const socket = connectToSocket(folder);
  let answer = '';
  socket.setEncoding('utf8');
  socket.on('data', (chunk: string) => {
    answer += chunk;
  });
  socket.on('error', () => {});
  socket.on('close', () => resolve(answer));
  socket.write(text);
  return promise;
}

test('an order is carried out, or refused with a reason; only the owner can open the socket', async () => {
  await listen();
  if (process.platform !== 'win32') expect(statSync(socketPathOf(folder)).mode & 0o777).toBe(0o600);
  expect(await sendOrder({ kind: 'latency', nodes: [1, 2], milliseconds: 50 }, folder, tmpdir())).toEqual({ text: 'latency done' });
  await expect(sendOrder({ kind: 'kill', nodes: [9] }, folder, tmpdir())).rejects.toThrow('there is no node 9');
  expect(orders).toEqual([
    { kind: 'latency', nodes: [1, 2], milliseconds: 50 },
    { kind: 'kill', nodes: [9], milliseconds: 0 },
  ]);
});

test('a connection that sends something else, or more than an order, is closed; of several orders the first is carried out', async () => {
  await listen();
  for (const text of ['kill\n', '{"kind":"format","nodes":[1]}\n', '{"kind":"kill","nodes":"1"}\n', 'null\n', 'x'.repeat(70_000)])
    expect([text.slice(0, 40), await sendText(text)]).toEqual([text.slice(0, 40), '']);
  expect(orders).toEqual([]);
  expect(await sendText('{"kind":"heal","nodes":[]}\n{"kind":"kill","nodes":[1]}\n')).toBe('{"text":"heal done"}\n');
  expect(orders).toEqual([{ kind: 'heal', nodes: [], milliseconds: 0 }]);
});

/** A folder with a socket that nobody listens on, as a killed testnet leaves it. */
async function createDead(tempFolder: string, isTemporary: boolean): Promise<string> {
  const dead = isTemporary ? createTemporaryFolder(tempFolder) : mkdtempSync(join(tempFolder, 'serac-testnet-'));
  const left = mkdtempSync(join(tempFolder, 'other-'));
  const end = await takeOrders(left, async () => ({ text: '' }));
  // Ending removes the socket by its name.
  renameSync(socketPathOf(left), socketPathOf(dead));
  end();
  return dead;
}

test.skipIf(process.platform === 'win32')('a testnet that was killed does not count, and its temporary folder is removed', async () => {
  const tempFolder = mkdtempSync(join(tmpdir(), 'serac-control-'));
  const heal = (dataDir?: string) => sendOrder({ kind: 'heal', nodes: [] }, dataDir, tempFolder);
  try {
    const dead = [await createDead(tempFolder, true), await createDead(tempFolder, true)];
    const named = await createDead(tempFolder, false);
    const end = await takeOrders(createTemporaryFolder(tempFolder), async ({ kind }) => ({ text: `${kind} done` }));
    expect(await heal()).toEqual({ text: 'heal done' });
    expect([...dead, named].map((one) => existsSync(one))).toEqual([false, false, true]);
    end();
    await expect(heal()).rejects.toThrow('no testnet runs in a temporary folder');
    await expect(heal(named)).rejects.toThrow(`no testnet runs in ${named}`);
    expect(existsSync(named)).toBe(true);
  } finally {
    rmSync(tempFolder, { recursive: true, force: true });
  }
});
