import { fromHex } from '../../base/bytes/hex.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { every } from '../../base/timing/timers.ts';
import type { ConnectedValidators } from '../consensus/connected-validators.ts';
import { createRequestServer, type SlowRequest } from '../consensus/request-server.ts';
import { sampleNodes } from '../consensus/weighted-sample.ts';
import { appErrorCodes, GossipItems, joinAppBytes, PullGossip, splitAppBytes, txGossipHandler } from '../messages/gossip.ts';
import { type BloomFilter, bloomHash, parseBloomFilter } from '../protocol/bloom-filter.ts';
import type { ChainLink, ChainMessage, HoldBytes } from '../protocol/transport.ts';
import type { ValidatorSet } from '../protocol/validators.ts';
import { createGossipCounters, type GossipCounters } from './gossip-counters.ts';
import type { GossipParameters } from './gossip-parameters.ts';
import type { GossipItem, GossipPool } from './gossip-pool.ts';
import { createKnownFilter } from './known-filter.ts';
import { createPullLimit, pullRequestLimit } from './pull-limit.ts';
import { createPushQueue } from './push-queue.ts';
import { createReceivedQueue } from './received-queue.ts';
import { topByStake } from './top-validators.ts';

/** Gossip of transactions between the mempools of nodes: push and pull. AvalancheGo: network/p2p/gossip, vms/avm/network. */
export type TxGossip = {
  /** A transaction was issued through the API of this node: it is pushed to peers. */
  readonly issued: (item: GossipItem) => void;
  /** Handles an app message; returns whether it is one. */
  readonly receive: (from: NodeId, message: ChainMessage, hold?: HoldBytes) => boolean;
  readonly disconnected: (node: NodeId) => void;
  readonly counters: () => GossipCounters;
  readonly stop: () => void;
};

type GossipParts = ChainLink & {
  readonly pool: GossipPool;
  readonly connected: ConnectedValidators;
  /** Validators of the P-Chain, who may pull; none without sybil protection. */
  readonly stakers: () => ValidatorSet;
  readonly parameters: GossipParameters;
  /** The mempool failed unexpectedly. */
  readonly onError: (error: unknown) => void;
};

const saltSize = 32;
const errorTexts = {
  unexpected: 'unexpected error',
  unregisteredHandler: 'unregistered handler',
  notValidator: 'not a validator',
  throttled: 'throttled',
} as const;

