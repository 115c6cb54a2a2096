import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recordTime } from './figure.ts';
import { type Client, type ClientResponse, createClient } from './http.ts';
import { childrenOf, eventually, processesMatching, socketsOf, untilReader } from './processes.ts';
import { type Program, startProgram } from './program.ts';

/** A process of the node is stopped with SIGSTOP: it still exists and has connections, but does not respond. */

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'serac-hung-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The X-Chain's ID, which is not the ID of a transaction. */
const unknownTx = '2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed';

/** Milliseconds within which a hung process is to be detected, as documented. */
const documentedLimit = 2000;
/** Milliseconds that a test waits. */
const patience = 40_000;

async function start(name: string): Promise<{ readonly program: Program; readonly reader: number }> {
  const program = await startProgram(`--data-dir=${join(folder, name)}`, '--workers=1');
  const reader = await untilReader(program.pid);
  return { program, reader };
}

/** Opens connections until both the reader process and the writer process have some. */
async function connect(program: Program, reader: number): Promise<Client[]> {
  const open = async () => {
    const before = socketsOf(reader);
    const clients = Array.from({ length: 40 }, () => createClient(program.port));
    await Promise.all(clients.map((client) => client.call('/ext/bc/X', 'avm.getHeight')));
    return { clients, opened: socketsOf(reader) - before };
  };
  // A reader that starts opens a few sockets of its own.
  const { clients } = await eventually(open, ({ opened }) => opened > 5 && opened < 39);
  return clients;
}

/** Returns undefined if there is no response in time or the connection is reset. */
const withTimeout = (milliseconds: number, answer: Promise<ClientResponse>): Promise<ClientResponse | undefined> =>
  Promise.race([answer.catch(() => undefined), Bun.sleep(milliseconds).then(() => undefined)]);

const post = (client: Client, method: string, params: object) =>
  client.send(
    'POST',
    '/ext/bc/X',
    { 'content-type': 'application/json' },
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: `avm.${method}`, params }),
  );

test('a hung reader: no client waits for long, the health check fails, and the reader is replaced', async () => {
  const { program, reader } = await start('reader');
  try {
    const clients = await connect(program, reader);
    process.kill(reader, 'SIGSTOP');
    const began = performance.now();
    const responses = clients.map((client) => withTimeout(patience, post(client, 'getHeight', {})));
    // The reader's connections end with it, so the health check is read over a connection of the writer.
    const writerClient = await Promise.race(clients.map(async (client, i) => ((await responses[i])?.status === 200 ? client : never())));
    const seen = await eventually(
      () => readReadersCheck(writerClient),
      (check) => check?.error !== undefined,
      patience,
    );
    // It did nothing in that time, so it is not only slow.
    expect(seen?.error).toContain('has not answered for 1 s');
    recordTime('a hung reader is shown by the health check', began, documentedLimit);
    const answered = (await Promise.all(responses)).filter((answer) => answer?.status === 200);
    expect(answered.length).toBeGreaterThan(0);
    const back = await eventually(
      () => readReadersCheck(writerClient),
      (check) => check !== undefined && check.error === undefined,
      patience,
    );
    expect(back?.message).toEqual({ replaced: 1, serving: 1, wanted: 1 });
    expect(childrenOf(program.pid)).not.toContain(reader);
    const fresh = Array.from({ length: 40 }, () => createClient(program.port));
    const heights = await Promise.all(fresh.map((client) => withTimeout(patience, post(client, 'getHeight', {}))));
    expect(heights.map((answer) => answer?.status)).toEqual(fresh.map(() => 200));
  } finally {
    expect(await program.stop()).toBe(0);
  }
});

