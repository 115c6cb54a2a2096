import { parseBlock } from '../src/avm/tx/block.ts';
import { formatHex, fromHex, parseHex } from '../src/base/bytes/hex.ts';
import { idText } from '../src/base/bytes/id.ts';
import { canonicalJson, parseExact, replaceAt, tryParseExact, valueAt } from './exact-json.ts';
import type { Client, ClientResponse } from './http.ts';

/**
 * Result of replaying requests captured from AvalancheGo against a node. Formats: `rules` in vectors/scenario.json.
 * Steps of the P-Chain and C-Chain are not run; the outputs they put into shared memory are injected.
 */
export type ReplayResult = { readonly ran: number; readonly differences: { readonly name: string; readonly what: string }[] };

type Call = { httpMethod: string; path: string; headers: Record<string, string>; body?: unknown };
type Expected = { status: number; body: unknown };
type Step = CompareRules & {
  n: number;
  name: string;
  kind: 'call' | 'issue' | 'waitAccepted' | 'page';
  foreign?: boolean;
  sharedMemoryPut?: { sourceChain: string; value: string; utxoID: string }[];
  call: Call;
  issue: { path: string; method: string; id: unknown; tx: string; encoding: string };
  waitAccepted: { path: string; method: string; txID: string };
  page: { path: string; method: string; params: object; limit: number };
  expectPages: { union: string[]; pageSizes?: number[] };
  expect: Expected;
  expectOneOf?: Expected[];
  capture?: Record<string, string>;
  checks?: { kind: string; pointer: string; blockID: string; height: string; txIDs: string[]; size: number; of: string[] }[];
};
type CompareRules = { volatile?: string[]; unordered?: string[]; orderGroups?: Record<string, number[]> };
type Case = CompareRules & {
  name: string;
  httpMethod: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
  bodyHex?: string;
  bodyGen?: { prefix?: string; repeat: string; times: number; suffix?: string };
  status: number;
  responseHeaders: Record<string, string>;
  responseBody?: string;
  responseJSON?: unknown;
  responseText?: string;
};

const jsonHeader = { 'content-type': 'application/json' };

export async function replaySteps(client: Client, steps: readonly Step[]): Promise<ReplayResult> {
  const run = { vars: {} as Record<string, string>, ran: 0, differences: [] as { name: string; what: string }[] };
  const differ = (step: Step, what: string) => void run.differences.push({ name: `${step.n} ${step.name}`, what });
  for (const step of steps) {
    run.ran++;
    if (step.foreign) await injectAtomicUtxos(client, step, differ);
    else if (step.kind === 'waitAccepted') await waitAccepted(client, step, differ);
    else if (step.kind === 'page') await walkPages(client, step, differ);
    else await replayCall(client, step, run.vars, differ);
  }
  return run;
}

export async function replayCases(client: Client, cases: readonly Case[]): Promise<ReplayResult> {
  const run = { ran: 0, differences: [] as { name: string; what: string }[] };
  for (const one of cases) {
    // The HTTP client writes every method in upper case.
    if (one.httpMethod !== one.httpMethod.toUpperCase()) continue;
    run.ran++;
    const answer = await client.send(one.httpMethod, one.path, one.headers, bodyOf(one));
    for (const what of [...bodyDifferences(one, answer), ...headerDifferences(one, answer)]) run.differences.push({ name: one.name, what });
  }
  return run;
}

export const loadExact = async (name: string): Promise<never> =>
  parseExact(await Bun.file(new URL(`../vectors/${name}`, import.meta.url)).text()) as never;

async function injectAtomicUtxos(client: Client, step: Step, differ: (step: Step, what: string) => void): Promise<void> {
  for (const { sourceChain, value, utxoID } of step.sharedMemoryPut ?? []) {
    const utxo = formatHex('hex', fromHex(value.slice(2)));
    const answer = await client.call('/ext/dev', 'dev.addAtomicUTXO', { sourceChain, utxo });
    if ((answer.result as { utxoID?: string } | undefined)?.utxoID !== utxoID) differ(step, `dev.addAtomicUTXO: ${JSON.stringify(answer)}`);
  }
}

