import { deepStrictEqual, ok } from 'node:assert';
import { avmRows } from '../../src/api/contract/avm-methods.ts';
import { compactJson } from '../../src/api/rpc/compact-json.ts';
import { RpcError } from '../../src/api/rpc/fault.ts';
import { findFirstValue, parseString, scanArray, scanObject, skipValue } from '../../src/api/rpc/json-scan.ts';
import { maxMembers } from '../../src/api/rpc/limits.ts';
import { createEnv } from '../../src/app/platform/runtime-env.ts';
import { startNode } from '../../src/app/programs/start-node.ts';
import { Fault } from '../../src/base/fault.ts';
import { createLog } from '../../src/base/log/log.ts';
import { callHandler } from '../../src/sdk/local-request.ts';
import { configFromOptions } from '../../src/sdk/options-config.ts';
import errors from '../../vectors/errors.json' with { type: 'json' };
import { dataSeeds } from './data-target.ts';
import type { FuzzTarget, OpenedTarget } from './target.ts';

/* Bodies and requests to a whole node without sockets, and the scanner that reads bodies. */

const fold = (text: string): string => text.toWellFormed();

/** What JSON.parse reads, or undefined. */
function parseOrUndefined(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** The value at a position, by the scanner alone; numbers stay texts. */
function readValue(bytes: string, from: number, to: number): unknown {
  const char = bytes[from];
  if (char === '"') return parseString(bytes, from, to);
  if (char === '[') {
    const items: unknown[] = [];
    scanArray(bytes, from, (start, end) => items.push(readValue(bytes, start, end)) > 0);
    return items;
  }
  if (char !== '{') return bytes.slice(from, to);
  const members: [string, unknown][] = [];
  scanObject(bytes, from, (key, keyEnd, start, end) => void members.push([parseString(bytes, key, keyEnd), readValue(bytes, start, end)]));
  return Object.fromEntries(members);
}

/** The same, or undefined if an object has more members than a request may have. */
function readValueOrTooMany(bytes: string, from: number, to: number): { readonly value: unknown } | undefined {
  try {
    return { value: readValue(bytes, from, to) };
  } catch (error) {
    if (!(error instanceof RpcError) || error.fault.code !== 'RPC_TOO_MANY_MEMBERS') throw error;
    ok(bytes.split(':').length > maxMembers, 'refused for too many members, but has fewer colons');
    return undefined;
  }
}

/** The same of what JSON.parse read, with numbers as JSON.stringify writes them. */
const sameShape = (scanned: unknown, parsed: unknown): boolean => {
  if (typeof parsed === 'string') return scanned === fold(parsed);
  if (Array.isArray(parsed))
    return Array.isArray(scanned) && scanned.length === parsed.length && parsed.every((one, i) => sameShape(scanned[i], one));
  if (parsed === null || typeof parsed !== 'object') return typeof scanned === 'string' && Object.is(JSON.parse(scanned), parsed);
  const [a, b] = [Object.entries(scanned as object), Object.entries(parsed)];
  // Keys that are no valid Unicode become equal.
  return (
    a.length === new Set(b.map(([key]) => fold(key))).size &&
    (a.length !== b.length || b.every(([key, value]) => sameShape((scanned as Record<string, unknown>)[fold(key)], value)))
  );
};

const scannerTarget: FuzzTarget = {
  name: 'json',
  seeds: () => ['{"a":[1,2.5e3,-0],"\\u0062":"\\ud83d\\ude00é","":null}', ' [true,false,{"x":{}}] ', '"\\"\\\\\\/\\b\\n"', '0.1E-7x'],
  words: ['{', '}', '[', ']', '"', ':', ',', '\\', '\\u00', 'true', 'false', 'null', '-', '.', 'e', '0', '__proto__'],
  open: () => ({
    run: (input) => {
      const bytes = Buffer.from(input).toString('latin1');
      const text = Buffer.from(input).toString('utf8');
      let span: readonly [number, number] | undefined;
      try {
        const from = findFirstValue(bytes);
        span = [from, skipValue(bytes, from)];
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
      }
      // JSON.parse also rejects text after the first value, which the scanner ignores; both replace what is no UTF-8, in their own way.
      if (!Buffer.from(text).equals(Buffer.from(input))) return;
      const whole = span !== undefined && /^[ \t\r\n]*$/.test(bytes.slice(span[1]));
      const parsed = parseOrUndefined(text);
      deepStrictEqual(whole, parsed !== undefined, 'the scanner and JSON.parse disagree');
      if (span === undefined || parsed === undefined) return;
      const read = readValueOrTooMany(bytes, ...span);
      ok(read === undefined || sameShape(read.value, parsed.value), 'the scanner read another value');
      const echo = Buffer.from(compactJson(bytes.slice(...span)), 'latin1').toString();
      deepStrictEqual(JSON.parse(echo), parsed.value, 'the echo has another value');
    },
  }),
};

/** A node in this process, whose unexpected errors are failures. */
async function openNode(): Promise<{
  readonly send: (method: string, target: string, headers: Record<string, string>, body: Uint8Array) => Promise<Answer>;
  readonly close: () => Promise<void>;
}> {
  const lines: string[] = [];
  const log = createLog(
    (line) => void lines.push(line),
    () => 'error',
  );
  const env = createEnv({ version: '0.0.0', log, keepsRunning: true });
  const node = await startNode(configFromOptions({ accounts: 2 }), env, { listens: false });
  return {
    send: async (method, target, headers, body) => {
      const { status, headers: sent, body: content, stream } = await callHandler(node.handler, { method, target, headers, body });
      await stream?.[Symbol.asyncIterator]().return?.();
      const [line] = lines.splice(0);
      ok(line === undefined, `the node logged: ${line}`);
      return { status, type: sent['content-type'] ?? '', text: Buffer.from(content as string).toString() };
    },
    close: () => node.close(),
  };
}
type Answer = { readonly status: number; readonly type: string; readonly text: string };

const showsInside = /\bat .*:\d+:\d+\)|\/src\/\w+\/|node_modules/;
const json = { 'content-type': 'application/json' };
const paths = ['/ext/bc/X', '/ext/info', '/ext/bc/X/wallet', '/ext/bc/P', '/ext/health', '/ext/bc/C/rpc'];

