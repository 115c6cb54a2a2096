import type { BlockList, MethodJson, MethodName } from '../../api/contract/answers.ts';
import { loadDevState } from './dev-state.ts';
import { type HistoryData, historyRanges, loadNodeHistory } from './node-history.ts';
import { chainPath, type PageContext } from './page-context.ts';
import { type ProcessMetrics, parseProcessMetrics } from './process-metrics.ts';
import { callIfAllowed, type Source } from './source.ts';

type Health = MethodJson<'health.health'>;
export type HealthCheck = Health['checks'][string];

export type Setting = { readonly flag: string; readonly value: unknown; readonly source: string };

/** A peer, as far as the page shows it. */
export type PeerRow = Pick<
  MethodJson<'info.peers'>['peers'][number],
  'nodeID' | 'ip' | 'version' | 'lastReceived' | 'observedUptime' | 'trackedSubnets' | 'benched'
>;

export type NodeData = {
  readonly nodeID: string | undefined;
  readonly health: Health | undefined;
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
  /** Undefined if this server keeps none. */
  readonly history: HistoryData | undefined;
};

/** Calls that this server disables (`--public-api`) are left out. */
export async function loadNode(source: Source, context: PageContext, wanted: string | null): Promise<NodeData> {
  const range = wanted !== null && Object.hasOwn(historyRanges, wanted) ? (wanted as keyof typeof historyRanges) : 'hour';
  const { has } = context;
  const info = async <M extends MethodName>(method: M): Promise<MethodJson<M> | undefined> =>
    has.info ? callIfAllowed(source, '/ext/info', method) : undefined;
  const [id, version, peers, upgrades, health, dev, metrics, settings, blocks, history] = await Promise.all([
    info('info.getNodeID'),
    info('info.getNodeVersion'),
    info('info.peers'),
    info('info.upgrades'),
    has.health ? callIfAllowed(source, '/ext/health', 'health.health') : undefined,
    has.dev ? loadDevState(source) : undefined,
    has.prometheus ? source.getText('/ext/metrics') : undefined,
    has.settings ? source.get<{ settings: readonly Setting[] }>('/ext/settings') : undefined,
    source.get<BlockList>(`${chainPath(context)}/blocks?pageSize=1`),
    loadNodeHistory(source, context, range),
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
    history,
  };
}