test('a hung writer: calls that need it get 503 from the reader, reads still work, and all works again when the writer resumes', async () => {
  const { program, reader } = await start('writer');
  try {
    const clients = await connect(program, reader);
    process.kill(program.pid, 'SIGSTOP');
    const began = performance.now();
    const responses = clients.map(async (client) => ({ client, answer: await withTimeout(7000, post(client, 'issueTx', { tx: '0x00' })) }));
    const fromReader = (await Promise.all(responses)).filter(({ answer }) => answer !== undefined);
    expect(fromReader.length).toBeGreaterThan(0);
    for (const { answer } of fromReader) {
      expect(answer?.status).toBe(503);
      expect(JSON.parse(answer?.text ?? '')).toMatchObject({ id: 1, error: { code: -32000, data: { code: 'RELAY_BUSY' } } });
    }
    // Once the writer is known to be hung, the reader does not wait for it again.
    const client = fromReader[0]?.client as Client;
    const health = await withTimeout(patience, client.send('GET', '/ext/health'));
    expect(health).toMatchObject({ status: 503, text: expect.stringContaining('does not answer') });
    expect((await withTimeout(patience, post(client, 'getTxStatus', { txID: unknownTx })))?.status).toBe(503);
    expect((await withTimeout(patience, post(client, 'getHeight', {})))?.status).toBe(200);
    recordTime('a hung writer is noticed by the reader, and three requests', began, 14_000);
    const mempool = '/v1/networks/local/blockchains/x-chain/mempool';
    for (let i = 0; i < 100; i++) expect((await client.send('GET', mempool)).status).toBe(503);
    expect(program.stderrText().match(/the writer process .*/g)).toEqual([expect.stringContaining('calls that need it get status 503')]);
    process.kill(program.pid, 'SIGCONT');
    const back = await eventually(
      () => withTimeout(2000, client.send('GET', '/ext/health')),
      (answer) => answer?.status === 200,
    );
    expect(back?.status).toBe(200);
  } finally {
    process.kill(program.pid, 'SIGCONT');
    expect(await program.stop()).toBe(0);
  }
});

test('a writer that is killed: calls that wait for it are answered at once, and the reader exits', async () => {
  const { program, reader } = await start('killed');
  const clients = await connect(program, reader);
  process.kill(program.pid, 'SIGSTOP');
  const began = performance.now();
  // Connections to the writer itself break off.
  const calls = clients.map((client) => post(client, 'issueTx', { tx: '0x00' }).catch(() => undefined));
  await Bun.sleep(100);
  process.kill(program.pid, 'SIGKILL');
  const wasNoticedBefore = performance.now() - began > 4000;
  const fromReader = (await Promise.all(calls)).filter((answer) => answer !== undefined);
  expect(fromReader.length).toBeGreaterThan(0);
  for (const { status, text } of fromReader)
    expect([status, text]).toEqual([
      503,
      expect.stringContaining(wasNoticedBefore ? 'try again' : 'the writer process of the node has ended'),
    ]);
  expect(await program.exited).toBe(137);
  const left = await eventually(
    () => processesMatching(join(folder, 'killed')),
    (pids) => pids.length === 0,
  );
  expect(left).toEqual([]);
});

test('a writer that stays hung is killed, and the reader exits, so that a supervisor can restart the node', async () => {
  const { program } = await start('ended');
  process.kill(program.pid, 'SIGSTOP');
  try {
    expect(await Promise.race([program.exited, Bun.sleep(30_000)])).toBe(137);
    const left = await eventually(
      () => processesMatching(join(folder, 'ended')),
      (pids) => pids.length === 0,
    );
    expect(left).toEqual([]);
  } finally {
    program.client.close();
  }
  const again = await start('ended');
  expect(await again.program.stop()).toBe(0);
});

type CheckResult = { readonly error?: string; readonly message?: unknown };

async function readReadersCheck(client: Client): Promise<CheckResult | undefined> {
  const { text } = await client.send('GET', '/ext/health');
  return (JSON.parse(text) as { checks: Record<string, CheckResult> }).checks.readers;
}

const never = () => new Promise<never>(() => {});
