import { isRecord } from '../client/convert.ts';
import { boundAnswer, checkArguments, failedAnswer, type ToolResult } from './answer.ts';
import type { Tool, ToolNode } from './tool.ts';

/** What every session of a server of the Model Context Protocol shares. */
export type McpServer = {
  readonly version: string;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly resources: ReadonlyMap<string, Resource>;
  readonly node: ToolNode;
  /** Cause and remedy of what a tool has thrown, as text. */
  readonly explain: (error: unknown) => string;
  /** The most characters of an answer. */
  readonly maxAnswer: number;
};

export type Resource = {
  readonly name: string;
  readonly description: string;
  readonly mimeType: string;
  readonly read: () => Promise<string>;
};

/** A client of the server, from its `initialize` on. */
export type McpSession = {
  /** Handles one JSON-RPC message or a batch; undefined: it was not JSON. Returns the response as text; undefined if none is sent. */
  readonly handle: (message: unknown) => Promise<string | undefined>;
};

/** Versions of the protocol, newest first. */
export const protocolVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;
const latestVersion = protocolVersions[0];

/** The most calls of one client at a time, and messages of a batch. */
const maxCalls = 16;
const maxBatch = 50;

/** Codes of JSON-RPC 2.0; `busy` and `noResource` are of this server and of the protocol. */
const codes = {
  parse: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  internal: -32603,
  busy: -32000,
  noResource: -32002,
} as const;

type RpcId = string | number;
type Reply = { readonly jsonrpc: '2.0'; readonly id: RpcId | null } & (
  | { readonly result: object }
  | { readonly error: { readonly code: number; readonly message: string } }
);

export function createSession(server: McpServer): McpSession {
  /** IDs of the requests that run; true: the client has cancelled it. */
  const running = new Map<RpcId, boolean>();

  const handleMessage = async (message: unknown): Promise<Reply | undefined> => {
    if (!isRecord(message) || message.jsonrpc !== '2.0') return fail(null, codes.request, 'not a JSON-RPC 2.0 message');
    const { id, method, params = {} } = message;
    if (typeof method !== 'string') return undefined; // The answer to a request: this server sends none.
    if (id === undefined) {
      const cancelled = isRecord(params) ? (params.requestId as RpcId) : '';
      if (method === 'notifications/cancelled' && running.has(cancelled)) running.set(cancelled, true);
      return undefined;
    }
    if (typeof id !== 'string' && typeof id !== 'number') return fail(null, codes.request, 'the id must be a text or a number');
    if (!isRecord(params)) return fail(id, codes.params, 'params must be an object');
    const run = Object.hasOwn(methods, method) ? methods[method] : undefined;
    if (run === undefined) return fail(id, codes.method, `this server has no method ${JSON.stringify(method.slice(0, 100))}`);
    if (running.size >= maxCalls || running.has(id))
      return fail(id, codes.busy, `${running.size} requests run already; wait for one of them, and use each id once`);
    running.set(id, false);
    try {
      const result = await run(server, params);
      return running.get(id)
        ? undefined
        : 'code' in result
          ? fail(id, result.code, result.message)
          : { jsonrpc: '2.0', id, result: result.ok };
    } catch (error) {
      return fail(id, codes.internal, server.explain(error));
    } finally {
      running.delete(id);
    }
  };

  const handle = async (message: unknown): Promise<string | undefined> => {
    if (message === undefined) return JSON.stringify(fail(null, codes.parse, 'not JSON'));
    if (!Array.isArray(message)) return stringify(await handleMessage(message));
    if (message.length === 0 || message.length > maxBatch)
      return JSON.stringify(fail(null, codes.request, `a batch has 1 to ${maxBatch} messages`));
    const replies = (await Promise.all(message.map(handleMessage))).filter((reply) => reply !== undefined);
    return replies.length === 0 ? undefined : JSON.stringify(replies);
  };
  return { handle };
}

const fail = (id: RpcId | null, code: number, message: string): Reply => ({ jsonrpc: '2.0', id, error: { code, message } });
const stringify = (reply: Reply | undefined): string | undefined => (reply === undefined ? undefined : JSON.stringify(reply));

/** The value of a JSON text; undefined if it is none. */
export function parseMessage(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

type Outcome = { readonly ok: object } | { readonly code: number; readonly message: string };
type Method = (server: McpServer, params: { readonly [name: string]: unknown }) => Promise<Outcome>;

/** The methods of the protocol that this server has. */
const methods: { readonly [method: string]: Method } = {
  initialize: async ({ version, resources }, { protocolVersion }) => ({
    ok: {
      protocolVersion: protocolVersions.find((known) => known === protocolVersion) ?? latestVersion,
      capabilities: { tools: {}, resources: resources.size > 0 ? {} : undefined },
      serverInfo: { name: 'serac', title: 'Serac: Avalanche X-Chain', version },
      instructions,
    },
  }),
  ping: async () => ({ ok: {} }),
  'tools/list': async ({ tools }) => ({ ok: { tools: [...tools.values()].map(describeTool) } }),
  'tools/call': async (server, { name, arguments: given = {} }) => {
    const tool = typeof name === 'string' ? server.tools.get(name) : undefined;
    if (tool === undefined)
      return { code: codes.params, message: `unknown tool ${JSON.stringify(String(name).slice(0, 100))}; tools/list lists them` };
    if (!isRecord(given)) return { code: codes.params, message: 'arguments must be an object' };
    return { ok: await callTool(server, tool, given) };
  },
  'resources/list': async ({ resources }) => ({
    ok: { resources: [...resources].map(([uri, { name, description, mimeType }]) => ({ uri, name, description, mimeType })) },
  }),
  'resources/templates/list': async () => ({ ok: { resourceTemplates: [] } }),
  'resources/read': async ({ resources }, { uri }) => {
    const resource = typeof uri === 'string' ? resources.get(uri) : undefined;
    if (resource === undefined)
      return { code: codes.noResource, message: `there is no resource ${JSON.stringify(String(uri).slice(0, 200))}` };
    return { ok: { contents: [{ uri, mimeType: resource.mimeType, text: await resource.read() }] } };
  },
};

const instructions =
  'Tools of an Avalanche X-Chain node. Names begin with the service: avm, info, health (Node RPC), data, explorer, metrics (history), dev (a chain for tests). ' +
  'Amounts are in the smallest unit of an asset: 1 AVAX is 1000000000 nAVAX. Arguments network and blockchainId can be left out: they mean the X-Chain of the node.';

const describeTool = ({ name, title, description, inputSchema, onlyReads }: Tool) => ({
  name,
  title,
  description,
  inputSchema,
  annotations: { readOnlyHint: onlyReads, destructiveHint: onlyReads ? undefined : true, openWorldHint: false },
});

async function callTool(
  { node, explain, maxAnswer }: McpServer,
  tool: Tool,
  given: { readonly [name: string]: unknown },
): Promise<ToolResult> {
  const wrong = checkArguments(tool, given);
  if (wrong !== undefined) return failedAnswer(wrong);
  try {
    return boundAnswer(tool, await tool.run(node, given), maxAnswer);
  } catch (error) {
    return failedAnswer(explain(error));
  }
}
