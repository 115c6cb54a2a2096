import { type NodeId, nodeIdText, parseNodeId } from '../../base/bytes/node-id.ts';
import { maxPeerDelay, nodeRows, peerRows } from '../contract/dev-chain-methods.ts';
import type { JsonOf } from '../contract/views.ts';
import { implement } from '../rpc/method.ts';
import { DevError } from './fault.ts';

/** What the developer's chain says about itself. */
export const nodeMethods = implement<{ readonly nodeInfo: () => JsonOf<(typeof nodeRows)['nodeInfo']['result']> }>()(nodeRows, {
  nodeInfo: { run: async ({ nodeInfo }) => nodeInfo(), needsWriter: true },
});

/** Methods about the connections of a node. */
export const peerMethods = implement<{
  /** Cuts the node off from these nodes; undefined if it has no peers. */
  readonly blockPeers?: (nodes: ReadonlySet<NodeId>) => void;
  /** Makes what the node sends to these nodes arrive later; undefined if it has no peers. */
  readonly delayPeers?: (nodes: ReadonlySet<NodeId>, milliseconds: number) => void;
}>()(peerRows, {
  blockPeers: {
    run: async ({ blockPeers }, { nodeIDs }) => {
      if (blockPeers === undefined) throw noPeers();
      const nodes = new Set(nodeIDs.map(parseNodeId));
      blockPeers(nodes);
      return { blocked: [...nodes].map(nodeIdText) };
    },
    needsWriter: true,
  },
  delayPeers: {
    run: async ({ delayPeers }, { nodeIDs, ms }) => {
      if (delayPeers === undefined) throw noPeers();
      if (ms > maxPeerDelay)
        throw new DevError(`ms must be at most ${maxPeerDelay}: with a longer delay the connection is closed`, { code: 'DEV_PEER_DELAY' });
      const nodes = new Set(nodeIDs.map(parseNodeId));
      delayPeers(nodes, ms);
      return { delayed: [...nodes].map(nodeIdText), ms };
    },
    needsWriter: true,
  },
});

const noPeers = (): DevError =>
  new DevError('this node decides its blocks alone and has no peers; serac testnet runs nodes that have', { code: 'DEV_NO_PEERS' });
