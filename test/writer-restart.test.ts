import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Tx } from '../src/avm/tx/tx.ts';
import { formatHex } from '../src/base/bytes/hex.ts';
import { idText } from '../src/base/bytes/id.ts';
import { followEvents } from './event-follower.ts';
import { recordTime } from './figure.ts';
import { type Client, createClient } from './http.ts';
import { childrenOf, eventually, processesMatching, socketsOf } from './processes.ts';
import { type Program, startProgram } from './program.ts';
import { createSelfTransfers } from './self-transfers.ts';

/** With `--supervise` a crashed or hung writer process is restarted, while the reader process keeps serving. */

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'serac-writer-restart-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Milliseconds that a test waits. */
const patience = 90_000;

type Node = { readonly program: Program; readonly writer: number; readonly reader: number; readonly clients: readonly Client[] };

/** Starts a supervised node with one reader process, and opens connections to the reader. */
async function start(name: string): Promise<Node> {
  const program = await startProgram(`--data-dir=${join(folder, name)}`, '--workers=1', '--supervise');
  // The supervisor starts the writer process first. A reader that starts opens sockets of its own.
  const [writer = 0, reader = 0] = await eventually(
    () => childrenOf(program.pid).sort((a, b) => a - b),
    (pids) => pids.length === 2,
  );
  return { program, writer, reader, clients: await connectToReader(program, writer, reader) };
}

/** Opens connections one by one: those after which the reader process has a socket more, and the writer process has not, are connections to the reader. */
async function connectToReader(program: Program, writer: number, reader: number): Promise<Client[]> {
  const open = async (): Promise<Client | undefined> => {
    const before = { writer: socketsOf(writer), reader: socketsOf(reader) };
    const client = createClient(program.port);
    await client.call('/ext/bc/X', 'avm.getHeight');
    return socketsOf(reader) > before.reader && socketsOf(writer) <= before.writer ? client : void client.close();
  };
  const clients: Client[] = [];
  await eventually(open, (client) => client !== undefined && clients.push(client) === 2);
  return clients;
}

const statusOf = async (client: Client, txID: string): Promise<string | undefined> =>
  ((await client.call('/ext/bc/X', 'avm.getTxStatus', { txID })).result as { status?: string } | undefined)?.status;

/** Issues a transaction again and again until it is accepted. Returns whether it was refused with status 503 meanwhile. */
async function accept(client: Client, tx: Tx): Promise<boolean> {
  const body = (method: string, params: object) => JSON.stringify({ jsonrpc: '2.0', id: 1, method: `avm.${method}`, params });
  const post = (text: string) => client.send('POST', '/ext/bc/X', { 'content-type': 'application/json' }, text);
  let wasRefused = false;
  const isAccepted = async (): Promise<boolean> => {
    const { status, text, headers } = await post(body('issueTx', { tx: formatHex('hex', tx.bytes), encoding: 'hex' }));
    if (status === 503) {
      wasRefused = true;
      expect(text).toContain('RELAY_BUSY');
      expect(headers['retry-after']).toBe('1');
    }
    for (let i = 0; i < 20; i++) if ((await statusOf(client, idText(tx.id)).catch(() => undefined)) === 'Accepted') return true;
    return false;
  };
  await eventually(isAccepted, Boolean, patience);
  return wasRefused;
}

