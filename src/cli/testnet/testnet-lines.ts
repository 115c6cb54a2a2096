import { describeStatus, type NodeStatus, type TestnetNode } from './node-status.ts';

/** A change as one line for a person. */
export const formatChange = ({ number, kind }: TestnetNode, status: NodeStatus, time: string): string =>
  `${time}  node ${number} (${kind}): ${describeStatus(status)}`;

/** A change as one line of JSON. Heights are strings. */
export const formatChangeJson = ({ number }: TestnetNode, status: NodeStatus, pid: number | undefined, time: string): string =>
  JSON.stringify({
    event: 'node',
    time,
    level: 'info',
    node: number,
    pid: pid ?? null,
    ...status,
    height: status.state === 'running' ? `${status.height}` : undefined,
  });

/** The first line of JSON output: all nodes. */
export const formatNodesJson = (nodes: readonly TestnetNode[], folder: string): string =>
  JSON.stringify({
    name: 'serac testnet',
    folder,
    nodes: nodes.map(({ number, kind, nodeID, url, stakingAddress, folder }) => ({
      node: number,
      kind,
      nodeID,
      url,
      stakingAddress,
      dataDir: folder,
    })),
  });

/** The status line: the height of every node, cut to the width of the terminal. */
export function formatHeights(statuses: readonly NodeStatus[], columns: number): string {
  const heights = statuses.map((status) => (status.state === 'running' ? `${status.height}` : isDown(status) ? status.state : '…'));
  const peers = statuses.map((status) => (status.state === 'running' ? status.peers : 0));
  return `heights ${heights.join(' ')} · peers ${peers.join(' ')}`.slice(0, columns);
}

const isDown = ({ state }: NodeStatus): boolean => state === 'down' || state === 'killed' || state === 'frozen';
