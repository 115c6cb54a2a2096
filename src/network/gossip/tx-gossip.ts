import { fromHex } from '../../base/bytes/hex.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { createLruMap } from '../../base/cache/lru-map.ts';
import { attempt } from '../../base/fault.ts';
import { every, type Timers } from '../../base/timing/timers.ts';
import type { ConnectedValidators } from '../consensus/connected-validators.ts';
import { type RandomBytes, sampleNodes } from '../consensus/weighted-sample.ts';
import { GossipItems, joinAppBytes, PullGossip, splitAppBytes, txGossipHandler } from '../messages/gossip.ts';
import {
  type BloomFilterState,
  bloomCapacity,
  bloomHash,
  bloomSize,
  createBloomFilter,
  type WritableBloomFilter,
} from '../protocol/bloom-filter.ts';
import type { ChainLink, ChainMessage, HoldBytes } from '../protocol/transport.ts';
import type { ValidatorSet } from '../protocol/validators.ts';
import { createGossipCounters, type GossipCounters } from './gossip-counters.ts';
import type { FilterParameters, GossipParameters, QueueParameters } from './gossip-parameters.ts';
import { createPullServer } from './pull-server.ts';
import { createReceivedQueue } from './received-queue.ts';

/** A signed transaction as gossip sends it. The ID is the hash of the bytes. */
export type GossipItem = { readonly id: Id; readonly bytes: Uint8Array };

/** The mempool as gossip sees it. */
export type GossipPool = {
  readonly has: (id: Id) => boolean;
  /**
   * Verifies a transaction of a peer and adds it. Returns or resolves to whether it was added. Must not throw for an invalid one. `bytes`
   * belong to the callee.
   */
  readonly add: (bytes: Uint8Array) => boolean | Promise<boolean>;
  /** All transactions; the iterator must stay usable while the pool changes. */
  readonly items: () => Iterable<GossipItem>;
  readonly count: () => number;
};

/** Gossip of transactions between the mempools of nodes: push and pull. AvalancheGo: network/p2p/gossip, vms/avm/network. */
export type TxGossip = ReturnType<typeof startTxGossip>;

