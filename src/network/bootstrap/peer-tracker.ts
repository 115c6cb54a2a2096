import type { NodeId } from '../../base/bytes/node-id.ts';
import type { RandomBytes } from '../consensus/weighted-sample.ts';
import { type Averager, createAverager } from '../protocol/averager.ts';

const halfLife = 300_000;
const maxBusy = 2;
/** One of so many choices is random. */
const randomShare = 5;
/** Fewer known peers are not looked through. */
const minKnown = 64;

/** Chooses peers to fetch blocks from: untried ones first, then the fastest, now and then another. AvalancheGo: network/p2p/peer_tracker.go. */
export function createPeerTracker(randomBytes: RandomBytes, start: number) {
  const bandwidths = new Map<NodeId, Averager>();
  const busy = new Map<NodeId, number>();
  const latency = createAverager(1000, halfLife, start);
  const below = (end: number): number => {
    const bytes = randomBytes(4);
    return new DataView(bytes.buffer, bytes.byteOffset).getUint32(0) % end;
  };
  const pick = (nodes: readonly NodeId[]): NodeId | undefined => nodes[below(Math.max(1, nodes.length))];
  /** Peers that are gone are forgotten once they are the majority: anyone can connect with ever new keys. */
  const forgetOthers = (peers: readonly NodeId[]): void => {
    if (bandwidths.size <= 2 * peers.length + minKnown) return;
    const connected = new Set(peers);
    for (const node of bandwidths.keys()) if (!connected.has(node)) bandwidths.delete(node);
  };
  return {
    /** Number of peers whose speed is known. */
    count: (): number => bandwidths.size,
    /** A peer that is not busy, and not among `except`; undefined if there is none. */
    select: (peers: readonly NodeId[], except?: ReadonlySet<NodeId>): NodeId | undefined => {
      forgetOthers(peers);
      const free = peers.filter((node) => (busy.get(node) ?? 0) < maxBusy && except?.has(node) !== true);
      const untried = free.filter((node) => !bandwidths.has(node) && !busy.has(node));
      if (untried.length > 0) return pick(untried);
      if (below(randomShare) === 0) return pick(free);
      const rate = (node: NodeId): number => (bandwidths.get(node)?.read() ?? 0) / (1 + (busy.get(node) ?? 0));
      return free.reduce<NodeId | undefined>((best, node) => (best === undefined || rate(node) > rate(best) ? node : best), undefined);
    },
    started: (node: NodeId): void => {
      busy.set(node, (busy.get(node) ?? 0) + 1);
    },
    /** Notes the end of a request; 0 bytes: it failed. */
    ended: (node: NodeId, bytes: number, milliseconds: number, now: number): void => {
      const left = (busy.get(node) ?? 1) - 1;
      if (left === 0) busy.delete(node);
      else busy.set(node, left);
      const rate = bytes / Math.max(1, milliseconds);
      const known = bandwidths.get(node);
      if (known === undefined) bandwidths.set(node, createAverager(rate, halfLife, now));
      else known.observe(rate, now);
      if (bytes > 0) latency.observe(milliseconds, now);
    },
    /** How long an answer takes on average, in milliseconds. */
    averageLatency: latency.read,
  };
}
