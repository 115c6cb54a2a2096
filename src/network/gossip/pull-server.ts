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
import type { GossipPool } from './gossip-pool.ts';
import { createPullLimit, pullRequestLimit } from './pull-limit.ts';

export type PullServerParts = ChainLink & {
  readonly pool: GossipPool;
  readonly connected: ConnectedValidators;
  /** Validators of the P-Chain, who may pull; none without sybil protection. */
  readonly stakers: () => ValidatorSet;
  readonly parameters: GossipParameters;
};

const saltSize = 32;
const errorTexts = {
  unexpected: 'unexpected error',
  unregisteredHandler: 'unregistered handler',
  notValidator: 'not a validator',
  throttled: 'throttled',
} as const;

/** How long the answer to a pull may wait for its turn. The longest deadline of AvalancheGo. */
const maxPullWait = 10_000;

export const connectedStakers = ({ stakers, connected }: Pick<PullServerParts, 'stakers' | 'connected'>): NodeId[] =>
  [...stakers().keys()].filter(connected.isConnected);

/** Answers the pull requests of connected validators with transactions that they do not know. */
export function createPullServer(parts: PullServerParts, counters: ReturnType<typeof createGossipCounters>) {
  const { chainId, pool, transport, timers, parameters } = parts;
  const hasStake = (node: NodeId): boolean => parts.stakers().has(node);
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
      if (!hasStake(from) || !parts.connected.isConnected(from)) return sendError(from, requestId, 'notValidator');
      const limit = requestLimit(connectedStakers(parts).length);
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
      const validators = connectedStakers(parts).length;
      return validators === 0 ? 0 : requestLimit(validators);
    },
    disconnected: server.disconnected,
    stop: server.stop,
  };
}