export function startTxGossip(
  link: ChainLink,
  {
    pool,
    connected,
    stakers,
    parameters,
    onError,
  }: {
    readonly pool: GossipPool;
    readonly connected: ConnectedValidators;
    /** Validators of the P-Chain, who may pull; none without sybil protection. */
    readonly stakers: () => ValidatorSet;
    readonly parameters: GossipParameters;
    /** The mempool failed unexpectedly. */
    readonly onError: (error: unknown) => void;
  },
) {
  const { chainId, transport, timers, randomBytes } = link;
  const counters = createGossipCounters();
  const known = createKnownFilter(parameters, pool, randomBytes);
  const pushes = createPushQueue(parameters, pool);
  const server = createPullServer(link, { pool, connected, stakers, parameters, counters });
  const pulls = createPullPace(parameters);
  const learn = (id: Id): void => {
    known.add(id);
    pulls.wake();
  };
  const received = createReceivedQueue(pool, timers, (node) => stakers().has(node), learn, onError);
  /** AvalancheGo uses odd numbers for its own requests too. */
  let pullRequestId = 1;

  const push = (items: Uint8Array[], stake: number, validators: number): void => {
    if (items.length === 0) return;
    const to = new Set(topByStake(stakers(), stake));
    const others = connected.validatorPeers().filter((node) => !to.has(node));
    for (const node of sampleNodes(others, validators, randomBytes)) to.add(node);
    to.delete(transport.self);
    counters.sentPush(items);
    const appBytes = joinAppBytes({ handler: txGossipHandler, content: GossipItems.encode({ items }) });
    transport.send({ kind: 'appGossip', chainId, appBytes }, [...to].filter(connected.isConnected));
  };
  const pushRounds = createPushRounds(timers, parameters.pushInterval, () => {
    push(pushes.takeNew(timers.now()), parameters.pushStake, parameters.pushValidators);
    push(pushes.takeOld(timers.now()), 0, parameters.repushValidators);
    const { unsent, sent } = pushes.counts();
    return unsent + sent > 0;
  });
  const pullRound = (): void => {
    if (!stakers().has(transport.self) || !pulls.isDue()) return;
    const others = [...stakers().keys()].filter((staker) => staker !== transport.self && connected.isConnected(staker));
    const [node] = sampleNodes(others, 1, randomBytes);
    if (node === undefined) return;
    const requestId = pullRequestId;
    pullRequestId = (pullRequestId + 2) >>> 0;
    const appBytes = joinAppBytes({ handler: txGossipHandler, content: PullGossip.encode(known.read()) });
    transport.request({ kind: 'appRequest', chainId, requestId, deadline: 0n, appBytes }, [node]);
  };

  const receiveItems = (from: NodeId, content: Uint8Array, count: (items: readonly Uint8Array[]) => void, hold?: HoldBytes): void => {
    const items = attempt(() => GossipItems.decode(content).items) ?? [];
    count(items);
    received.add(from, items, hold);
  };

  const stopPulls = every(timers, parameters.pullInterval, pullRound);

  return {
    /** A transaction was issued through the API of this node: it is pushed to peers. */
    issued: (item: GossipItem): void => {
      learn(item.id);
      pushes.add(item, timers.now());
      pushRounds.wake();
    },
    /** Handles an app message; returns whether it is one. */
    receive: (from: NodeId, message: ChainMessage, hold?: HoldBytes): boolean => {
      switch (message.kind) {
        case 'appRequest':
          server.answer(from, message.requestId, message.appBytes, hold);
          return true;
        case 'appGossip': {
          const gossip = attempt(() => splitAppBytes(message.appBytes));
          if (gossip?.handler === txGossipHandler) receiveItems(from, gossip.content, counters.receivedPush, hold);
          return true;
        }
        case 'appResponse':
          receiveItems(from, message.appBytes, (items) => {
            counters.receivedPull(items);
            if (items.length === 0) pulls.foundNothing();
          });
          return true;
        case 'appError':
          return true;
        default:
          return false;
      }
    },
    disconnected: (node: NodeId): void => {
      server.disconnected(node);
      received.disconnected(node);
    },
    counters: (): GossipCounters =>
      counters.read(pushes.counts(), received.counts(), known.state(), { pooled: pool.count(), pullLimit: server.limit() }),
    stop: (): void => {
      stopPulls();
      pushRounds.stop();
      server.stop();
      received.stop();
    },
  };
}

/**
 * Runs rounds of pushes while there is something to push, never two within `interval` milliseconds. A round after a quiet time does not wait, so
 * the network knows a single transaction at once; AvalancheGo's rounds tick also without any. `run` returns whether something is left to push.
 */
function createPushRounds(timers: Timers, interval: number, run: () => boolean) {
  let last = Number.NEGATIVE_INFINITY;
  let cancel: (() => void) | undefined;
  let isStopped = false;
  const wake = (): void => {
    if (isStopped || cancel !== undefined) return;
    cancel = timers.after(Math.max(0, last + interval - timers.now()), () => {
      cancel = undefined;
      last = timers.now();
      if (run()) wake();
    });
  };
  return {
    wake,
    stop: (): void => {
      isStopped = true;
      cancel?.();
    },
  };
}

/**
 * Which ticks of the pull timer send a pull: all while transactions arrive, few while there are none. A pull costs this node and the other one more
 * than ten queries, since its filter of 10 kB is compressed. AvalancheGo always sends it; what was missed is found up to 4.5 s later here, by the node
 * that missed it, and by then the others have put it into a block.
 */
function createPullPace({ pullsUntilQuiet, quietPullFactor }: Pick<GossipParameters, 'pullsUntilQuiet' | 'quietPullFactor'>) {
  let emptyAnswers = 0;
  let skipped = 0;
  return {
    isDue: (): boolean => {
      if (emptyAnswers >= pullsUntilQuiet && ++skipped < quietPullFactor) return false;
      skipped = 0;
      return true;
    },
    foundNothing: (): void => void emptyAnswers++,
    /** There is a new transaction. */
    wake: (): void => {
      emptyAnswers = 0;
    },
  };
}

