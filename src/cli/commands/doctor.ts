import { SeracError } from '../../api/client/fault.ts';
import { createRpcClient, type RpcClient } from '../../api/client/rpc-client.ts';
import { wrap } from '../../app/config/flag-help.ts';
import { cleanText } from '../../base/bytes/printable.ts';
import type { ClientCommand } from './client-command.ts';
import { explainConnection, type Finding } from './doctor-connection.ts';
import { describeHealth, describeMode, type Health, loneNodeRemedy, readHealth } from './doctor-health.ts';
import { examineServer } from './doctor-server.ts';
import { badArgument } from './fault.ts';
import { formatTime } from './table.ts';

/** Milliseconds that each call of an examination may take. */
const callTimeout = 10_000;

/** `serac doctor URL`: examines any AvalancheGo or Serac node from outside. Exits with 1 if something is wrong. */
export const doctor: ClientCommand = async ({ client, args: [url], options, print }) => {
  const target = createRpcClient({
    url: url === undefined ? client.url : readOrigin(url),
    token: options['dev-token'],
    apiKey: options['api-key'],
    timeout: callTimeout,
  });
  const findings = await examine(target);
  if (options.json) print(JSON.stringify({ findings }));
  else for (const line of formatFindings(findings)) print(line);
  return findings.every(({ ok }) => ok) ? undefined : 1;
};

/** A node is examined as a whole: of a URL such as http://127.0.0.1:9650/ext/bc/X only the part before the path is used. */
function readOrigin(text: string): string {
  const url = /^https?:\/\//.test(text) ? text : `http://${text}`;
  if (URL.canParse(url)) return new URL(url).origin;
  throw badArgument(text, `${JSON.stringify(text)} is not a URL; it looks like http://127.0.0.1:9650`);
}

/** Lines of at most 80 columns. A remedy that several findings share is printed after the last of them. */
function formatFindings(findings: readonly Finding[]): string[] {
  const indent = 18;
  return findings.flatMap(({ topic, ok, text, remedy }, i) => [
    ...wrap(`${ok ? 'ok   ' : 'wrong'}  ${topic.padEnd(10)} ${cleanText(text.slice(0, maxShownText))}`, indent).split('\n'),
    ...(remedy === undefined || findings[i + 1]?.remedy === remedy ? [] : wrap(`${' '.repeat(indent)}${remedy}`, indent).split('\n')),
  ]);
}

/** Characters of what a node says about itself that are shown of one finding. */
const maxShownText = 1000;

/** Examines a node: connection, host rules, version, network, chains, health, peers, X-Chain, and browser access. */
async function examine(client: RpcClient): Promise<Finding[]> {
  const version = await attempt(() => client.call('/ext/info', 'info.getNodeVersion'));
  if (version.error !== undefined) {
    const server = version.error.fault.code === 'NODE_HTTP' ? await examineServer(client) : undefined;
    return server ?? [await explainConnection(client.url, version.error)];
  }
  const { value, error } = await attempt(() => readHealth(client));
  const health = value as Health | undefined;
  const node = {
    version: version.value as NodeVersion,
    health,
    isSerac: (version.value as NodeVersion).version?.startsWith('serac/') === true,
  };
  const rounds = await Promise.all(examinations.map((run) => run(client, node).catch((error) => [failed(error)])));
  return [...rounds.flat(), ...(error === undefined ? [] : [failed(error)])];
}

/** What several examinations read. */
type ExaminedNode = {
  readonly version: NodeVersion;
  readonly health: Health | undefined;
  /** Whether it says so: with `--strict` Serac gives AvalancheGo's version. */
  readonly isSerac: boolean;
};

type NodeVersion = { readonly version?: string; readonly databaseVersion?: string; readonly vmVersions?: { readonly avm?: string } };
type Examination = (client: RpcClient, node: ExaminedNode) => Promise<Finding[]>;

type Attempt = { readonly value?: unknown; readonly error?: SeracError };

async function attempt(run: () => Promise<unknown>): Promise<Attempt> {
  try {
    return { value: await run() };
  } catch (error) {
    if (error instanceof SeracError) return { error };
    throw error;
  }
}

const failed = (error: unknown): Finding => ({
  topic: 'error',
  ok: false,
  text: error instanceof SeracError ? error.message : String(error),
});

const isBootstrapped = async (client: RpcClient, chain: string): Promise<boolean> => {
  const { value } = await attempt(() => client.call('/ext/info', 'info.isBootstrapped', { chain }));
  return (value as { isBootstrapped?: boolean } | undefined)?.isBootstrapped === true;
};

const examinations: readonly Examination[] = [
  async (_, { version: { version = 'unknown', vmVersions } }) => [
    { topic: 'version', ok: true, text: `${version}, avm ${vmVersions?.avm ?? 'unknown'}` },
  ],
  async (client) => {
    const { networkID } = (await client.call('/ext/info', 'info.getNetworkID')) as { networkID: string };
    const { networkName } = (await client.call('/ext/info', 'info.getNetworkName')) as { networkName: string };
    return [{ topic: 'network', ok: true, text: `${networkName}, id ${networkID}` }];
  },
  async (client, node) => {
    const chains = await Promise.all(['P', 'X', 'C'].map(async (name) => ({ name, isDone: await isBootstrapped(client, name) })));
    // Serac runs the X-Chain; of P and C a node that follows or has joined a network knows nothing. AvalancheGo bootstraps P first.
    const isXOnly = chains.every(({ name, isDone }) => (name === 'X' ? isDone || node.isSerac : !isDone));
    const list = (isDone: boolean): string =>
      chains
        .filter((chain) => chain.isDone === isDone && (!isXOnly || chain.name === 'X'))
        .map(({ name }) => name)
        .join(', ');
    return [
      ...(list(true) === ''
        ? []
        : [{ topic: 'chains', ok: true, text: `${list(true)}: bootstrapped${isXOnly ? '; P and C are not run by Serac' : ''}` }]),
      ...(list(false) === '' ? [] : [{ topic: 'chains', ok: false, text: `${list(false)}: not bootstrapped`, remedy: loneNodeRemedy }]),
    ];
  },
  async (_, { health }) => describeHealth(health),
  async (_, { health }) => describeMode(health),
  async (client) => {
    const { value, error } = await attempt(() => client.call('/ext/info', 'info.peers'));
    if (error !== undefined) return [{ topic: 'peers', ok: true, text: `not told: ${error.message}` }];
    return [{ topic: 'peers', ok: true, text: (value as { numPeers: string }).numPeers }];
  },
  async (client) => {
    // AvalancheGo refuses calls of a chain that is not bootstrapped, which the findings about chains report.
    if (!(await isBootstrapped(client, 'X'))) return [];
    const { height } = (await client.call('/ext/bc/X', 'avm.getHeight')) as { height: string };
    const { block } = (await client.call('/ext/bc/X', 'avm.getBlockByHeight', { height, encoding: 'json' })) as { block: { time: number } };
    return [{ topic: 'X-Chain', ok: true, text: `height ${height}, last block ${formatTime(block.time)}` }];
  },
  async (client) => {
    const response = await client.request('/ext/bc/X', {
      method: 'OPTIONS',
      headers: {
        origin: 'http://localhost:3000',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      },
    });
    const allowed = response.headers.get('access-control-allow-origin');
    return [
      allowed === null
        ? { topic: 'browser', ok: true, text: 'web pages of other origins are refused', remedy: 'To allow them: --http-allowed-origins=*' }
        : { topic: 'browser', ok: true, text: `web pages of ${allowed === '*' ? 'all origins' : allowed} may call it` },
    ];
  },
];
