import type { PageContext } from './page-context.ts';
import { callIfAllowed, type Source } from './source.ts';

export type HealthCheck = {
  readonly message?: unknown;
  readonly error?: string;
  readonly timestamp: string;
  readonly duration: number;
  readonly contiguousFailures?: number;
};

export type NodeData = {
  readonly nodeID: string | undefined;
  readonly health: { readonly healthy: boolean; readonly checks: { readonly [name: string]: HealthCheck } } | undefined;
  readonly versions: { readonly [name: string]: string } | undefined;
  readonly peers: readonly { readonly nodeID: string; readonly ip: string; readonly version: string }[] | undefined;
  readonly upgrades: { readonly [name: string]: unknown } | undefined;
};

/** Calls that this server disables (`--public-api`) are left out. */
export async function loadNode(source: Source, { has }: PageContext): Promise<NodeData> {
  const info = <T>(method: string): Promise<T | undefined> =>
    has.info ? callIfAllowed<T>(source, '/ext/info', method) : Promise.resolve(undefined);
  const [id, version, peers, upgrades, health] = await Promise.all([
    info<{ nodeID: string }>('info.getNodeID'),
    info<{ version: string; databaseVersion: string; rpcProtocolVersion: string; gitCommit: string; vmVersions: Record<string, string> }>(
      'info.getNodeVersion',
    ),
    info<{ peers: NodeData['peers'] }>('info.peers'),
    info<Record<string, unknown>>('info.upgrades'),
    has.health ? callIfAllowed<NodeData['health']>(source, '/ext/health', 'health.health') : undefined,
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
    upgrades,
  };
}
