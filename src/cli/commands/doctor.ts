import { SeracError } from '../../api/client/fault.ts';
import { createRpcClient, type RpcClient } from '../../api/client/rpc-client.ts';
import { wrap } from '../../app/flags/flag-help.ts';
import type { ClientCommand } from './client-command.ts';
import { explainConnection, type Finding } from './doctor-connection.ts';
import { badArgument } from './fault.ts';
import { formatTime } from './table.ts';

/** Milliseconds that each call of an examination may take. */
const callTimeout = 10_000;

/** `serac doctor URL`: examines any AvalancheGo or Serac node from outside. Exits with 1 if something is wrong. */
export const doctor: ClientCommand = async ({ client, args: [url], options, print }) => {
  const target = url === undefined ? client : createRpcClient({ url: readOrigin(url), token: options['dev-token'], timeout: callTimeout });
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
    wrap(`${ok ? 'ok   ' : 'wrong'}  ${topic.padEnd(10)} ${text}`, indent),
    ...(remedy === undefined || findings[i + 1]?.remedy === remedy ? [] : [wrap(`${' '.repeat(indent)}${remedy}`, indent)]),
  ]);
}

/** Examines a node: connection, host rules, version, network, chains, health, peers, X-Chain, and browser access. */
async function examine(client: RpcClient): Promise<Finding[]> {
  const version = await attempt(() => client.call('/ext/info', 'info.getNodeVersion'));
  if (version.error !== undefined) return [await explainConnection(client.url, version.error)];
  const rounds = await Promise.all(examinations.map((run) => run(client, version.value as NodeVersion).catch((error) => [failed(error)])));
  return rounds.flat();
}

type NodeVersion = { readonly version?: string; readonly databaseVersion?: string; readonly vmVersions?: { readonly avm?: string } };
type Examination = (client: RpcClient, version: NodeVersion) => Promise<Finding[]>;

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

const loneNodeRemedy =
  'The node waits for the other validators of its network. If it is the only one, start it with --sybil-protection-enabled=false; otherwise check --bootstrap-ips and the staking port, and wait until it has synced.';

const isBootstrapped = async (client: RpcClient, chain: string): Promise<boolean> => {
  const { value } = await attempt(() => client.call('/ext/info', 'info.isBootstrapped', { chain }));
  return (value as { isBootstrapped?: boolean } | undefined)?.isBootstrapped === true;
};

const examinations: readonly Examination[] = [
  async (_, { version = 'unknown', vmVersions }) => [
    { topic: 'version', ok: true, text: `${version}, avm ${vmVersions?.avm ?? 'unknown'}` },
  ],
  async (client) => {
    const { networkID } = (await client.call('/ext/info', 'info.getNetworkID')) as { networkID: string };
    const { networkName } = (await client.call('/ext/info', 'info.getNetworkName')) as { networkName: string };
    return [{ topic: 'network', ok: true, text: `${networkName}, id ${networkID}` }];
  },
  async (client) => {
    const chains = await Promise.all(['P', 'X', 'C'].map(async (name) => ({ name, isDone: await isBootstrapped(client, name) })));
    const list = (isDone: boolean): string =>
      chains
        .filter((chain) => chain.isDone === isDone)
        .map(({ name }) => name)
        .join(', ');
    return [
      ...(list(true) === '' ? [] : [{ topic: 'chains', ok: true, text: `${list(true)}: bootstrapped` }]),
      ...(list(false) === '' ? [] : [{ topic: 'chains', ok: false, text: `${list(false)}: not bootstrapped`, remedy: loneNodeRemedy }]),
    ];
  },
  async (client) => {
    const response = await client.request('/ext/health');
    if (response.status === 404) return [{ topic: 'health', ok: true, text: 'not served (--api-health-enabled=false or --public-api)' }];
    const { healthy, checks } = (await response.json()) as { healthy: boolean; checks: { [name: string]: { error?: string } | null } };
    if (healthy) return [{ topic: 'health', ok: true, text: `healthy, ${Object.keys(checks ?? {}).length} checks` }];
    return listFailures(checks ?? {}).map(([names, error]) => ({
      topic: 'health',
      ok: false,
      text: `${names.join(', ')}: ${error}`,
      remedy: remedyOfCheck(names[0] as string, error),
    }));
  },
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

/** The errors of the failing checks, each once with the names of its checks. */
function listFailures(checks: { readonly [name: string]: { readonly error?: string } | null }): [names: string[], error: string][] {
  const names = new Map<string, string[]>();
  for (const [name, check] of Object.entries(checks))
    if (check?.error !== undefined) names.set(check.error, [...(names.get(check.error) ?? []), name]);
  return [...names].map(([error, named]) => [named, error]);
}

const remedies: readonly (readonly [RegExp, string])[] = [
  [/^bls\b/, 'The node has another BLS key than the validator set says; check --staking-signer-key-file.'],
  [/^diskspace\b/, 'Free disk space, or lower --system-tracker-disk-warning-available-space-percentage.'],
  [/not connected to enough stake|^bootstrapped\b|^network\b|^router\b/, loneNodeRemedy],
];

const remedyOfCheck = (name: string, error: string): string =>
  remedies.find(([pattern]) => pattern.test(`${name}: ${error}`))?.[1] ?? 'Look at the log of the node.';
