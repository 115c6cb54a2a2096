import type { NodeId } from '../../base/bytes/node-id.ts';
import type { Message } from '../messages/message.ts';
import type { RequestKey } from '../protocol/request-tracker.ts';
import type { ChainMessage, RequestMessage, Transport } from '../protocol/transport.ts';
import type { createBenches } from './benches.ts';
import { type EncodedMessage, encodeForPeers } from './encoded-message.ts';
import type { NetworkOptions } from './network-flags.ts';
import type { createOutstandingRequests } from './outstanding-requests.ts';
import { responseKinds } from './response-kinds.ts';
import type { PeerTiming } from './timing.ts';

type RouterTransportDeps = {
  readonly self: NodeId;
  readonly options: Pick<NetworkOptions, 'compression'>;
  readonly timing: Pick<PeerTiming, 'now'>;
  readonly requests: ReturnType<typeof createOutstandingRequests>;
  readonly benches: Pick<ReturnType<typeof createBenches>, 'isBenchedOn'>;
  /** Sends a message. Returns the nodes whose queue took it. */
  readonly send: (message: EncodedMessage, nodes: readonly NodeId[]) => readonly NodeId[];
  /** Takes a message of this node to itself. */
  readonly receiveOwn: (message: ChainMessage) => void;
  /** Requests were added, which may time out. */
  readonly onRequested: () => void;
};

/** How chains send messages: to peers, and to this node itself. */
export function createRouterTransport({ self, options, timing, requests, benches, ...deps }: RouterTransportDeps): Transport {
  const sendToPeers = (message: Message, to: readonly NodeId[]): readonly NodeId[] =>
    to.length === 0 ? [] : deps.send(encodeForPeers(message, options.compression), to);
  return {
    self,
    send: (message, to) => {
      const others = to.filter((node) => node !== self);
      const sent = sendToPeers(message, others);
      if (others.length === to.length) return sent;
      deps.receiveOwn(message);
      return [...sent, self];
    },
    request: (message, to) => {
      const now = timing.now();
      const response = responseKinds[message.kind];
      const { chainId, requestId } = message;
      const keyOf = (node: NodeId): RequestKey => ({ node, chainId, requestId, response });
      // An adversary can cause a Get that it does not answer, so its latency does not count.
      for (const node of to) requests.add(keyOf(node), node !== self && response !== 'put', now);
      deps.onRequested();
      const timed: RequestMessage = { ...message, deadline: BigInt(Math.round(requests.timeout() * 1e6)) };
      const others = to.filter((node) => node !== self);
      if (others.length < to.length) deps.receiveOwn(timed);
      const sent = new Set(sendToPeers(timed, others));
      for (const node of others) {
        // A benched node gets the request too: its answers decide when the bench ends.
        if (benches.isBenchedOn(chainId, node)) requests.failSoon(keyOf(node), 'benched');
        else if (!sent.has(node)) requests.failSoon(keyOf(node), 'disconnected');
      }
    },
  };
}
