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

/** What a running node reports. */
export type NodeReading = { readonly height: bigint; readonly peers: number; readonly isBootstrapped: boolean };

/** How a node does; `down`: it has exited and is started again after `retryMs`. */
export type NodeStatus =
  | { readonly state: 'waiting' }
  | { readonly state: 'starting' }
  | { readonly state: 'killed' }
  | { readonly state: 'frozen' }
  | ({ readonly state: 'running' } & NodeReading)
  | { readonly state: 'down'; readonly exit: string; readonly retryMs: number };

export const isSameStatus = (a: NodeStatus, b: NodeStatus): boolean => describeStatus(a) === describeStatus(b);

/** The status in words: `height 12, 4 peers`. */
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
    case 'running': {
      const peers = `${status.peers} peer${status.peers === 1 ? '' : 's'}`;
      return `height ${status.height}, ${peers}${status.isBootstrapped ? '' : ', bootstrapping'}`;
    }
    case 'down':
      return `down (${status.exit}), starts again in ${(status.retryMs / 1000).toFixed(1)} s`;
  }
}
