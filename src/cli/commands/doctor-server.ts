import { SeracError } from '../../api/client/fault.ts';
import type { RpcClient } from '../../api/client/rpc-client.ts';
import type { BlockList } from '../../api/contract/answers.ts';
import { attempt } from '../../base/fault.ts';
import type { Finding } from './doctor-connection.ts';
import { describeHealth, describeMode, readHealth } from './doctor-health.ts';
import { formatTime } from './table.ts';

/** What a Serac server lists at `/`. */
type ServerIndex = {
  readonly name?: string;
  readonly version?: string;
  readonly network?: string;
  readonly endpoints?: { readonly [name: string]: string };
};

/** Examines `serac api` or `serac index`, which are not nodes; undefined if something else answers. */
export async function examineServer(client: RpcClient): Promise<Finding[] | undefined> {
  const index = await readIndex(client).catch((error: unknown) => {
    if (error instanceof SeracError) return undefined;
    throw error;
  });
  if (index?.name !== 'serac' || index.endpoints?.info !== undefined) return undefined;
  const isApi = index.endpoints?.data !== undefined || index.endpoints?.metricsApi !== undefined;
  const health = index.endpoints?.health === undefined ? undefined : await readHealth(client);
  return [
    { topic: 'version', ok: true, text: `serac/${index.version}, serac ${isApi ? 'api' : 'index'}: a server without Node RPC` },
    { topic: 'network', ok: true, text: index.network ?? 'unknown' },
    await examineReady(client),
    ...(health === undefined ? [] : [...(await describeHealth(health)), ...(await describeMode(health))]),
    ...(index.endpoints?.data === undefined ? [] : [await examineData(client, index.network ?? ''), ...(await examineDatabase(client))]),
  ];
}

async function readIndex(client: RpcClient): Promise<ServerIndex | undefined> {
  const response = await client.request('/', { headers: { accept: 'application/json' } });
  return parse(await client.readText(response)) as ServerIndex | undefined;
}

async function examineReady(client: RpcClient): Promise<Finding> {
  const response = await client.request('/ready');
  const { reason } = (parse(await client.readText(response)) ?? {}) as { readonly reason?: string };
  if (response.ok) return { topic: 'ready', ok: true, text: 'ready' };
  return {
    topic: 'ready',
    ok: false,
    text: reason ?? `status ${response.status}`,
    remedy: 'Check that PostgreSQL runs and that --database-url is right; serac index must be running or have run.',
  };
}

/** Reads the last block: the database answers and has an index. */
async function examineData(client: RpcClient, network: string): Promise<Finding> {
  const response = await client.request(`/v1/networks/${encodeURIComponent(network)}/blockchains/x-chain/blocks?pageSize=1`);
  const answer = parse(await client.readText(response)) as (Partial<BlockList> & { readonly message?: unknown }) | undefined;
  const block = answer?.blocks?.[0];
  if (response.status === 401) return { topic: 'X-Chain', ok: true, text: 'not told: the Data API needs an API key' };
  return block === undefined
    ? { topic: 'X-Chain', ok: false, text: `the Data API has no blocks: ${String(answer?.message ?? `status ${response.status}`)}` }
    : { topic: 'X-Chain', ok: true, text: `height ${block.blockNumber}, last block ${formatTime(block.blockTimestamp)}` };
}

/** Hosts of the database that are left out, if there are several, and whether the index is written. */
async function examineDatabase(client: RpcClient): Promise<Finding[]> {
  const answer = parse(await client.readText(await client.request('/v1/health-check'))) as ApiHealth | undefined;
  return databaseRemedies.flatMap(([topic, remedy]) => {
    const text = answer?.details?.[topic]?.message;
    return text === undefined ? [] : [{ topic, ok: false, text, remedy }];
  });
}

const databaseRemedies = [
  ['database', 'Check that host and its replication; see docs/guides/cluster.md.'],
  ['index', 'Is serac index running, and the node that it follows? See docs/operate/runbook.md.'],
] as const;

type ApiHealth = { readonly details?: { readonly [name: string]: { readonly message?: string } | undefined } };

const parse = (text: string): unknown => attempt(() => JSON.parse(text));
