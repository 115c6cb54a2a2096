import { SeracError } from '../../api/client/fault.ts';
import type { RpcClient } from '../../api/client/rpc-client.ts';
import { createMcpHandler, mcpPath } from '../../api/mcp/http-sessions.ts';
import { createSession, type McpServer, type McpSession, parseMessage, type Resource } from '../../api/mcp/session.ts';
import { type ToolGroup, type ToolNode, toolGroups } from '../../api/mcp/tool.ts';
import { createTools } from '../../api/mcp/tool-table.ts';
import { readApiMessage } from '../../api/rest/api-error.ts';
import { codeSections, errorAdvice } from '../../app/advice/error-advice.ts';
import type { Options } from '../../app/config/flag-table.ts';
import { waitForAbort } from '../../base/timing/sleep.ts';
import { type ClientCommand, type ClientContext, nodeMethods } from './client-command.ts';
import { listHints } from './explain-error.ts';
import { badArgument } from './fault.ts';

/** `serac mcp`: a server of the Model Context Protocol whose tools ask a node, over stdin and stdout or over HTTP. */
export const mcp: ClientCommand = async (context) => {
  const server = createServer(context);
  if (context.options.listen === undefined) await serveLines(createSession(server), context);
  else await serveHttp(server, context.options.listen, context);
  return undefined;
};

function createServer({ client, options, env }: ClientContext): McpServer {
  const node = createToolNode(client);
  return {
    version: env.version,
    tools: createTools(readGroups(options), options.dev),
    resources: createResources(node),
    node,
    explain: explainCall,
    maxAnswer: options['max-answer'],
  };
}

/** The groups of `--tools`; without it all, those of `dev` only with `--dev`. */
function readGroups({ tools, dev }: Options): readonly ToolGroup[] {
  const isGroup = (name: string): name is ToolGroup => (toolGroups as readonly string[]).includes(name);
  const unknown = tools?.find((name) => !isGroup(name));
  if (unknown !== undefined)
    throw badArgument(unknown, `${JSON.stringify(unknown)} is not a group of tools; groups are ${toolGroups.join(', ')}`);
  if (tools?.includes('dev') && !dev) throw badArgument('dev', 'the tools of the group dev can change the chain; allow them with --dev');
  return (tools ?? toolGroups).filter((group): group is ToolGroup => isGroup(group) && (group !== 'dev' || dev));
}

function createToolNode(client: RpcClient): ToolNode {
  const request = async (path: string): Promise<string> => {
    const response = await client.request(path);
    const text = await client.readText(response);
    if (response.ok) return text;
    throw new SeracError(`${readApiMessage(text) ?? `${client.url} answered with status ${response.status}`}`, {
      code: 'NODE_HTTP',
      url: client.url + path,
      status: response.status,
    });
  };
  let name: string | undefined;
  return {
    call: client.call,
    request,
    networkName: async () => {
      name ??= await readNetworkName(client, request);
      return name;
    },
  };
}

/**
 * The network's own name: under `fuji`, to which private networks answer too, addresses would be spelled as those of fuji. `serac api` has no Node RPC and
 * tells it at `/`, a node with --strict in the Node RPC only.
 */
const readNetworkName = (client: RpcClient, request: ToolNode['request']): Promise<string> =>
  nodeMethods(client)
    .info.getNetworkName()
    .then(
      ({ networkName }) => networkName,
      async () => (JSON.parse(await request('/')) as { readonly network: string }).network,
    );

/** What a tool has thrown: the message of the node, what its data tells, and cause and remedy of its code. */
function explainCall(error: unknown): string {
  if (!(error instanceof SeracError)) return String(error);
  const [cause, remedy] = errorAdvice.get(error.code) ?? [];
  return [
    error.message,
    ...listHints(error),
    `Code: ${error.code}`,
    ...(cause === undefined ? [] : [`Cause: ${cause}`, `Remedy: ${remedy}`]),
    ...(error.fault.code !== 'RPC_ERROR' || error.data === undefined || error.data === null
      ? []
      : [`Data: ${JSON.stringify(error.data, (_, value) => (typeof value === 'bigint' ? `${value}` : value))}`]),
  ].join('\n');
}

const createResources = ({ request }: ToolNode): ReadonlyMap<string, Resource> =>
  new Map([
    [
      'serac://errors',
      {
        name: 'errors',
        description: 'What every error code means and what to do about it',
        mimeType: 'text/markdown',
        read: async () => formatErrors(),
      },
    ],
    [
      'serac://openrpc',
      {
        name: 'openrpc',
        description: 'OpenRPC document of the Node RPC',
        mimeType: 'application/json',
        read: () => request('/openrpc-json'),
      },
    ],
    [
      'serac://openapi',
      {
        name: 'openapi',
        description: 'OpenAPI document of the Data and Metrics APIs',
        mimeType: 'application/json',
        read: () => request('/api-json'),
      },
    ],
  ]);

const formatErrors = (): string =>
  codeSections
    .map(([title, codes]) =>
      [`# ${title}`, ...Object.entries(codes).map(([code, [cause, remedy]]) => `- \`${code}\`: ${cause} ${remedy}`)].join('\n'),
    )
    .join('\n\n');

/** The most bytes of a line: a signed transaction as hex fits. */
const maxLine = 1_048_576;

/** One message per line, until the client closes stdin. Requests run side by side; the session limits their number. */
async function serveLines(session: McpSession, { input, write }: ClientContext): Promise<void> {
  const running = new Set<Promise<void>>();
  const answer = (line: string): void => {
    const work = session.handle(parseMessage(line)).then((reply) => reply !== undefined && write(`${reply}\n`));
    const done: Promise<void> = work.then(() => void running.delete(done));
    running.add(done);
  };
  for await (const line of readLines(input)) answer(line);
  await Promise.all(running);
}

/** The lines of a stream, without blank ones. A longer one than the limit is given as an empty object, which no method takes. */
async function* readLines(input: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let text = '';
  let isTooLong = false;
  for await (const chunk of input) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
      const line = text.slice(0, end).trim();
      text = text.slice(end + 1);
      if (isTooLong) yield '{}';
      else if (line !== '') yield line;
      isTooLong = false;
    }
    if (text.length > maxLine) {
      isTooLong = true;
      text = '';
    }
  }
}

/** Only programs on this machine reach it: tools may change the chain, and the protocol has no login of its own. */
async function serveHttp(server: McpServer, port: number, { env, print, options, onInterrupt }: ClientContext): Promise<void> {
  const { random, clock } = env;
  const listening = await env.serve({
    host: '127.0.0.1',
    port,
    handler: createMcpHandler(server, { random, monotonic: clock.monotonic }),
    maxBodyMemory: 16 * maxLine,
    idleTimeout: 120,
  });
  const url = `http://127.0.0.1:${listening.port}${mcpPath}`;
  print(options.json ? JSON.stringify({ url }) : `serac ${server.version}: ${server.tools.size} tools at ${url}, node ${options.url}`);
  await waitForAbort(onInterrupt());
  await listening.close();
}
