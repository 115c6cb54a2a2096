import type { EngineBlock, Vm } from '../../avm/vm.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { attempt } from '../../base/fault.ts';
import { sleep } from '../../base/timing/sleep.ts';
import { type RandomBytes, sampleNodes } from '../consensus/weighted-sample.ts';
import { engineTypes } from '../messages/message-table.ts';
import type { ChainLink } from '../protocol/transport.ts';
import type { ValidatorSet } from '../protocol/validators.ts';
import type { BlockRef } from '../snowman/consensus.ts';
import { askAccepted } from './beacon-majority.ts';
import { createContainerFetcher, type FetchContainers, type FetcherParts } from './container-fetcher.ts';
import { noBlocks } from './fault.ts';
import type { Requester } from './requester.ts';

/** A part of the chain that is fetched as a whole: the blocks above `below` up to the one with this ID. */
export type Segment = { readonly below: bigint; readonly top: bigint; readonly topId: Id };

/** The most blocks of a segment. They are held in memory until they are executed. */
const maxSegmentBlocks = 8192;

/** Segments whose ends are asked for at once. */
const maxCheckpoints = 64;

/** Whom to ask for the ends of segments. */
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

/** Fetches the blocks of a segment, lowest first. `onFetched` is told how many blocks came. */
export async function fetchSegment(
  { below, top, topId }: Segment,
  fetchBlocks: FetchContainers<EngineBlock>,
  onFetched: (blocks: number) => void,
): Promise<EngineBlock[]> {
  const blocks: EngineBlock[] = [];
  let wanted = topId;
  for (let height = top; height > below; ) {
    const fetched = await fetchBlocks(wanted, Number(height - below));
    const [first] = fetched ?? [];
    if (fetched === undefined || first === undefined) throw noBlocks(`no peer sent block ${wanted}`);
    if (first.height !== height) throw noBlocks(`block ${wanted} has height ${first.height}, not ${height}`);
    for (const block of fetched) blocks.push(block);
    onFetched(fetched.length);
    const lowest = fetched.at(-1) as EngineBlock;
    height = lowest.height - 1n;
    wanted = lowest.parentID;
  }
  return blocks.reverse();
}

const turnMilliseconds = 10;

/** Fetches blocks that follow each other, the asked one first; of one answer at most `maxReceived`. */
export function createAncestorFetcher(
  link: Pick<ChainLink, 'timers' | 'randomBytes'>,
  parts: FetcherParts,
  vm: Pick<Vm, 'parse'>,
  maxReceived: number,
): FetchContainers<EngineBlock> {
  const { timers } = link;

  /**
   * Decodes blocks as far as each is the parent of the one before. Stops at the first that is not. The bytes are views into the answer, which
   * stays in memory with a block unless the Vm copies them, as that of outer blocks does.
   */
  const parseChain = async (id: Id, containers: readonly Uint8Array[], maxBlocks: number): Promise<EngineBlock[]> => {
    const blocks: EngineBlock[] = [];
    let wanted = id;
    let turnEnd = timers.now() + turnMilliseconds;
    for (const bytes of containers.slice(0, maxBlocks)) {
      const block = attempt(() => vm.parse(bytes));
      const child = blocks.at(-1);
      if (block?.id !== wanted || (child !== undefined && child.height !== block.height + 1n)) return blocks;
      blocks.push(block);
      wanted = block.parentID;
      if (timers.now() < turnEnd) continue;
      await sleep(timers, 0);
      turnEnd = timers.now() + turnMilliseconds;
    }
    return blocks;
  };
  const fetch = createContainerFetcher(link, parts, engineTypes.chain, parseChain);
  return (id, maxBlocks) => fetch(id, Math.min(maxBlocks, maxReceived));
}
