import type { Id } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { type RandomBytes, sampleUnits } from '../consensus/weighted-sample.ts';
import type { ValidatorSet } from '../protocol/validators.ts';
import type { Requester } from './requester.ts';

/** AvalancheGo: snow/engine/snowman/bootstrap/bootstrapper.go, maxOutstandingBroadcastRequests; `--snow-sample-size`. */
const maxOutstanding = 50;
const frontierSample = 20;

/** Runs work for each node, at most `maxOutstanding` at once. */
async function forEachNode(nodes: readonly NodeId[], work: (node: NodeId) => Promise<void>): Promise<void> {
  let next = 0;
  const runOne = async (): Promise<void> => {
    for (let node = nodes[next++]; node !== undefined; node = nodes[next++]) await work(node);
  };
  await Promise.all(Array.from({ length: Math.min(maxOutstanding, nodes.length) }, runOne));
}

/** The last accepted blocks that a sample of the beacons names. AvalancheGo: snow/consensus/snowman/bootstrapper/minority.go. */
export async function askFrontiers(beacons: ValidatorSet, { ask }: Pick<Requester, 'ask'>, randomBytes: RandomBytes): Promise<Id[]> {
  const total = totalWeight(beacons);
  const units = total < BigInt(frontierSample) ? Number(total) : frontierSample;
  const sampled = sampleUnits(beacons, units, randomBytes) ?? new Map<NodeId, number>();
  const frontiers = new Set<Id>();
  await forEachNode([...sampled.keys()], async (node) => {
    const answer = await ask(node, { kind: 'getAcceptedFrontier' });
    if (answer !== undefined) frontiers.add(answer.containerId);
  });
  return [...frontiers];
}

/** Those blocks that beacons with more than half of the weight have accepted. A beacon that does not answer has no opinion. */
export async function askAccepted(beacons: ValidatorSet, ids: readonly Id[], { ask }: Pick<Requester, 'ask'>): Promise<Id[]> {
  const asked = new Set(ids);
  const weights = new Map<Id, bigint>();
  await forEachNode([...beacons.keys()], async (node) => {
    const answer = await ask(node, { kind: 'getAccepted', containerIds: [...asked] });
    for (const id of new Set(answer?.containerIds ?? []))
      if (asked.has(id)) weights.set(id, (weights.get(id) ?? 0n) + (beacons.get(node) ?? 0n));
  });
  const required = totalWeight(beacons) / 2n + 1n;
  return ids.filter((id) => (weights.get(id) ?? 0n) >= required);
}

function totalWeight(beacons: ValidatorSet): bigint {
  let total = 0n;
  for (const weight of beacons.values()) total += weight;
  return total;
}

/**
 * The weight of all beacons, of those that are connected, and the weight that must be connected before bootstrapping may start: three quarters.
 * AvalancheGo: chains/manager.go, (3W + 3) / 4.
 */
export function countConnected(beacons: ValidatorSet, isConnected: (node: NodeId) => boolean) {
  let connected = 0n;
  for (const [node, weight] of beacons) if (isConnected(node)) connected += weight;
  const total = totalWeight(beacons);
  return { connected, required: (3n * total + 3n) / 4n, total };
}

/** Whether bootstrapping may start. */
export function isEnoughConnected(beacons: ValidatorSet, isConnected: (node: NodeId) => boolean): boolean {
  const { connected, required } = countConnected(beacons, isConnected);
  return connected >= required;
}