function checkRpcAnswer({ status, text }: Answer): void {
  deepStrictEqual(status, 200);
  ok(!showsInside.test(text), 'the answer shows a stack trace or a path');
  if (text === '') return;
  const all = JSON.parse(text) as unknown;
  for (const one of (Array.isArray(all) ? all : [all]) as Record<string, unknown>[]) {
    deepStrictEqual(one.jsonrpc, '2.0');
    ok('id' in one && 'result' in one !== 'error' in one, 'neither result nor error');
  }
}

const rpcSeeds = (): string[] => {
  const bodies = errors.flatMap((one) => ('body' in one && typeof one.body === 'string' && one.body.length < 700 ? [one.body] : []));
  return bodies.filter((_, i) => i % 5 === 0);
};

const rpcTarget: FuzzTarget = {
  name: 'json-rpc',
  seeds: () => rpcSeeds().map((body, i) => `${i % 3 === 2 ? i % paths.length : 0}${body}`),
  words: [
    ...Object.keys(avmRows).map((name) => `avm.${name}`),
    'params',
    'encoding',
    'hex',
    'json',
    'X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u',
    'AVAX',
  ],
  maxRetained: 24_000_000,
  open: async (): Promise<OpenedTarget> => {
    const node = await openNode();
    return {
      run: async (input) =>
        checkRpcAnswer(await node.send('POST', paths[(input[0] ?? 0) % paths.length] as string, json, input.subarray(1))),
      close: node.close,
    };
  },
};

/** A request as text: method and target, headers, an empty line, the body. */
function parseRequest(input: Uint8Array) {
  const bytes = Buffer.from(input);
  const end = bytes.indexOf('\n\n');
  const [first = '', ...lines] = bytes.toString('utf8', 0, end < 0 ? bytes.length : end).split('\n');
  const [method = '', target = ''] = first.split(/ (.*)/s);
  const headers = Object.fromEntries(
    lines
      .slice(0, 100)
      .map((line) => line.split(/: ?(.*)/s))
      .map(([name = '', value = '']) => [name.toLowerCase(), value]),
  );
  return { method, target, headers, body: end < 0 ? new Uint8Array() : bytes.subarray(end + 2) };
}

const requestTarget: FuzzTarget = {
  name: 'request',
  testRounds: 100,
  seeds: () => [
    'GET /ext/health?tag=x',
    'GET /ext/metrics',
    'GET /',
    'GET /explorer/blocks?page=2',
    'OPTIONS /ext/bc/X\norigin: http://a.b\naccess-control-request-method: POST',
    'GET /ext/events?kind=block&lastEventId=x-1.2\nupgrade: websocket',
    `POST /ext/bc/X\ncontent-type: application/json\n\n${rpcSeeds()[0]}`,
    ...dataSeeds(),
  ],
  words: [
    'GET',
    'POST',
    'HEAD',
    'PUT',
    '/ext/',
    '/v1/',
    '/v2/',
    '/explorer/',
    '%2F',
    '%00',
    '..',
    'if-none-match',
    'accept-encoding',
    'range',
    'host',
    'x-service-api-key',
    'last-event-id',
  ],
  maxCpu: 250,
  maxRetained: 40_000_000,
  open: async (): Promise<OpenedTarget> => {
    const node = await openNode();
    return {
      run: async (input) => {
        const { method, target, headers, body } = parseRequest(input);
        // Developer methods may stop or change the node.
        if (decodeURIComponentSafe(target).includes('dev')) return;
        const { status, type, text } = await node.send(method, target, headers, body);
        ok(
          [101, 200, 204, 301, 302, 304, 307, 308, 400, 401, 403, 404, 405, 406, 409, 413, 415, 429, 431, 503].includes(status),
          `status ${status}`,
        );
        if (type.startsWith('application/json') && text !== '' && method !== 'HEAD') JSON.parse(text);
        if (status >= 400) ok(!showsInside.test(text), 'the answer shows a stack trace or a path');
      },
      close: node.close,
    };
  },
};

const decodeURIComponentSafe = (text: string): string =>
  text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

export const rpcTargets: readonly FuzzTarget[] = [scannerTarget, rpcTarget, requestTarget];
