import type { Id } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { type RandomBytes, sampleNodes } from '../consensus/weighted-sample.ts';
import type { ValidatorSet } from '../protocol/validators.ts';
import type { BlockRef } from '../snowman/consensus.ts';
import { askAccepted } from './beacon-majority.ts';
import { noBlocks } from './fault.ts';
import type { Requester } from './requester.ts';
import { maxSegmentBlocks, type Segment } from './segment.ts';

/** Segments whose ends are asked for at once. */
const maxCheckpoints = 64;

type CheckpointParts = {
  readonly beacons: ValidatorSet;
  readonly peers: () => readonly NodeId[];
  readonly requester: Pick<Requester, 'ask'>;
  readonly randomBytes: RandomBytes;
};

/**
 * Divides the way from the last accepted block to the tip into segments, so that they can be fetched from several peers at once and executed
 * from the lowest on. The IDs at their ends come from one beacon each and count only if most beacons have accepted them, as for the tip. Returns
 * the lowest segments, without gaps.
 */
export async function planSegments(last: BlockRef, tip: BlockRef, size: number, parts: CheckpointParts): Promise<Segment[]> {
  const heights: bigint[] = [];
  for (let height = last.height + BigInt(size); height < tip.height && heights.length < maxCheckpoints; height += BigInt(size))
    heights.push(height);
  const named = await Promise.all(heights.map((height) => askIdAtHeight(last.id, height, parts)));
  const ids = named.filter((id) => id !== undefined);
  const accepted = new Set(ids.length === 0 ? [] : await askAccepted(parts.beacons, ids, parts.requester));
  const ends: BlockRef[] = heights.flatMap((height, index) => {
    const id = named[index];
    return id !== undefined && accepted.has(id) ? [{ id, height }] : [];
  });
  // The tip is the last end, unless there is much more to come.
  if (heights.length < maxCheckpoints) ends.push(tip);
  const segments: Segment[] = [];
  let below = last.height;
  for (const { id, height } of ends) {
    if (height - below > BigInt(maxSegmentBlocks)) break;
    segments.push({ below, top: height, topId: id });
    below = height;
  }
  if (segments.length === 0) throw noBlocks(`most beacons do not agree on a block above height ${last.height}`);
  return segments;
}

/** Asks a random beacon, and another one if it has no answer. Other peers only if no beacon is connected: anyone can be one, and name a wrong block. */
async function askIdAtHeight(known: Id, height: bigint, parts: CheckpointParts): Promise<Id | undefined> {
  const { beacons, requester, randomBytes } = parts;
  const peers = parts.peers();
  const connected = peers.filter((node) => beacons.has(node));
  for (const node of sampleNodes(connected.length > 0 ? connected : peers, 2, randomBytes)) {
    const answer = await requester.ask(node, { kind: 'pullQuery', containerId: known, requestedHeight: height });
    if (answer !== undefined && answer.acceptedHeight >= height) return answer.preferredIdAtHeight;
  }
  return undefined;
}
