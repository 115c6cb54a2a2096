import type { Id } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { Fault } from '../../base/fault.ts';
import { parseOuterBlock } from '../proposervm/outer-block.ts';
import type { ChainHandler, ChainMessage, Transport } from '../protocol/transport.ts';

/**
 * Answers for a chain that this node does not run: it agrees with every block that it is asked about, without verifying it. A node that counts
 * as a validator and is silent stops the chain of the others on a small network; this keeps it going. Only for throw-away networks: it helps
 * to decide blocks that may be invalid.
 */
export function createEchoChain({
  chainId,
  firstBlock,
  transport,
}: {
  readonly chainId: Id;
  /** The first block of the chain; undefined if it is not known. */
  readonly firstBlock: Id | undefined;
  readonly transport: Pick<Transport, 'send'>;
}): ChainHandler {
  /** The block that a peer asked about last. */
  let newest = firstBlock;

  const agree = (to: NodeId, requestId: number, id: Id): void => {
    newest = id;
    transport.send(
      { kind: 'chits', chainId, requestId, preferredId: id, preferredIdAtHeight: id, acceptedId: firstBlock ?? id, acceptedHeight: 0n },
      [to],
    );
  };
  const receive = (from: NodeId, message: ChainMessage): void => {
    switch (message.kind) {
      case 'pullQuery':
        agree(from, message.requestId, message.containerId);
        return;
      case 'pushQuery': {
        const id = outerBlockId(message.container);
        if (id !== undefined) agree(from, message.requestId, id);
        return;
      }
      case 'getAcceptedFrontier': {
        const containerId = firstBlock ?? newest;
        if (containerId !== undefined)
          transport.send({ kind: 'acceptedFrontier', chainId, requestId: message.requestId, containerId }, [from]);
        return;
      }
      case 'getAccepted':
        transport.send({ kind: 'accepted', chainId, requestId: message.requestId, containerIds: message.containerIds }, [from]);
        return;
      case 'getStateSummaryFrontier':
        transport.send({ kind: 'stateSummaryFrontier', chainId, requestId: message.requestId, summary: new Uint8Array() }, [from]);
        return;
      case 'getAcceptedStateSummary':
        transport.send({ kind: 'acceptedStateSummary', chainId, requestId: message.requestId, summaryIds: [] }, [from]);
        return;
      case 'getAncestors':
        transport.send({ kind: 'ancestors', chainId, requestId: message.requestId, containers: [] }, [from]);
        return;
      default:
        return;
    }
  };
  return { receive, failed: () => {}, connected: () => {}, disconnected: () => {} };
}

/** The ID of a block in a query; undefined if it is not wrapped, since the rules for its ID are those of its chain. */
function outerBlockId(bytes: Uint8Array): Id | undefined {
  try {
    return parseOuterBlock(bytes).id;
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}
