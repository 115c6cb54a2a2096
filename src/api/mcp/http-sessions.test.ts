import { expect, test } from 'bun:test';
import { Fault } from '../../base/fault.ts';
import type { HttpRequest, HttpResponse } from '../http/message.ts';
import { createMcpHandler, maxSessions, mcpPath, sessionIdle } from './http-sessions.ts';
import type { Tool } from './tool.ts';

const waiting: (() => void)[] = [];
const slow: Tool = {
  name: 'slow',
  title: 'slow',
  description: 'Answers when the test says so.',
  inputSchema: { type: 'object', properties: {} },
  onlyReads: true,
  run: () => new Promise((resolve) => waiting.push(() => resolve('done'))),
};

function createServer() {
  let now = 0;
  let made = 0;
  const handler = createMcpHandler(
    {
      version: '1',
      tools: new Map([['slow', slow]]),
      resources: new Map(),
      node: { call: async () => ({}), request: async () => '', networkName: async () => 'local' },
      explain: String,
      maxAnswer: 100,
    },
    { random: (length) => new Uint8Array(length).fill(++made % 256), monotonic: () => now },
  );
  const post = async (
    message: object,
    session?: string,
    body: HttpRequest['body'] = async () => Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, ...message })),
  ): Promise<HttpResponse> =>
    handler({
      method: 'POST',
      path: mcpPath,
      query: '',
      header: (name) => ({ host: '127.0.0.1:1', 'content-type': 'application/json', 'mcp-session-id': session })[name] ?? null,
      body,
    });
  const open = async (): Promise<string> => (await post({ method: 'initialize' })).headers['mcp-session-id'] as string;
  const ping = async (session: string): Promise<number> => (await post({ method: 'ping' }, session)).status;
  return { post, open, ping, pass: (ms: number) => (now += ms) };
}

test('a session ends after the idle time, and the least recently used one for a new one', async () => {
  const { open, ping, pass } = createServer();
  const first = await open();
  pass(sessionIdle);
  expect(await ping(first)).toBe(200);
  pass(sessionIdle + 1);
  expect(await ping(first)).toBe(404);
  const sessions: string[] = [];
  for (let i = 0; i < maxSessions; i++) sessions.push(await open());
  expect(await ping(sessions[0] as string)).toBe(200);
  await open();
  expect(await ping(sessions[0] as string)).toBe(200);
  expect(await ping(sessions[1] as string)).toBe(404);
  expect(await ping(sessions[2] as string)).toBe(200);
});

test('the seventeenth request at a time is refused, and a cancelled one has no answer', async () => {
  const { post, open } = createServer();
  const session = await open();
  const call = (id: number) => post({ id, method: 'tools/call', params: { name: 'slow' } }, session);
  const calls = Array.from({ length: 16 }, (_, id) => call(id));
  expect(JSON.parse(String((await call(16)).body)).error.message).toStartWith('16 requests run already');
  expect((await post({ id: undefined, method: 'notifications/cancelled', params: { requestId: 3 } }, session)).status).toBe(202);
  for (const finish of waiting.splice(0)) finish();
  const statuses = (await Promise.all(calls)).map(({ status }) => status);
  expect(statuses).toEqual(Array.from({ length: 16 }, (_, id) => (id === 3 ? 202 : 200)));
  expect(JSON.parse(String((await post({ method: 'tools/call', params: { name: 'none' } }, session)).body)).error.code).toBe(-32602);
});

test('a message that is too long is refused with 413, and the session stays', async () => {
  const { post, open, ping } = createServer();
  const session = await open();
  const tooLong = () => {
    throw new Fault('the body is longer than 1048576 bytes', { code: 'BODY_TOO_LARGE' });
  };
  const { status, body } = await post({}, session, tooLong);
  expect([status, JSON.parse(body as string).error.message]).toEqual([413, 'the body is longer than 1048576 bytes']);
  expect(await ping(session)).toBe(200);
});