async function waitAccepted(client: Client, step: Step, differ: (step: Step, what: string) => void): Promise<void> {
  const { path, method, txID } = step.waitAccepted;
  for (let tries = 0; tries < 400; tries++) {
    const { result } = (await client.call(path, method, { txID })) as { result?: { status: string } };
    if (result?.status === 'Accepted') return;
    await Bun.sleep(25);
  }
  differ(step, 'never accepted');
}

async function walkPages(client: Client, step: Step, differ: (step: Step, what: string) => void): Promise<void> {
  const { path, method, params, limit } = step.page;
  const union = new Set<string>();
  const sizes: number[] = [];
  let startIndex: unknown;
  for (let page = 0; page < 200; page++) {
    const pageParams = { ...params, limit, ...(startIndex === undefined ? {} : { startIndex }) };
    const { result } = (await client.call(path, method, pageParams)) as {
      result?: { utxos: string[]; endIndex: unknown; numFetched: string };
    };
    if (result === undefined) return differ(step, 'no result');
    sizes.push(result.utxos.length);
    for (const utxo of result.utxos) union.add(utxo);
    startIndex = result.endIndex;
    if (Number(result.numFetched) < limit) break;
  }
  const { union: wanted, pageSizes } = step.expectPages;
  if (canonicalJson([...union].sort()) !== canonicalJson([...wanted].sort()))
    differ(step, `union of pages: ${union.size}, expected ${wanted.length}`);
  if (pageSizes !== undefined && canonicalJson(sizes) !== canonicalJson(pageSizes))
    differ(step, `page sizes ${sizes}, expected ${pageSizes}`);
}

async function replayCall(
  client: Client,
  step: Step,
  vars: Record<string, string>,
  differ: (step: Step, what: string) => void,
): Promise<void> {
  const answer = await sendStep(client, step, vars);
  const body = tryParseExact(answer.text);
  for (const [name, pointer] of Object.entries(step.capture ?? {})) vars[name] = String(valueAt(body, pointer));
  const mismatches = (step.expectOneOf ?? [step.expect]).map(({ status, body: want }) =>
    status === answer.status ? compareBodies(step, substitute(want, vars), body) : `status ${answer.status}, expected ${status}`,
  );
  if (mismatches.every((what) => what !== undefined)) differ(step, mismatches.at(-1) as string);
  for (const check of step.checks ?? []) {
    if (check.kind === 'blockBytes') {
      const what = compareBlock(body, { ...check, blockID: String(substitute(check.blockID, vars)) });
      if (what !== undefined) differ(step, what);
    }
    if (check.kind === 'subset') {
      const list = (valueAt(body, check.pointer) ?? []) as string[];
      if (list.length !== check.size || new Set(list).size !== list.length || list.some((item) => !check.of.includes(item)))
        differ(step, 'not the subset expected');
    }
  }
}

function sendStep(client: Client, step: Step, vars: Record<string, string>): Promise<ClientResponse> {
  if (step.kind === 'issue') {
    const { path, method, id, tx, encoding } = step.issue;
    return client.send('POST', path, jsonHeader, JSON.stringify({ jsonrpc: '2.0', id, method, params: { tx, encoding } }));
  }
  const { httpMethod, path, headers, body } = step.call;
  return client.send(httpMethod, path, headers, body === undefined ? undefined : JSON.stringify(substitute(body, vars)));
}

/** Replaces ${names} by values captured from earlier responses. */
function substitute(value: unknown, vars: Record<string, string>): unknown {
  if (typeof value === 'string') return value.replace(/\$\{(\w+)\}/g, (whole, name) => vars[name] ?? whole);
  if (Array.isArray(value)) return value.map((item) => substitute(item, vars));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, substitute(item, vars)]));
}

