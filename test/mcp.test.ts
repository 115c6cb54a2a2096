import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Program, programCommand, startProgramAsUsers } from './program.ts';

/**
 * `serac mcp` with the official client of the Model Context Protocol, over both transports. The client is a package of its own; install it
 * with `npm ci` in test/mcp-client.
 */
const folder = join(import.meta.dir, 'mcp-client');
const isInstalled = existsSync(join(folder, 'node_modules'));
if (!isInstalled)
  process.stdout.write('skipped: the client of the Model Context Protocol is not installed; run npm ci in test/mcp-client\n');

type Content = readonly { readonly type: string; readonly text: string }[];
type CallResult = { readonly content: Content; readonly isError?: boolean };
type ListedTool = {
  readonly name: string;
  readonly inputSchema: { readonly properties?: object; readonly required?: readonly string[] };
  readonly annotations?: { readonly readOnlyHint?: boolean };
};
type McpClient = {
  readonly connect: (transport: object) => Promise<void>;
  readonly close: () => Promise<void>;
  readonly getServerVersion: () => { readonly name: string } | undefined;
  readonly listTools: () => Promise<{ readonly tools: readonly ListedTool[] }>;
  readonly callTool: (call: { readonly name: string; readonly arguments?: object }) => Promise<CallResult>;
  readonly listResources: () => Promise<{ readonly resources: readonly { readonly uri: string }[] }>;
  readonly readResource: (resource: { readonly uri: string }) => Promise<{ readonly contents: readonly { readonly text: string }[] }>;
};
type HttpTransport = { readonly sessionId: string | undefined; readonly terminateSession: () => Promise<void> };

const load = async <T>(name: string): Promise<T> =>
  (await import(Bun.resolveSync(`@modelcontextprotocol/sdk/client/${name}.js`, folder))) as T;

const closers: (() => Promise<unknown>)[] = [];
let node: Program;
/** A node that no test changes. */
let fresh: Program;
beforeAll(async () => {
  [node, fresh] = await Promise.all([startProgramAsUsers(), startProgramAsUsers()]);
});
afterAll(async () => {
  for (const close of closers.reverse()) await close();
  await Promise.all([node.stop(), fresh.stop()]);
});

const createSdkClient = async (): Promise<McpClient> => {
  const { Client } = await load<{ readonly Client: new (info: object) => McpClient }>('index');
  return new Client({ name: 'test', version: '1.0.0' });
};

/** A connected client of a `serac mcp` that it starts itself. */
async function connectStdio(...flags: string[]): Promise<McpClient> {
  type Stdio = { readonly StdioClientTransport: new (options: object) => object };
  const { StdioClientTransport } = await load<Stdio>('stdio');
  const client = await createSdkClient();
  const [command, ...args] = programCommand;
  await client.connect(new StdioClientTransport({ command, args: [...args, 'mcp', '--url', node.url, ...flags] }));
  closers.push(() => client.close());
  return client;
}

/** Starts `serac mcp --listen`; returns its URL. */
async function listen(...flags: string[]): Promise<string> {
  const child = Bun.spawn([...programCommand, 'mcp', '--listen', '0', '--json', '--url', node.url, ...flags], {
    stdout: 'pipe',
    stderr: 'inherit',
  });
  closers.push(async () => {
    child.kill();
    await child.exited;
  });
  for await (const chunk of child.stdout) return (JSON.parse(Buffer.from(chunk).toString('utf8')) as { readonly url: string }).url;
  throw new Error('serac mcp did not start');
}

const post = (url: string, message: object, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
  });
const initialize = {
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
};

const textOf = ({ content }: CallResult): string => content.map(({ text }) => text).join('\n');

