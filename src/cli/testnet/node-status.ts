import type { NodeFacts } from '../../app/processes/testnet-control.ts';

/** A node of a testnet, as it is planned. */
export type TestnetNode = {
  /** From 1 on. */
  readonly number: number;
  readonly kind: 'Serac' | 'AvalancheGo';
  readonly nodeID: string;
  readonly url: string;
  readonly stakingAddress: string;
  /** Its data directory. */
  readonly folder: string;
  readonly command: readonly string[];
};

/** The file in its data directory to which a node's output is appended. */
export const logNames = { Serac: 'serac.log', AvalancheGo: 'avalanchego.log' } as const satisfies { [K in TestnetNode['kind']]: string };

/** What a running node reports. */
export type NodeReading = {
  readonly height: bigint;
  readonly peers: number;
  readonly isBootstrapped: boolean;
  /** Health checks that fail, by name, with the text of their error. */
  readonly failing: ReadonlyMap<string, string>;
};

/** What the process of a node uses. */
export type NodeUsage = {
  /** Of one core, since the last reading. */
  readonly cpuPercent: number;
  readonly residentBytes: number;
};

/** How a node does; `down`: it has exited and is started again after `retryMs`. */
export type NodeStatus =
  | { readonly state: 'waiting' }
  | { readonly state: 'starting' }
  | { readonly state: 'killed' }
  | { readonly state: 'frozen' }
  | ({ readonly state: 'running' } & NodeReading)
  | { readonly state: 'down'; readonly exit: string; readonly retryMs: number };

export const isSameStatus = (a: NodeStatus, b: NodeStatus): boolean => describeStatus(a) === describeStatus(b);

/** The health of a running node: `healthy`, `bootstrapping` or the checks that fail. */
export function describeHealth({ isBootstrapped, failing }: NodeReading): string {
  if (!isBootstrapped) return 'bootstrapping';
  return failing.size === 0 ? 'healthy' : `unhealthy: ${[...failing.keys()].join(', ')}`;
}

/** The status in words: `height 12, 4 peers, healthy`. */
export function describeStatus(status: NodeStatus): string {
  switch (status.state) {
    case 'waiting':
      return 'waits for the AvalancheGo nodes';
    case 'starting':
      return 'starting';
    case 'killed':
      return 'killed; serac testnet heal starts it again';
    case 'frozen':
      return 'frozen; serac testnet heal wakes it';
    case 'running':
      return `height ${status.height}, ${status.peers} peer${status.peers === 1 ? '' : 's'}, ${describeHealth(status)}`;
    case 'down':
      return `down (${status.exit}), starts again in ${(status.retryMs / 1000).toFixed(1)} s`;
  }
}

/** A node as other processes see it. */
export const describeNode = ({ number, kind, nodeID, url, stakingAddress, folder }: TestnetNode): NodeFacts => ({
  node: number,
  kind,
  nodeID,
  url,
  stakingAddress,
  dataDir: folder,
});