function compareBlock(body: unknown, check: { pointer: string; blockID: string; height: string; txIDs: string[] }): string | undefined {
  const encoding = valueAt(body, '/result/encoding') as 'hex';
  const block = parseBlock(parseHex(encoding, valueAt(body, check.pointer) as string));
  if (idText(block.id) !== check.blockID) return `block id ${idText(block.id)}, expected ${check.blockID}`;
  if (block.height.toString() !== check.height) return `height ${block.height}, expected ${check.height}`;
  const ids = block.txs.map((tx) => idText(tx.id));
  return canonicalJson(ids.sort()) === canonicalJson([...check.txIDs].sort()) ? undefined : `transactions ${ids}, expected ${check.txIDs}`;
}

/** Messages of Go's JSON decoder, which may differ; code and structure may not. */
const goText = /^(json: |invalid character|unexpected end of JSON|unexpected EOF|EOF)/;

function compareBodies(rules: CompareRules, want: unknown, got: unknown): string | undefined {
  const [a, b] = [structuredClone(want), structuredClone(got)];
  const errorOf = (x: unknown) => (x as { error?: { code: number; message?: string; data?: unknown } } | null)?.error;
  if (goText.test(errorOf(a)?.message ?? '') && errorOf(a)?.code === errorOf(b)?.code)
    for (const error of [errorOf(a), errorOf(b)]) {
      delete error?.message;
      delete error?.data;
    }
  for (const pointer of rules.volatile ?? []) for (const x of [a, b]) replaceAt(x, pointer, '*');
  for (const pointer of rules.unordered ?? []) {
    const [wanted, found] = [valueAt(a, pointer), valueAt(b, pointer)];
    if (Array.isArray(wanted) && Array.isArray(found)) for (const list of [wanted, found]) sortRuns(list, rules.orderGroups?.[pointer]);
  }
  return canonicalJson(a) === canonicalJson(b) ? undefined : `expected ${canonicalJson(a)}\n     got ${canonicalJson(b)}`;
}

/** Sorts within runs of the given lengths, or the whole list: AvalancheGo has no fixed order for UTXOs of one block. */
function sortRuns(list: unknown[], runs: readonly number[] = [list.length]): void {
  let from = 0;
  for (const length of runs) {
    const run = list.slice(from, from + length).sort((x, y) => (canonicalJson(x) < canonicalJson(y) ? -1 : 1));
    list.splice(from, run.length, ...run);
    from += length;
  }
}

function bodyOf(one: Case): string | Uint8Array | undefined {
  if (one.bodyGen !== undefined) {
    const { prefix = '', repeat, times, suffix = '' } = one.bodyGen;
    return prefix + repeat.repeat(times) + suffix;
  }
  return one.bodyHex === undefined ? one.body : Buffer.from(one.bodyHex, 'hex');
}

function bodyDifferences(one: Case, answer: ClientResponse): string[] {
  if (answer.status !== one.status) return [`status ${answer.status}, expected ${one.status}: ${answer.text.slice(0, 200)}`];
  if (one.volatile?.includes('body')) return [];
  if (one.responseJSON !== undefined)
    return [compareBodies(one, one.responseJSON, tryParseExact(answer.text))].filter((d) => d !== undefined);
  const want = one.responseBody ?? one.responseText ?? '';
  if (answer.text === want) return [];
  const found = compareBodies(one, tryParseExact(want), tryParseExact(answer.text));
  if (found !== undefined) return [found];
  const isRawTextIgnored = one.volatile !== undefined || one.unordered !== undefined || goText.test(messageIn(want));
  return isRawTextIgnored ? [] : [`raw text ${JSON.stringify(answer.text)}, expected ${JSON.stringify(want)}`];
}

const messageIn = (text: string) => (tryParseExact(text) as { error?: { message?: string } } | null)?.error?.message ?? '';

const ignoredHeaders = new Set(['node-id', 'content-length', 'transfer-encoding']);

const headerDifferences = (one: Case, answer: ClientResponse): string[] =>
  Object.entries(one.responseHeaders)
    .filter(([name, value]) => !ignoredHeaders.has(name) && (answer.headers[name] ?? '') !== value)
    .map(([name, value]) => `header ${name}: ${answer.headers[name]}, expected ${value}`);
