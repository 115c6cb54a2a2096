import { SeracError } from '../../api/client/fault.ts';
import type { RpcClient } from '../../api/client/rpc-client.ts';
import type { Finding } from './doctor-connection.ts';

type Check = { readonly error?: string; readonly message?: unknown };

/** The answer of `/ext/health`. */
export type Health = { readonly healthy: boolean; readonly checks: { readonly [name: string]: Check | null | undefined } };

/** The health of a node; undefined if it is not served. Throws a SeracError if the answer is not that of a node. */
export async function readHealth(client: RpcClient): Promise<Health | undefined> {
  const response = await client.request('/ext/health');
  const text = await client.readText(response);
  if (response.status === 404) return undefined;
  try {
    const { healthy, checks } = JSON.parse(text) as Partial<Health>;
    return { healthy: healthy === true, checks: checks ?? {} };
  } catch {
    throw new SeracError(`${client.url}/ext/health does not answer with JSON`, {
      code: 'NODE_HTTP',
      url: client.url,
      status: response.status,
    });
  }
}

export async function describeHealth(health: Health | undefined): Promise<Finding[]> {
  if (health === undefined) return [{ topic: 'health', ok: true, text: 'not served (--api-health-enabled=false or --public-api)' }];
  if (health.healthy) return [{ topic: 'health', ok: true, text: `healthy, ${Object.keys(health.checks).length} checks` }];
  return listFailures(health.checks).map(([names, error]) => ({
    topic: 'health',
    ok: false,
    text: `${names.join(', ')}: ${error}`,
    remedy: remedyOfCheck(names[0] as string, error),
  }));
}

/** How a Serac node runs, as far as its health checks tell: what it follows, and its reader processes. */
export async function describeMode(health: Health | undefined): Promise<Finding[]> {
  const joined = health?.checks.stakingkey === undefined ? [] : [joinedFinding(health)];
  const others = modes.flatMap(([name, describe]) => {
    const message = health?.checks[name]?.message;
    return typeof message === 'object' && message !== null ? describe(message as Facts) : [];
  });
  return [...joined, ...others];
}

/** Only a node on a network of peers has a check of its staking key. */
const joinedFinding = ({ checks }: Health): Finding => ({
  topic: 'mode',
  ok: true,
  text: `joined a network of peers; validators ${checks['trusted-validators'] === undefined ? 'are its nodes, without sybil protection' : 'come from trusted nodes'}`,
});

type Facts = { readonly [name: string]: unknown };

const modes: readonly (readonly [string, (facts: Facts) => Finding[]])[] = [
  ['follow', ({ state, height }) => [{ topic: 'mode', ok: true, text: `follows a node: ${state}, height ${height}` }]],
  ['index', ({ state, height }) => [{ topic: 'mode', ok: true, text: `writes an index to PostgreSQL: ${state}, height ${height}` }]],
  [
    'readers',
    ({ wanted, serving, replaced }) => [
      {
        topic: 'readers',
        ok: wanted === serving,
        text: `${serving} of ${wanted} reader processes serve${replaced === 0 ? '' : `, ${replaced} were replaced`}`,
        remedy:
          wanted === serving ? undefined : 'A reader that exits is restarted after some seconds; the log of the node says why it did.',
      },
    ],
  ],
];

/** The errors of the failing checks, each once with the names of its checks. */
function listFailures(checks: Health['checks']): [names: string[], error: string][] {
  const names = new Map<string, string[]>();
  for (const [name, check] of Object.entries(checks))
    if (check?.error !== undefined) names.set(check.error, [...(names.get(check.error) ?? []), name]);
  return [...names].map(([error, named]) => [named, error]);
}

export const loneNodeRemedy =
  'The node waits for the other validators of its network. If it is the only one, start it with --sybil-protection-enabled=false; otherwise check --bootstrap-ips and the staking port, and wait until it has synced.';

const remedies: readonly (readonly [RegExp, string])[] = [
  [/^bls\b/, 'The node has another BLS key than the validator set says; check --staking-signer-key-file.'],
  [/^(?:follow|index)\b/, 'It waits for the node that it follows, or catches up with it: see serac doctor with the URL of that node.'],
  [/^stakingkey\b/, 'Stop one of the two nodes, or give one of them another key with --staking-tls-key-file.'],
  [
    /^trusted-validators\b/,
    'Check the nodes of --validators-from with serac doctor URL; name several of them, separated by commas, to need only most of them.',
  ],
  [
    /behind the network/,
    'The log says why its blocks are refused; a trusted node that is away is the usual cause: see trusted-validators.',
  ],
  [/^diskspace\b/, 'Free disk space, or lower --system-tracker-disk-warning-available-space-percentage.'],
  [/not connected to enough stake|^bootstrapped\b|^network\b|^router\b/, loneNodeRemedy],
];

const remedyOfCheck = (name: string, error: string): string =>
  remedies.find(([pattern]) => pattern.test(`${name}: ${error}`))?.[1] ?? 'Look at the log of the node.';
