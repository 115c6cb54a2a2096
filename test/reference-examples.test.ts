import { afterAll, beforeAll, expect, test } from 'bun:test';
import { groupEntries, type ReferenceEntry } from '../src/explorer/reference/reference-entries.ts';
import type { OpenApi, OpenRpc } from '../src/explorer/reference/reference-types.ts';
import { createClient } from '../src/sdk/client.ts';
import { type Program, startProgram } from './program.ts';

/** The page of every method and route: its size, and its examples, which are run against a server that records what they send. */

const kilobyte = 1000;

type Recorded = { readonly method: string; readonly path: string; readonly body: unknown; readonly type: string | null };

let node: Program;
let recorder: Bun.Server<undefined>;
let recorded: Recorded[] = [];
let entries: ReferenceEntry[] = [];
const pages = new Map<string, string>();
/** What the example of each page sends with curl. */
const sentByCurl = new Map<string, Recorded | undefined>();

const getText = async (path: string): Promise<string> => (await fetch(node.url + path, { headers: { accept: 'text/html' } })).text();

beforeAll(async () => {
  node = await startProgram();
  const documents = await Promise.all(['/api-json', '/openrpc-json'].map(async (path) => (await fetch(node.url + path)).json()));
  entries = groupEntries(documents[0] as OpenApi, documents[1] as OpenRpc).flatMap((group) => group.entries);
  for (const { page } of entries) pages.set(page, await getText(`/api/${page}`));
  recorder = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      const text = await request.text();
      const { pathname, search } = new URL(request.url);
      const body = text === '' ? undefined : JSON.parse(text);
      recorded.push({ method: request.method, path: pathname + search, body, type: request.headers.get('content-type') });
      if (pathname === '/ext/events') return new Response('', { headers: { 'content-type': 'text/event-stream' } });
      return Response.json({ jsonrpc: '2.0', id: body?.id ?? 1, result: {} });
    },
  });
  for (const { page } of entries) sentByCurl.set(page, await sentBy(() => runCommand(['sh', '-c', exampleOf(page, 'curl') ?? ''])));
}, 120_000);
afterAll(async () => {
  await recorder.stop(true);
  await node.stop();
});

const characters = { quot: '"', '#39': "'", lt: '<', gt: '>', amp: '&' } as const;
const decodeHtml = (html: string): string =>
  html.replaceAll(/&(quot|#39|lt|gt|amp);/g, (_, name: keyof typeof characters) => characters[name]);

/** The example of a page in a language, for the recording server; undefined if the page has none in it. */
function exampleOf(page: string, language: string): string | undefined {
  const text = new RegExp(`data-language="${language}">.*?<pre class="well">(.*?)</pre>`, 's').exec(pages.get(page) ?? '')?.[1];
  return text === undefined ? undefined : decodeHtml(text).replaceAll(node.url, `http://127.0.0.1:${recorder.port}`);
}

/** The first request that a call sends. */
const sentBy = async (run: () => Promise<unknown>): Promise<Recorded | undefined> => {
  recorded = [];
  await run();
  return recorded[0];
};

/** Requests mean the same if they differ only in the ID of the call, or in empty parameters. */
function meaning(sent: Recorded | undefined): object | undefined {
  if (sent === undefined) return undefined;
  const { id, params = {}, ...body } = (sent.body ?? {}) as Record<string, unknown>;
  return { method: sent.method, path: sent.path, body, params };
}

const AsyncFunction = (async () => undefined).constructor as new (...args: string[]) => (...values: unknown[]) => Promise<unknown>;
const transpiler = new Bun.Transpiler({ loader: 'ts' });

/** Runs an example in this process. The recorder's answer does not have the form of every method, so that a client may refuse it after the call. */
async function runScript(code: string): Promise<void> {
  const body = transpiler.transformSync(`async function example() {\n${code.replace(/^import .*$/m, '')}\n}`);
  await new AsyncFunction('createClient', 'console', `${body}\nreturn example();`)(createClient, { log: () => undefined }).catch((error) =>
    expect(recorded.length, String(error)).toBeGreaterThan(0),
  );
}

const runCommand = async (command: readonly string[]): Promise<void> => {
  const child = Bun.spawn([...command], { stdout: 'ignore', stderr: 'pipe' });
  expect([await child.exited, await new Response(child.stderr).text()]).toEqual([0, '']);
};

test('the list has at most 120 kB, and the page of each method and route at most 40 kB', async () => {
  expect(Buffer.byteLength(await getText('/api'))).toBeLessThan(120 * kilobyte);
  expect(entries.length).toBeGreaterThan(150);
  const tooLarge = [...pages].map(([page, html]) => [page, Buffer.byteLength(html)] as const).filter(([, size]) => size > 40 * kilobyte);
  expect(tooLarge).toEqual([]);
});

test('every page has the name, the summary, the parameters, an example and the errors', () => {
  for (const { page, id, summary } of entries) {
    const html = decodeHtml(pages.get(page) ?? '');
    expect([page, html.includes(`<h1>${id}</h1>`), html.includes(summary)]).toEqual([page, true, true]);
    for (const title of ['Parameters', 'Example', 'Errors']) expect([page, html.includes(`<h2>${title}</h2>`)]).toEqual([page, true]);
  }
});

test('every example sends the same request with curl and with TypeScript: the method, path and parameters of the page', async () => {
  for (const { page, verb, described } of entries) {
    const sent = meaning(sentByCurl.get(page));
    expect([page, sent]).toMatchObject([page, { method: verb === 'RPC' ? 'POST' : verb }]);
    if (described.kind === 'method') expect([page, sent]).toMatchObject([page, { body: { method: page } }]);
    const other = meaning(await sentBy(() => runScript(exampleOf(page, 'TypeScript') ?? '')));
    // The client names the kinds of events that it knows.
    if (page === 'data/subscribeToEvents') expect(other).toMatchObject({ path: expect.stringMatching(/^\/ext\/events\b/) });
    else expect([page, other]).toEqual([page, sent]);
  }
}, 120_000);

test.skipIf(Bun.which('python3') === null)(
  'every example sends the same request with curl and with Python',
  async () => {
    // One process for all: each start takes a third of a second.
    const examples = entries.map(({ page }) => exampleOf(page, 'Python') ?? '');
    recorded = [];
    await runCommand(['python3', '-c', 'import json, sys\nfor code in json.loads(sys.argv[1]): exec(code, {})', JSON.stringify(examples)]);
    expect(recorded.map((one, at) => [entries[at]?.page, one] as const)).toEqual([...sentByCurl] as [string, Recorded][]);
  },
  120_000,
);
