import { loadDevState } from './dev-state.ts';
import { chainPath, type PageContext } from './page-context.ts';
import { type ProcessMetrics, parseProcessMetrics } from './process-metrics.ts';
import { callIfAllowed, type Source } from './source.ts';

export type HealthCheck = {
  readonly message?: unknown;
  readonly error?: string;
  readonly timestamp: string;
  readonly duration: number;
  readonly contiguousFailures?: number;
};

export type Setting = { readonly flag: string; readonly value: unknown; readonly source: string };

/** A peer, as far as the page shows it; AvalancheGo's `info.peers`. */
export type PeerRow = {
  readonly nodeID: string;
  readonly ip: string;
  readonly version: string;
  readonly lastReceived: string;
  /** The uptime of this node as the peer observed it: percent. */
  readonly observedUptime: string;
  readonly trackedSubnets: readonly string[];
  /** Chains on which the peer gets no queries for a while. */
  readonly benched: readonly string[];
};

export type NodeData = {
  readonly nodeID: string | undefined;
  readonly health: { readonly healthy: boolean; readonly checks: { readonly [name: string]: HealthCheck } } | undefined;
  readonly versions: { readonly [name: string]: string } | undefined;
  readonly peers: readonly PeerRow[] | undefined;
  readonly process: ProcessMetrics | undefined;
  /** Undefined if the reader may not see them. */
  readonly settings: readonly Setting[] | undefined;
  /** Height of the last block; undefined if it could not be read. */
  readonly height: number | undefined;
  /** Seconds that the chain's clock is ahead of real time, which health checks and the process have. */
  readonly clockOffset: number;
  readonly upgrades: { readonly [name: string]: unknown } | undefined;
};

/** Calls that this server disables (`--public-api`) are left out. */
export async function loadNode(source: Source, context: PageContext): Promise<NodeData> {
  const { has } = context;
  const info = <T>(method: string): Promise<T | undefined> =>
    has.info ? callIfAllowed<T>(source, '/ext/info', method) : Promise.resolve(undefined);
  const [id, version, peers, upgrades, health, dev, metrics, settings, blocks] = await Promise.all([
    info<{ nodeID: string }>('info.getNodeID'),
    info<{ version: string; databaseVersion: string; rpcProtocolVersion: string; gitCommit: string; vmVersions: Record<string, string> }>(
      'info.getNodeVersion',
    ),
    info<{ peers: NodeData['peers'] }>('info.peers'),
    info<Record<string, unknown>>('info.upgrades'),
    has.health ? callIfAllowed<NodeData['health']>(source, '/ext/health', 'health.health') : undefined,
    has.dev ? loadDevState(source) : undefined,
    has.prometheus ? source.getText('/ext/metrics') : undefined,
    has.settings ? source.get<{ settings: readonly Setting[] }>('/ext/settings') : undefined,
    source.get<{ blocks: readonly { blockNumber: string }[] }>(`${chainPath(context)}/blocks?pageSize=1`),
  ]);
  return {
    nodeID: id?.nodeID,
    health,
    versions: version && {
      Node: version.version,
      Database: version.databaseVersion,
      'RPC protocol': version.rpcProtocolVersion,
      ...Object.fromEntries(Object.entries(version.vmVersions ?? {}).map(([vm, text]) => [`VM ${vm}`, text])),
    },
    peers: peers?.peers ?? undefined,
    process: metrics?.status === 200 ? parseProcessMetrics(metrics.body) : undefined,
    settings: settings?.status === 200 ? settings.body.settings : undefined,
    height: blocks.status === 200 ? Number(blocks.body.blocks[0]?.blockNumber ?? 0) : undefined,
    clockOffset: dev?.offset ?? 0,
    upgrades,
  };
}
