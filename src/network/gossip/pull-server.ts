import { fromHex } from '../../base/bytes/hex.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { attempt } from '../../base/fault.ts';
import type { ConnectedValidators } from '../consensus/connected-validators.ts';
import { createRequestServer, type SlowRequest } from '../consensus/request-server.ts';
import { appErrorCodes, GossipItems, PullGossip, splitAppBytes, txGossipHandler } from '../messages/gossip.ts';
import { type BloomFilter, bloomHash, parseBloomFilter } from '../protocol/bloom-filter.ts';
import type { ChainLink, HoldBytes } from '../protocol/transport.ts';
import type { ValidatorSet } from '../protocol/validators.ts';
import type { createGossipCounters } from './gossip-counters.ts';
import type { GossipParameters } from './gossip-parameters.ts';
import type { GossipPool } from './tx-gossip.ts';

const saltSize = 32;
const errorTexts = {
  unexpected: 'unexpected error',
  unregisteredHandler: 'unregistered handler',
  notValidator: 'not a validator',
  throttled: 'throttled',
} as const;

/** How long the answer to a pull may wait for its turn. The longest deadline of AvalancheGo. */
const maxPullWait = 10_000;

/** Answers the pull requests of connected validators with transactions that they do not know. */
export function createPullServer(
  { chainId, transport, timers }: ChainLink,
  {
    pool,
    connected,
    stakers,
    parameters,
    counters,
  }: {
    readonly pool: Pick<GossipPool, 'items'>;
    readonly connected: Pick<ConnectedValidators, 'isConnected'>;
    readonly stakers: () => ValidatorSet;
    readonly parameters: GossipParameters;
    readonly counters: ReturnType<typeof createGossipCounters>;
  },
) {
  const hasStake = (node: NodeId): boolean => stakers().has(node);
  const countStakers = (): number => [...stakers().keys()].filter(connected.isConnected).length;
  const server = createRequestServer(timers, hasStake);
  const pullLimit = createPullLimit(parameters.pullPeriod, timers.now());
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

  return {
    answer: (from: NodeId, requestId: number, appBytes: Uint8Array, hold?: HoldBytes) => {
      const request = attempt(() => splitAppBytes(appBytes));
      if (request?.handler !== txGossipHandler) return sendError(from, requestId, 'unregisteredHandler');
      if (!hasStake(from) || !connected.isConnected(from)) return sendError(from, requestId, 'notValidator');
      const limit = requestLimit(countStakers());
      if (!pullLimit.allow(from, limit, timers.now())) return sendError(from, requestId, 'throttled');
      const pull = attempt(() => PullGossip.decode(request.content));
      if (pull?.salt.length !== saltSize) return sendError(from, requestId, 'unexpected');
      const filter = attempt(() => parseBloomFilter(new Uint8Array(pull.filter)));
      if (filter === undefined) return sendError(from, requestId, 'unexpected');
      const answer = pullAnswer(from, requestId, filter, new Uint8Array(pull.salt));
      server.add(from, timers.now() + maxPullWait, pull.filter.length + saltSize, answer, hold);
    },
    /** Pull requests that one peer may send per period; 0 while no validator is connected. */
    limit: (): number => {
      const validators = countStakers();
      return validators === 0 ? 0 : requestLimit(validators);
    },
    disconnected: server.disconnected,
    stop: server.stop,
  };
}

type Window = { readonly start: number; readonly hits: Map<NodeId, number> };

/** Limits the pull requests of each peer in a sliding window. The clock is an argument. AvalancheGo: network/p2p/throttler.go. */
function createPullLimit(period: number, start: number) {
  let current: Window = { start, hits: new Map() };
  let previous: Window = { start: start - period, hits: new Map() };
  const rotate = (at: number): void => {
    previous = current;
    current = { start: at, hits: new Map() };
  };
  return {
    /** Counts a request. Returns whether it is within the limit. */
    allow: (node: NodeId, limit: number, now: number): boolean => {
      let elapsed = now - current.start;
      if (elapsed >= 2 * period) rotate(now - period);
      if (elapsed >= period) {
        rotate(now);
        elapsed = 0;
      }
      const hits = current.hits.get(node) ?? 0;
      current.hits.set(node, hits + 1);
      const share = (period - elapsed) / period;
      return hits + share * (previous.hits.get(node) ?? 0) < limit;
    },
  };
}

/**
 * The pull requests that one peer may send per period, if each of `validators` sends `requests` and chooses whom to ask at random: the mean plus
 * four standard deviations. AvalancheGo: network/p2p/handler.go, DynamicThrottlerHandler.
 */
export function pullRequestLimit(requests: number, validators: number): number {
  const count = Math.max(1, validators);
  const mean = requests / count;
  const deviation = Math.sqrt((requests * (count - 1)) / (count * count));
  return mean + 4 * deviation;
}
