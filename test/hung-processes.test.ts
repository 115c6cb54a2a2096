import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Answer, type Client, createClient } from './http.ts';
import { childrenOf, eventually, processesWith, socketsOf } from './processes.ts';
import { type Program, startProgram } from './program.ts';

/** A process of the node is stopped with SIGSTOP: alive for the kernel, with connections, and answering nothing. */

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'serac-hung-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** No transaction: the X-Chain's ID. */
const unknownTx = '2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed';

/** Milliseconds: 5 s as promised, and some for a busy machine. */
const noticed = 9000;
const quick = 1500;

async function start(name: string): Promise<{ readonly program: Program; readonly reader: number }> {
  const program = await startProgram(`--data-dir=${join(folder, name)}`, '--workers=1');
  const [reader = 0] = await eventually(
    () => childrenOf(program.pid),
    (children) => children.length === 1,
  );
  return { program, reader };
}

/** New connections of which the reader has some and the writer has some. */
async function connect(program: Program, reader: number): Promise<Client[]> {
  const open = async () => {
    const before = socketsOf(reader);
    const clients = Array.from({ length: 40 }, () => createClient(program.port));
    await Promise.all(clients.map((client) => client.call('/ext/bc/X', 'avm.getHeight')));
    return { clients, opened: socketsOf(reader) - before };
  };
  const { clients } = await eventually(open, ({ opened }) => opened > 1 && opened < 39);
  return clients;
}

/** Undefined if there is no answer in time, or the connection is reset. */
const within = (milliseconds: number, answer: Promise<Answer>): Promise<Answer | undefined> =>
  Promise.race([answer.catch(() => undefined), Bun.sleep(milliseconds).then(() => undefined)]);

const post = (client: Client, method: string, params: object) =>
  client.send(
    'POST',
    '/ext/bc/X',
    { 'content-type': 'application/json' },
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: `avm.${method}`, params }),
  );

test('a hung reader: no caller waits for long, health tells it, another one takes its place', async () => {
  const { program, reader } = await start('reader');
  try {
    const clients = await connect(program, reader);
    process.kill(reader, 'SIGSTOP');
    const began = performance.now();
    const asked = clients.map((client) => within(noticed, post(client, 'getHeight', {})));
    // Connections of the reader end with it; health is asked over one of the writer's.
    const ofWriter = await Promise.race(clients.map(async (client, i) => ((await asked[i])?.status === 200 ? client : never())));
    const seen = await eventually(
      () => readersCheck(ofWriter),
      (check) => check?.error !== undefined,
      noticed,
    );
    expect(seen?.error).toContain('has not answered for 4.5 s');
    expect(performance.now() - began).toBeLessThan(noticed);
    const answered = (await Promise.all(asked)).filter((answer) => answer?.status === 200);
    expect(answered.length).toBeGreaterThan(0);
    expect(performance.now() - began).toBeLessThan(noticed);
    const back = await eventually(
      () => readersCheck(ofWriter),
      (check) => check !== undefined && check.error === undefined,
      noticed,
    );
    expect(back?.message).toEqual({ replaced: 1, serving: 1, wanted: 1 });
    expect(childrenOf(program.pid)).not.toContain(reader);
    const fresh = Array.from({ length: 40 }, () => createClient(program.port));
    const heights = await Promise.all(fresh.map((client) => within(noticed, post(client, 'getHeight', {}))));
    expect(heights.map((answer) => answer?.status)).toEqual(fresh.map(() => 200));
  } finally {
    expect(await program.stop()).toBe(0);
  }
}, 60_000);

test('a hung writer: calls that need it get 503 from the reader, reads go on, and it is back when it is', async () => {
  const { program, reader } = await start('writer');
  try {
    const clients = await connect(program, reader);
    process.kill(program.pid, 'SIGSTOP');
    const began = performance.now();
    const asked = clients.map(async (client) => ({ client, answer: await within(7000, post(client, 'issueTx', { tx: '0x00' })) }));
    const ofReader = (await Promise.all(asked)).filter(({ answer }) => answer !== undefined);
    expect(ofReader.length).toBeGreaterThan(0);
    for (const { answer } of ofReader) {
      expect(answer?.status).toBe(503);
      expect(JSON.parse(answer?.text ?? '')).toMatchObject({ id: 1, error: { code: -32000, data: { code: 'RELAY_BUSY' } } });
    }
    // Known to be hung, it is not waited for again.
    const client = ofReader[0]?.client as Client;
    const health = await within(quick, client.send('GET', '/ext/health'));
    expect(health).toMatchObject({ status: 503, text: expect.stringContaining('does not answer') });
    expect((await within(quick, post(client, 'getTxStatus', { txID: unknownTx })))?.status).toBe(503);
    expect((await within(quick, post(client, 'getHeight', {})))?.status).toBe(200);
    expect(performance.now() - began).toBeLessThan(14_000);
    process.kill(program.pid, 'SIGCONT');
    const back = await eventually(
      () => within(2000, client.send('GET', '/ext/health')),
      (answer) => answer?.status === 200,
    );
    expect(back?.status).toBe(200);
  } finally {
    process.kill(program.pid, 'SIGCONT');
    expect(await program.stop()).toBe(0);
  }
}, 60_000);

test('a writer that stays hung is ended, and the reader with it, so that a supervisor can start the node again', async () => {
  const { program } = await start('ended');
  process.kill(program.pid, 'SIGSTOP');
  try {
    expect(await Promise.race([program.exited, Bun.sleep(30_000)])).toBe(137);
    const left = await eventually(
      () => processesWith(join(folder, 'ended')),
      (pids) => pids.length === 0,
    );
    expect(left).toEqual([]);
  } finally {
    program.client.close();
  }
  const again = await start('ended');
  expect(await again.program.stop()).toBe(0);
}, 60_000);

type CheckResult = { readonly error?: string; readonly message?: unknown };

async function readersCheck(client: Client): Promise<CheckResult | undefined> {
  const { text } = await client.send('GET', '/ext/health');
  return (JSON.parse(text) as { checks: Record<string, CheckResult> }).checks.readers;
}

const never = () => new Promise<never>(() => {});
