import { type NodeId, nodeIdText, parseNodeId } from '../../base/bytes/node-id.ts';
import { nodeRows, peerRows } from '../contract/dev-chain-methods.ts';
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
}>()(peerRows, {
  blockPeers: {
    run: async ({ blockPeers }, { nodeIDs }) => {
      if (blockPeers === undefined)
        throw new DevError('this node decides its blocks alone and has no peers; serac testnet runs nodes that have', {
          code: 'DEV_NO_PEERS',
        });
      const nodes = new Set(nodeIDs.map(parseNodeId));
      blockPeers(nodes);
      return { blocked: [...nodes].map(nodeIdText) };
    },
    needsWriter: true,
  },
});
