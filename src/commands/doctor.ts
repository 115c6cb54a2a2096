import { SeracError } from '../client/fault.ts';
import { createRpcClient, type RpcClient } from '../client/rpc-client.ts';
import type { ClientCommand } from './client-command.ts';
import { formatTime } from './table.ts';

/** One thing that was examined: what was found, and if it is a problem, what to do. */
export type Finding = { readonly topic: string; readonly ok: boolean; readonly text: string; readonly remedy?: string };

/** `serac doctor URL`: examines any AvalancheGo or Serac node from outside. Exits with 1 if something is wrong. */
export const doctor: ClientCommand = async ({ client, args: [url], options, print }) => {
  const findings = await examine(url === undefined ? client : createRpcClient({ url: withScheme(url), timeout: 10_000 }));
  if (options.json) print(JSON.stringify({ findings }));
  else
    for (const { topic, ok, text, remedy } of findings) {
      print(`${ok ? 'ok   ' : 'wrong'}  ${topic.padEnd(10)} ${text}`);
      if (remedy !== undefined) print(`${' '.repeat(18)}${remedy}`);
    }
  return findings.every(({ ok }) => ok) ? undefined : 1;
};

const withScheme = (url: string): string => (/^https?:\/\//.test(url) ? url : `http://${url}`);

/** Examines a node: connection, host rules, version, network, chains, health, peers, X-Chain, and browser access. */
export async function examine(client: RpcClient): Promise<Finding[]> {
  const version = await attempt(() => client.call('/ext/info', 'info.getNodeVersion'));
  if (version.error !== undefined) return [connectionFinding(client.url, version.error)];
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

/** Explains why nothing useful answers. */
function connectionFinding(url: string, error: SeracError): Finding {
  const { fault } = error;
  const base = { topic: 'connection', ok: false };
  if (fault.code === 'NODE_UNREACHABLE')
    return {
      ...base,
      text: `nothing answers at ${url}`,
      remedy: 'Is it running, and on this port? From another machine or container it needs --http-host=0.0.0.0.',
    };
  if (fault.code === 'NODE_HTTP' && fault.status === 403)
    return {
      ...base,
      text: `${url} refuses this host name (403, invalid host)`,
      remedy: `Start it with --http-allowed-hosts=${new URL(url).hostname}, or use its IP address.`,
    };
  if (fault.code === 'NODE_HTTP' && fault.status === 404)
    return {
      ...base,
      text: `${url} has no /ext/info (404)`,
      remedy: 'It is not an Avalanche node, or it runs with --api-info-enabled=false.',
    };
  return { ...base, text: error.message };
}

const examinations: readonly Examination[] = [
  async (client, { version = 'unknown', vmVersions }) => {
    const isSerac = (await client.request('/ready').catch(() => undefined))?.headers.get('x-serac-version') != null;
    return [{ topic: 'version', ok: true, text: `${version}${isSerac ? ' (Serac)' : ''}, avm ${vmVersions?.avm ?? 'unknown'}` }];
  },
  async (client) => {
    const { networkID } = (await client.call('/ext/info', 'info.getNetworkID')) as { networkID: string };
    const { networkName } = (await client.call('/ext/info', 'info.getNetworkName')) as { networkName: string };
    return [{ topic: 'network', ok: true, text: `${networkName}, id ${networkID}` }];
  },
  async (client) => {
    const found: Finding[] = [];
    for (const chain of ['P', 'X', 'C']) {
      const { value, error } = await attempt(() => client.call('/ext/info', 'info.isBootstrapped', { chain }));
      const isDone = (value as { isBootstrapped?: boolean } | undefined)?.isBootstrapped === true;
      found.push({
        topic: `chain ${chain}`,
        ok: isDone,
        text: isDone ? 'bootstrapped' : (error?.message ?? 'not bootstrapped yet'),
        ...(!isDone && {
          remedy: 'A lone local AvalancheGo needs --sybil-protection-enabled=false; on a public network, wait for it to sync.',
        }),
      });
    }
    return found;
  },
  async (client) => {
    const response = await client.request('/ext/health');
    if (response.status === 404) return [{ topic: 'health', ok: true, text: 'not served (--api-health-enabled=false or --public-api)' }];
    const { healthy, checks } = (await response.json()) as { healthy: boolean; checks: { [name: string]: { error?: string } | null } };
    const failing = Object.entries(checks ?? {}).filter(([, check]) => check?.error !== undefined);
    if (healthy) return [{ topic: 'health', ok: true, text: `healthy, ${Object.keys(checks ?? {}).length} checks` }];
    return failing.map(([name, check]) => ({ topic: 'health', ok: false, text: `${name}: ${check?.error}`, remedy: remedyOfCheck(name) }));
  },
  async (client) => {
    const { value, error } = await attempt(() => client.call('/ext/info', 'info.peers'));
    if (error !== undefined) return [{ topic: 'peers', ok: true, text: `not told: ${error.message}` }];
    return [{ topic: 'peers', ok: true, text: (value as { numPeers: string }).numPeers }];
  },
  async (client) => {
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

const remedies: readonly (readonly [RegExp, string])[] = [
  [/^bls$/, 'The node has another BLS key than the validator set says; check --staking-signer-key-file.'],
  [/diskspace/, 'Free disk space, or lower --system-tracker-disk-warning-available-space-percentage.'],
  [
    /network|router/,
    'It has no peers. A lone local node needs --sybil-protection-enabled=false; else check --bootstrap-ips and the staking port.',
  ],
  [/bootstrapped/, 'Wait until the chains named in the message have synced.'],
];

const remedyOfCheck = (name: string): string => remedies.find(([pattern]) => pattern.test(name))?.[1] ?? 'See the log of the node.';
