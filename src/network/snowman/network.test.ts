import { describe, expect, test } from 'bun:test';
import { createRandom } from '../../../test/random.ts';
import { type Id, idOf } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { type Consensus, type ConsensusBlock, createConsensus } from './consensus.ts';
import type { SnowParameters } from './parameters.ts';
import { createPolls, type Polls } from './polls.ts';

/**
 * Networks in one process: nodes poll each other about blocks that arrive late and in different orders, with conflicts at every height, lost
 * answers, and voters that answer at random.
 */
type Node = { readonly consensus: Consensus; readonly polls: Polls; readonly unseen: ConsensusBlock[]; readonly accepted: Id[] };
type Setup = {
  readonly seed: number;
  readonly honest: number;
  readonly byzantine: number;
  readonly heights: number;
  readonly siblings: number;
};

const start = { id: idOf(Uint8Array.of(0)), height: 0n };
const nodeId = (index: number) => (index + 1).toString(16).padStart(40, '0') as NodeId;

/** Blocks at every height, each on a random block of the height below. */
function randomBlocks(random: ReturnType<typeof createRandom>, heights: number, siblings: number): ConsensusBlock[] {
  let parents: readonly Id[] = [start.id];
  return Array.from({ length: heights }, (_, level) => {
    const blocks = Array.from({ length: siblings }, () => ({
      id: idOf(random.bytes(32)),
      parentID: random.pick(parents),
      height: BigInt(level + 1),
    }));
    parents = blocks.map(({ id }) => id);
    return blocks;
  }).flat();
}

function runNetwork(parameters: SnowParameters, { seed, honest, byzantine, heights, siblings }: Setup): { nodes: Node[]; rounds: number } {
  const random = createRandom(seed);
  const blocks = randomBlocks(random, heights, siblings);
  const nodes = Array.from({ length: honest }, (): Node => {
    const consensus = createConsensus(parameters, start);
    return { consensus, polls: createPolls(parameters, consensus.parentOf), unseen: [...blocks], accepted: [] };
  });
  /** Gives a node a block whose parent it has; blocks that can no longer be accepted are forgotten. */
  const deliver = ({ consensus, unseen }: Node): void => {
    const at = random.below(Math.min(unseen.length, 2 * siblings));
    const block = unseen[at];
    if (block === undefined) return;
    const isKnown = consensus.isProcessing(block.parentID) || consensus.lastAccepted().id === block.parentID;
    if (isKnown || block.height <= consensus.lastAccepted().height) unseen.splice(at, 1);
    if (isKnown) consensus.add(block);
  };
  const poll = (node: Node, requestId: number): void => {
    const sampled = new Map<NodeId, number>();
    const asked = Array.from({ length: parameters.k }, () => random.below(honest + byzantine));
    for (const index of asked) sampled.set(nodeId(index), (sampled.get(nodeId(index)) ?? 0) + 1);
    node.polls.open(requestId, sampled);
    for (const index of new Set(asked)) {
      const vote = nodes[index]?.consensus.preference() ?? random.pick(blocks).id;
      const isLost = random.below(50) === 0;
      const results = isLost ? node.polls.drop(requestId, nodeId(index)) : node.polls.vote(requestId, nodeId(index), vote);
      for (const votes of results)
        for (const { kind, block } of node.consensus.recordPoll(votes)) if (kind === 'accepted') node.accepted.push(block.id);
    }
  };
  let rounds = 0;
  while (rounds < 3000 && nodes.some(({ consensus, unseen }) => consensus.processingCount() > 0 || unseen.length > 0)) {
    rounds++;
    for (const node of nodes) {
      deliver(node);
      if (node.consensus.processingCount() > 0) poll(node, rounds);
    }
  }
  return { nodes, rounds };
}

/** The longest chain of accepted blocks; every other one must be a beginning of it. */
function expectAgreement(nodes: readonly Node[]): Id[] {
  const longest = nodes.map(({ accepted }) => accepted).reduce((a, b) => (b.length > a.length ? b : a));
  for (const { accepted } of nodes) expect(accepted).toEqual(longest.slice(0, accepted.length));
  return longest;
}

describe('nodes never accept different blocks at a height', () => {
  const parameters = { k: 12, alphaPreference: 8, alphaConfidence: 9, beta: 10 };
  test('20 networks of 10 nodes with three siblings at every height: all decide', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const { nodes } = runNetwork(parameters, { seed, honest: 10, byzantine: 0, heights: 4, siblings: 3 });
      const chain = expectAgreement(nodes);
      expect([seed, chain.length > 0, nodes.every(({ consensus }) => consensus.processingCount() === 0)]).toEqual([seed, true, true]);
    }
  });
  test('20 networks in which one of ten nodes votes at random', () => {
    let accepted = 0;
    for (let seed = 101; seed <= 120; seed++)
      accepted += expectAgreement(runNetwork(parameters, { seed, honest: 9, byzantine: 1, heights: 3, siblings: 2 }).nodes).length;
    expect(accepted).toBeGreaterThan(20);
  });
});