describe.skipIf(!isInstalled)('the official client', () => {
  test('over stdio: reads, and has no tool that changes the chain', async () => {
    const client = await connectStdio();
    expect(client.getServerVersion()?.name).toBe('serac');
    const { tools } = await client.listTools();
    expect(tools.length).toBeGreaterThan(50);
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true);
    expect(tools.map(({ name }) => name).filter((name) => /issueTx|^dev_/.test(name))).toEqual([]);
    expect(tools.filter(({ name }) => !/^[A-Za-z0-9_-]{1,64}$/.test(name))).toEqual([]);
    expect(JSON.stringify(tools)).not.toContain('$ref');
    expect(JSON.parse(textOf(await client.callTool({ name: 'avm_getHeight' })))).toEqual({ height: '1' });
    const blocks = await client.callTool({ name: 'data_listLatestPrimaryNetworkBlocks', arguments: { pageSize: 1 } });
    expect(JSON.parse(textOf(blocks)).blocks[0]).toMatchObject({ blockNumber: '1' });
  });

  test('--dev: money moves, and an error has its code, cause and remedy', async () => {
    const client = await connectStdio('--dev');
    const { tools } = await client.listTools();
    const send = tools.find(({ name }) => name === 'dev_send');
    expect(send?.annotations?.readOnlyHint).toBe(false);
    expect(tools.find(({ name }) => name === 'dev_getMempool')?.annotations?.readOnlyHint).toBe(true);
    const to = 'X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u';
    const sent = await client.callTool({ name: 'dev_send', arguments: { to, amount: '5' } });
    expect(JSON.parse(textOf(sent))).toHaveProperty('txID');
    const refused = await client.callTool({ name: 'dev_revert', arguments: { name: 'none' } });
    expect(refused.isError).toBe(true);
    expect(textOf(refused)).toContain('Code: SNAPSHOT_UNKNOWN');
    expect(textOf(refused)).toContain('Remedy: Use a name of `dev.listSnapshots`.');
    const misspelt = await client.callTool({ name: 'dev_send', arguments: { too: to, amount: '5' } });
    expect(textOf(misspelt)).toStartWith('unknown argument too; they are: from, to,');
  });

  test('a long answer is cut, and says how to page', async () => {
    const client = await connectStdio('--max-answer', '500');
    const { content } = await client.callTool({ name: 'data_listLatestPrimaryNetworkTransactions', arguments: { pageSize: 100 } });
    expect(content[0]?.text.length).toBe(500);
    expect(content[1]?.text).toMatch(/cut: these are the first 500 of its \d+ characters.*smaller pageSize.*nextPageToken/);
  });

  test('resources: errors and the documents of the node', async () => {
    const client = await connectStdio('--tools', 'avm');
    expect((await client.listTools()).tools.map(({ name }) => name.split('_')[0])).toEqual(Array.from({ length: 10 }, () => 'avm'));
    const { resources } = await client.listResources();
    const texts = await Promise.all(resources.map(async (resource) => (await client.readResource(resource)).contents[0]?.text ?? ''));
    expect(resources.map(({ uri }) => uri)).toEqual(['serac://errors', 'serac://openrpc', 'serac://openapi']);
    expect(texts[0]).toContain('TX_WRONG_NETWORK');
    expect(JSON.parse(texts[1] as string)).toHaveProperty('openrpc');
    expect(JSON.parse(texts[2] as string)).toHaveProperty('openapi');
  });

  test('over HTTP: a session, until it is ended', async () => {
    type Http = { readonly StreamableHTTPClientTransport: new (url: URL) => HttpTransport };
    const { StreamableHTTPClientTransport } = await load<Http>('streamableHttp');
    const url = await listen();
    const client = await createSdkClient();
    const transport = new StreamableHTTPClientTransport(new URL(url));
    await client.connect(transport);
    const sessionId = transport.sessionId as string;
    expect(sessionId).toMatch(/^[0-9a-f]{32}$/);
    expect(JSON.parse(textOf(await client.callTool({ name: 'info_getNetworkName' })))).toEqual({ networkName: 'local' });
    await transport.terminateSession();
    expect((await post(url, { method: 'ping' }, { 'mcp-session-id': sessionId })).status).toBe(404);
    await client.close();
  });
});

test('stdio: bad and long lines are answered, and without a node the error says what to do', async () => {
  const child = Bun.spawn([...programCommand, 'mcp', '--url', 'http://127.0.0.1:1'], { stdin: 'pipe', stdout: 'pipe' });
  child.stdin.write('not json\n{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"avm_getHeight"}}\n');
  child.stdin.write(`{"jsonrpc":"2.0","id":8,"method":"${'x'.repeat(2_000_000)}"}\n{"jsonrpc":"2.0","id":9,"method":"ping"}\n`);
  await child.stdin.end();
  const lines = (await new Response(child.stdout).text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(await child.exited).toBe(0);
  const byId = (id: unknown) => lines.filter((line) => line.id === id);
  expect(
    byId(null)
      .map(({ error }) => error.code)
      .sort(),
  ).toEqual([-32600, -32700]);
  expect(byId(7)[0].result.isError).toBe(true);
  expect(byId(7)[0].result.content[0].text).toContain('no node answers at http://127.0.0.1:1; start one with serac');
  expect(byId(9)[0].result).toEqual({});
});

test('docs/guides/agents.md: the examples are what it answers, and the settings of clients are JSON', async () => {
  const page = await Bun.file(join(import.meta.dir, '../docs/guides/agents.md')).text();
  const examples = [...page.matchAll(/```sh\n(printf [^`]*)```\n```json\n(.*)\n```/g)];
  expect(examples.length).toBe(2);
  for (const [, command = '', answer] of examples) {
    const own = command.replace('serac mcp', `${programCommand.join(' ')} mcp`).replace('http://127.0.0.1:9650', fresh.url);
    expect(await Bun.$`sh -c ${own}`.text()).toBe(`${answer}\n`);
  }
  for (const [text] of page.matchAll(/(?<=```json\n){ "[^`]*(?=```)/g)) expect(() => JSON.parse(text)).not.toThrow();
});

describe('HTTP', () => {
  test('refuses web pages, other hosts, and requests without a session', async () => {
    const url = await listen();
    const status = async (headers: Record<string, string>, message: object = { method: 'ping' }) =>
      (await post(url, message, headers)).status;
    expect(await status({ origin: 'http://evil.example' }, initialize)).toBe(403);
    expect(await status({ host: 'evil.example' }, initialize)).toBe(403);
    expect(await status({ 'content-type': 'text/plain' }, initialize)).toBe(415);
    expect(await status({ accept: 'text/html' }, initialize)).toBe(406);
    expect(await status({})).toBe(400);
    expect(await status({ 'mcp-session-id': 'x' })).toBe(404);
    const first = await post(url, initialize);
    const session = { 'mcp-session-id': first.headers.get('mcp-session-id') as string };
    expect(((await first.json()) as { result: { protocolVersion: string } }).result.protocolVersion).toBe('2025-06-18');
    expect(await status(session)).toBe(200);
    expect(await status({ ...session, 'mcp-protocol-version': '1999-01-01' })).toBe(400);
    expect(await status(session, { id: undefined, method: 'notifications/initialized' })).toBe(202);
    expect((await fetch(url, { headers: session })).status).toBe(405);
    expect((await fetch(url, { method: 'DELETE', headers: session })).status).toBe(204);
    expect(await status(session)).toBe(404);
  });
});
