import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chainRoot, type DataResponse, sendRequest } from './data-requests.ts';
import { type Client, createClient } from './http.ts';
import { eventually, socketsOf, untilReader } from './processes.ts';
import { type Program, startProgram } from './program.ts';

/** A reader process reports the health of the writer process, also when the writer hangs or stops. */

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'serac-reader-health-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const checks = ['/v1/health-check', '/v1/live-check', '/v2/health-check', '/v2/live-check'];

/** Starts a node with one reader process, and opens connections to both processes. */
async function startBoth(name: string, ...flags: string[]): Promise<{ readonly program: Program; readonly clients: readonly Client[] }> {
  const program = await startProgram(`--data-dir=${join(folder, name)}`, '--workers=1', ...flags);
  const reader = await untilReader(program.pid);
  const connect = async () => {
    const before = socketsOf(reader);
    const clients = Array.from({ length: 16 }, () => createClient(program.port));
    await Promise.all(clients.map((client) => sendRequest(client, { path: '/v1/live-check' })));
    return { clients, opened: socketsOf(reader) - before };
  };
  // A reader that starts opens a few sockets of its own.
  const { clients } = await eventually(connect, ({ opened }) => opened > 4 && opened < 15);
  return { program, clients };
}

test('both processes report health, also for a path with a trailing slash', async () => {
  const { program, clients } = await startBoth('slash');
  try {
    for (const path of checks)
      for (const spelling of [path, `${path}/`]) {
        const responses = await Promise.all(clients.map((client) => sendRequest(client, { path: spelling })));
        expect(responses.map(({ status, json }) => [spelling, status, json.status])).toEqual(clients.map(() => [spelling, 200, 'ok']));
      }
  } finally {
    await program.stop();
  }
});

test('if the writer hangs, the reader reports it in time, and still answers reads and counts requests', async () => {
  const { program, clients } = await startBoth('still', '--rate-limits=on');
  process.kill(program.pid, 'SIGSTOP');
  // Results of probes are shared for a second.
  await Bun.sleep(1_100);
  try {
    const list = `${chainRoot}/blocks`;
    const [listed = [], ...checked] = await Promise.all([list, ...checks].map((path) => answeredInTime(clients, path)));
    for (const answered of [listed, ...checked]) expect(answered.length).toBeGreaterThan(0);
    for (const { status, json } of listed) expect([status, json.blocks.length]).toEqual([200, 1]);
    for (const { status, json } of checked.flat()) {
      // rateLimits is reported once a request could not be counted by the writer.
      expect({ status, json: { ...json, info: withoutLimits(json.info), details: withoutLimits(json.details) } }).toEqual({
        status: 503,
        json: unavailable,
      });
    }
    const later = (await answeredInTime(clients, '/v1/health-check')).map(({ json }) => json.details.rateLimits?.message);
    expect(later.filter((message) => !message?.includes('each of 2 processes admits an equal share'))).toEqual([]);
  } finally {
    process.kill(program.pid, 'SIGCONT');
    expect(await program.stop()).toBe(0);
  }
});

test('both processes report shutting_down during --http-shutdown-wait', async () => {
  const { program, clients } = await startBoth('stopping', '--http-shutdown-wait=1500ms');
  process.kill(program.pid, 'SIGTERM');
  const responses = await eventually(
    () => Promise.all(clients.map((client) => sendRequest(client, { path: '/v1/health-check' }))),
    (answers) => answers.every(({ status }) => status !== 200),
  );
  expect(responses.map(({ status, json }) => [status, json.status])).toEqual(clients.map(() => [503, 'shutting_down']));
  expect(await program.exited).toBe(0);
});

const withoutLimits = ({ rateLimits: _, ...others }: Record<string, unknown>): Record<string, unknown> => others;

/** Returns the responses that arrived in time: connections to the hung process get none. */
async function answeredInTime(clients: readonly Client[], path: string): Promise<DataResponse[]> {
  const late = Bun.sleep(limit).then(() => undefined);
  const responses = await Promise.all(clients.map((client) => Promise.race([sendRequest(client, { path }), late])));
  return responses.filter((one) => one !== undefined);
}

const limit = 4_000;

const down = (name: string) => ({ status: 'down', message: expect.stringContaining(name) });

const unavailable = {
  statusCode: 503,
  message: expect.stringMatching(/database.*cache/),
  error: 'Service Unavailable',
  status: 'error',
  info: {},
  details: { database: down('database'), cache: down('cache') },
};