export function startTxGossip(parts: GossipParts): TxGossip {
  const { chainId, pool, transport, connected, stakers, timers, randomBytes, parameters } = parts;
  const counters = createGossipCounters();
  const known = createKnownFilter(parameters, pool, randomBytes);
  const pushes = createPushQueue(parameters, pool);
  const hasStake = (node: NodeId): boolean => stakers().has(node);
  const server = createRequestServer(timers, hasStake);
  const pullLimit = createPullLimit(parameters.pullPeriod, timers.now());
  const received = createReceivedQueue(pool, timers, hasStake, known.add, parts.onError);
  /** AvalancheGo uses odd numbers for its own requests too. */
  let pullRequestId = 1;

  const isStaker = (node: NodeId): boolean => hasStake(node) && connected.isConnected(node);
  const connectedStakers = (): NodeId[] => [...stakers().keys()].filter(connected.isConnected);

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
  const pushRound = (): void => {
    push(pushes.takeNew(timers.now()), parameters.pushStake, parameters.pushValidators);
    push(pushes.takeOld(timers.now()), 0, parameters.repushValidators);
  };
  const pullRound = (): void => {
    if (!stakers().has(transport.self)) return;
    const [node] = sampleNodes(
      connectedStakers().filter((staker) => staker !== transport.self),
      1,
      randomBytes,
    );
    if (node === undefined) return;
    const requestId = pullRequestId;
    pullRequestId = (pullRequestId + 2) >>> 0;
    const appBytes = joinAppBytes({ handler: txGossipHandler, content: PullGossip.encode(known.read()) });
    transport.request({ kind: 'appRequest', chainId, requestId, deadline: 0n, appBytes }, [node]);
  };

  const requestLimit = (validators: number): number => pullRequestLimit(parameters.pullPeriod / parameters.pullInterval, validators);
  const sendError = (to: NodeId, requestId: number, kind: keyof typeof errorTexts): void => {
    const error = { errorCode: appErrorCodes[kind], errorMessage: errorTexts[kind] };
    transport.send({ kind: 'appError', chainId, requestId, ...error }, [to]);
  };
  /** Sends transactions that are not in the filter, until they exceed the target size. */
  const pullAnswer = (to: NodeId, requestId: number, filter: BloomFilter, salt: Uint8Array): SlowRequest =>
    function* () {
      const items: Uint8Array[] = [];
      let size = 0;
      let total = 0;
      for (const { id, bytes } of pool.items()) {
        total++;
        if (!filter.contains(bloomHash(fromHex(id), salt))) {
          items.push(bytes);
          size += bytes.length;
          if (size > parameters.targetSize) break;
        }
        yield;
      }
      counters.sentPull(items);
      counters.pulled(total - items.length, total);
      transport.send({ kind: 'appResponse', chainId, requestId, appBytes: GossipItems.encode({ items }) }, [to]);
    };
  const answerPull = (from: NodeId, requestId: number, appBytes: Uint8Array, hold?: HoldBytes) => {
    const request = attempt(() => splitAppBytes(appBytes));
    if (request?.handler !== txGossipHandler) return sendError(from, requestId, 'unregisteredHandler');
    if (!isStaker(from)) return sendError(from, requestId, 'notValidator');
    if (!pullLimit.allow(from, requestLimit(connectedStakers().length), timers.now())) return sendError(from, requestId, 'throttled');
    const pull = attempt(() => PullGossip.decode(request.content));
    if (pull?.salt.length !== saltSize) return sendError(from, requestId, 'unexpected');
    const filter = attempt(() => parseBloomFilter(new Uint8Array(pull.filter)));
    if (filter === undefined) return sendError(from, requestId, 'unexpected');
    server.add(
      from,
      timers.now() + maxPullWait,
      pull.filter.length + saltSize,
      pullAnswer(from, requestId, filter, new Uint8Array(pull.salt)),
      hold,
    );
  };
  const receiveItems = (from: NodeId, content: Uint8Array, count: (items: readonly Uint8Array[]) => void, hold?: HoldBytes): void => {
    const items = attempt(() => GossipItems.decode(content).items) ?? [];
    count(items);
    received.add(from, items, hold);
  };

  const stopPush = every(timers, parameters.pushInterval, pushRound);
  const stopPull = every(timers, parameters.pullInterval, pullRound);

  return {
    issued: (item) => {
      known.add(item.id);
      pushes.add(item, timers.now());
    },
    receive: (from, message, hold) => {
      switch (message.kind) {
        case 'appRequest':
          answerPull(from, message.requestId, message.appBytes, hold);
          return true;
        case 'appGossip': {
          const gossip = attempt(() => splitAppBytes(message.appBytes));
          if (gossip?.handler === txGossipHandler) receiveItems(from, gossip.content, counters.receivedPush, hold);
          return true;
        }
        case 'appResponse':
          receiveItems(from, message.appBytes, counters.receivedPull);
          return true;
        case 'appError':
          return true;
        default:
          return false;
      }
    },
    disconnected: (node) => {
      server.disconnected(node);
      received.disconnected(node);
    },
    counters: () => {
      const validators = connectedStakers().length;
      const limits = { pooled: pool.count(), pullLimit: validators === 0 ? 0 : requestLimit(validators) };
      return counters.read(pushes.counts(), received.counts(), known.state(), limits);
    },
    stop: () => {
      stopPush();
      stopPull();
      server.stop();
      received.stop();
    },
  };
}

/** How long the answer to a pull may wait for its turn. The longest deadline of AvalancheGo. */
const maxPullWait = 10_000;

/** The result of decoding what a peer sent; undefined if it is malformed. */
function attempt<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch {
    return undefined;
  }
}