for (const signal of ['SIGKILL', 'SIGSTOP'] as const)
  test(`${signal} of the writer under load: reads go on, writes come back, nothing is lost, no event twice`, async () => {
    const { program, writer, reader, clients } = await start(signal);
    const [reading, writing] = clients as [Client, Client];
    const transfers = createSelfTransfers(signal);
    const accepted: string[] = [];
    const received: string[] = [];
    const stream = followEvents({ port: () => program.port, onTx: (txID) => void received.push(txID) });
    // What is accepted before the stream has begun would not be in it.
    await eventually(stream.isConnected, Boolean, patience);
    let [isDone, reads, refused, longestGap, longestWait] = [false, 0, 0, 0, 0];
    const readAll = async (): Promise<void> => {
      for (let last = performance.now(); !isDone; last = performance.now()) {
        const { result } = await reading.call('/ext/bc/X', 'avm.getHeight');
        expect(BigInt((result as unknown as { height: string }).height)).toBeGreaterThanOrEqual(0n);
        reads++;
        longestGap = Math.max(longestGap, performance.now() - last);
        await Bun.sleep(10);
      }
    };
    const write = async (): Promise<void> => {
      const tx = transfers.next();
      if (await accept(writing, tx)) refused++;
      accepted.push(idText(tx.id));
    };
    /** Reads over connections of their own: the writer process gets half of them, also while it hangs. */
    const readAnew = async (): Promise<void> => {
      const opened: Promise<void>[] = [];
      for (; !isDone; await Bun.sleep(50)) {
        const asked = performance.now();
        const client = createClient(program.port);
        const read = client.call('/ext/bc/X', 'avm.getHeight').then(
          () => {},
          () => {},
        );
        opened.push(
          read.then(() => {
            longestWait = Math.max(longestWait, performance.now() - asked);
            client.close();
          }),
        );
      }
      await Promise.all(opened);
    };
    const loads = Promise.all([readAll(), readAnew()]);
    for (let i = 0; i < 20; i++) await write();
    const readsBefore = reads;
    const began = performance.now();
    process.kill(writer, signal);
    for (const end = accepted.length + 20; accepted.length < end; ) {
      await write();
      if (accepted.length === end - 19) recordTime(`writes are accepted again after ${signal} of the writer`, began, 25_000);
    }
    isDone = true;
    await loads;
    expect(refused).toBeGreaterThan(0);
    expect(reads).toBeGreaterThan(readsBefore);
    recordTime(`the longest time without an answer to a read (${signal})`, performance.now() - longestGap, 2000);
    recordTime(`the longest wait of a read over a new connection (${signal})`, performance.now() - longestWait, 2000);
    // A hung writer that is killed only after 15 s lets the connections that it got wait for as long; a busy machine adds some seconds.
    expect(longestWait).toBeLessThan(10_000);

    const after = await eventually(
      () => childrenOf(program.pid),
      (pids) => pids.length === 2,
    );
    expect(after).toContain(reader);
    expect(after).not.toContain(writer);
    for (const txID of accepted) expect([txID, await statusOf(reading, txID)]).toEqual([txID, 'Accepted']);
    await eventually(
      () => received.length,
      (count) => count >= accepted.length,
      patience,
    );
    await stream.stop();
    expect([received, stream.problems]).toEqual([accepted, []]);

    const health = await eventually(
      () => reading.send('GET', '/ext/health'),
      ({ status }) => status === 200,
    );
    const { checks } = JSON.parse(health.text) as { checks: Record<string, { message?: { restarts: number; lastReason: string } }> };
    expect(checks.writer?.message?.restarts).toBe(1);
    expect(checks.writer?.message?.lastReason).toContain(signal === 'SIGKILL' ? 'exited with code 137' : 'has not answered for 1 s');
    expect((await reading.send('GET', '/ext/metrics')).text).toContain('serac_writer_restarts_total 1');
    expect(await program.stop()).toBe(0);
    expect(
      await eventually(
        () => processesMatching(join(folder, signal)),
        (pids) => pids.length === 0,
      ),
    ).toEqual([]);
  });

test('without its supervisor the node ends, and can be started again', async () => {
  const { program } = await start('alone');
  expect(await program.stop('SIGKILL')).toBe(137);
  await eventually(
    () => processesMatching(join(folder, 'alone')),
    (pids) => pids.length === 0,
  );
  const again = await start('alone');
  expect(await again.program.stop()).toBe(0);
});