/** The validators with the most weight that together have this share of it, connected or not. AvalancheGo: network/p2p/validators.go, Top. */
function topByStake(set: ValidatorSet, share: number): NodeId[] {
  let total = 0n;
  for (const weight of set.values()) total += weight;
  const target = Math.ceil(share * Number(total));
  const sorted = [...set].sort(([a, weightA], [b, weightB]) => (weightA === weightB ? (a < b ? -1 : 1) : weightA > weightB ? -1 : 1));
  const top: NodeId[] = [];
  let sum = 0n;
  for (const [node, weight] of sorted) {
    if (Number(sum) >= target) break;
    top.push(node);
    sum += weight;
  }
  return top;
}

const saltSize = 32;
const seedSize = 8;
/** A new filter has room for so many times the transactions in the pool. */
const growth = 3;

/** The bloom filter of the transactions in the mempool, which a pull request sends. AvalancheGo: vms/avm/network/gossip.go. */
function createKnownFilter(parameters: FilterParameters, pool: Pick<GossipPool, 'items' | 'count'>, randomBytes: RandomBytes) {
  let salt: Uint8Array;
  let bloom: WritableBloomFilter;
  let max = 0;
  let size: ReturnType<typeof bloomSize>;
  let resets = 0;
  const put = (id: Id): void => {
    bloom.add(bloomHash(fromHex(id), salt));
  };
  /** A new salt, so that transactions that a false positive hid are found at last. */
  const reset = (): void => {
    const items = Math.max(parameters.minFilterItems, growth * pool.count());
    size = bloomSize(items, parameters.filterFalsePositives);
    const { hashes, entryBytes } = size;
    resets++;
    bloom = createBloomFilter(randomBytes(seedSize * hashes), entryBytes);
    salt = new Uint8Array(randomBytes(saltSize));
    max = bloomCapacity(hashes, entryBytes, parameters.maxFilterFalsePositives);
    for (const { id } of pool.items()) put(id);
  };
  reset();
  return {
    add: (id: Id): void => {
      put(id);
      if (bloom.count() > max) reset();
    },
    read: (): { readonly filter: Uint8Array; readonly salt: Uint8Array } => ({ filter: bloom.bytes(), salt }),
    state: (): BloomFilterState => ({ count: bloom.count(), max, hashes: size.hashes, entries: size.entryBytes, resets }),
  };
}

type Tracked = { readonly item: GossipItem; pushed: number };

/** The transactions that this node pushes: those issued through its own API. AvalancheGo: network/p2p/gossip/gossip.go, PushGossiper. */
function createPushQueue(parameters: QueueParameters, pool: Pick<GossipPool, 'has'>) {
  // Maps keep the order of insertion: the first entry is the one that waits longest.
  const unsent = new Map<Id, Tracked>();
  const sent = new Map<Id, Tracked>();
  const discarded = createLruMap<true>(parameters.discardedSize);

  const take = (from: Map<Id, Tracked>, now: number, onGone: (id: Id) => void): Uint8Array[] => {
    const taken: Uint8Array[] = [];
    let size = 0;
    for (const [id, tracked] of from) {
      if (size >= parameters.targetSize) break;
      if (!pool.has(id)) {
        from.delete(id);
        onGone(id);
        continue;
      }
      // They are ordered by the time of their last push: all later ones are younger.
      if (tracked.pushed > now - parameters.repushInterval) break;
      from.delete(id);
      tracked.pushed = now;
      sent.set(id, tracked);
      taken.push(tracked.item.bytes);
      size += tracked.item.bytes.length;
    }
    return taken;
  };

  return {
    /** Adds a transaction of this node. */
    add: (item: GossipItem, now: number): void => {
      if (unsent.has(item.id) || sent.has(item.id)) return;
      // One that was dropped lately waits as if it had just been pushed.
      if (discarded.get(item.id)) sent.set(item.id, { item, pushed: now });
      else unsent.set(item.id, { item, pushed: Number.NEGATIVE_INFINITY });
    },
    /** Takes transactions for their first push, about `targetSize` bytes. */
    takeNew: (now: number): Uint8Array[] => take(unsent, now, () => {}),
    /** Takes transactions that still wait and were pushed long enough ago. */
    takeOld: (now: number): Uint8Array[] => take(sent, now, (id) => discarded.set(id, true)),
    counts: () => ({ unsent: unsent.size, sent: sent.size }),
  };
}
