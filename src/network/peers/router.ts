import type { Id } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import type { Message } from '../messages/message.ts';
import type { RequestKey } from '../protocol/request-tracker.ts';
import type { ChainHandler, ChainMessage, RequestMessage, Transport } from '../protocol/transport.ts';
import { createBenches } from './benches.ts';
import { type EncodedMessage, encodeForPeers } from './encoded-message.ts';
import { createMessageTimes } from './message-times.ts';
import type { NetworkOptions } from './network-flags.ts';
import { createOutstandingRequests } from './outstanding-requests.ts';
import { isResponseKind, type ResponseKind, responseKinds } from './response-kinds.ts';
import type { RegisteredStakes } from './stake.ts';
import type { PeerTiming } from './timing.ts';

type RouterDeps = {
  readonly self: NodeId;
  readonly options: NetworkOptions;
  readonly timing: PeerTiming;
  readonly stakes: RegisteredStakes;
  /** Sends a message. Returns the nodes whose queue took it. */
  readonly send: (message: EncodedMessage, nodes: readonly NodeId[]) => readonly NodeId[];
};

/**
 * Passes messages between peers and chains: finds the chain, matches responses with requests, lets requests time out and benches validators that
 * do not answer. Messages for chains that do not run here are dropped. AvalancheGo: snow/networking/router, sender, timeout and benchlist.
 */
export type Router = ReturnType<typeof createRouter>;

export function createRouter({ self, options, timing, stakes, send }: RouterDeps) {
  const chains = new Map<Id, ChainHandler>();
  const connected = new Set<NodeId>();
  const responseTimes = createMessageTimes();
  const handlingTimes = createMessageTimes();
  const counts = { timeouts: 0, dropped: 0 };
  let timer: { readonly at: number; readonly cancel: () => void } | undefined;
  let isClosed = false;

  const tellChains = (node: NodeId, isThere: boolean): void => {
    for (const handler of chains.values()) (isThere ? handler.connected : handler.disconnected)(node);
  };
  const benches = createBenches(options, stakes, (node, isBenched) => {
    if (connected.has(node)) tellChains(node, !isBenched);
  });
  const requests = createOutstandingRequests(options, timing, ({ chainId, node, requestId, response }, cause) =>
    chains.get(chainId)?.failed(node, requestId, response as ResponseKind, cause),
  );
  const observe = ({ chainId, node }: RequestKey, isFailure: boolean): void => {
    if (node !== self) benches.observe(chainId, node, isFailure, timing.now());
  };

  /** Arms one timer for the earliest deadline of a request or of a bench. */
  const arm = (): void => {
    const next = Math.min(requests.nextDeadline(), benches.nextDeadline());
    if (isClosed || next === Number.POSITIVE_INFINITY || (timer !== undefined && timer.at <= next)) return;
    timer?.cancel();
    timer = { at: next, cancel: timing.after(Math.max(1, next - timing.now()), expire) };
  };
  const expire = (): void => {
    timer = undefined;
    if (isClosed) return;
    const now = timing.now();
    requests.expire(now, (key) => {
      counts.timeouts++;
      // Failures of app requests do not count: a VM may not know the protocol.
      if (key.response !== 'appResponse') observe(key, true);
    });
    benches.expire(now);
    arm();
  };

  const handle = (chain: ChainHandler, from: NodeId, message: ChainMessage): void => {
    const began = timing.now();
    chain.receive(from, message);
    handlingTimes.observe(message.chainId, message.kind, timing.now() - began);
  };
  /** Returns whether the response was asked for. */
  const receiveResponse = (from: NodeId, message: ChainMessage & { readonly requestId: number }, chain: ChainHandler): boolean => {
    const isError = message.kind === 'appError';
    const key = { node: from, chainId: message.chainId, requestId: message.requestId, response: isError ? 'appResponse' : message.kind };
    const now = timing.now();
    const ended = requests.end(key, now);
    if (ended === undefined) return false;
    if (!isError) {
      responseTimes.observe(message.chainId, message.kind, now - ended.since);
      observe(key, false);
    }
    if (ended.hasFailed) return false;
    if (isError) chain.failed(from, message.requestId, 'appResponse', 'refused');
    else handle(chain, from, message);
    return true;
  };

  /** Passes a message to its chain. Returns whether the time it took counts for the peer: not for responses that this node asked for. */
  const receive = (from: NodeId, message: ChainMessage): boolean => {
    const chain = chains.get(message.chainId);
    if (chain !== undefined && (isResponseKind(message.kind) || message.kind === 'appError'))
      return !receiveResponse(from, message as ChainMessage & { readonly requestId: number }, chain);
    // AvalancheGo drops a request whose time is over when it is handled, so one with a deadline of 0 is never answered.
    if (chain === undefined || ('deadline' in message && message.deadline === 0n)) counts.dropped++;
    else handle(chain, from, message);
    return true;
  };

  const sendToPeers = (message: Message, to: readonly NodeId[]): readonly NodeId[] =>
    to.length === 0 ? [] : send(encodeForPeers(message, options.compression), to);
  const receiveOwn = (message: ChainMessage): void => timing.soon(() => void (isClosed || receive(self, message)));

  const transport: Transport = {
    self,
    send: (message, to) => {
      const others = to.filter((node) => node !== self);
      const sent = sendToPeers(message, others);
      if (others.length === to.length) return sent;
      receiveOwn(message);
      return [...sent, self];
    },
    request: (message, to) => {
      const now = timing.now();
      const response = responseKinds[message.kind];
      const { chainId, requestId } = message;
      const keyOf = (node: NodeId): RequestKey => ({ node, chainId, requestId, response });
      // An adversary can cause a Get that it does not answer, so its latency does not count.
      for (const node of to) requests.add(keyOf(node), node !== self && response !== 'put', now);
      arm();
      const timed: RequestMessage = { ...message, deadline: BigInt(Math.round(requests.timeout() * 1e6)) };
      const others = to.filter((node) => node !== self);
      if (others.length < to.length) receiveOwn(timed);
      const sent = new Set(sendToPeers(timed, others));
      for (const node of others) {
        // A benched node gets the request too: its answers decide when the bench ends.
        if (benches.isBenchedOn(chainId, node)) requests.failSoon(keyOf(node), 'benched');
        else if (!sent.has(node)) requests.failSoon(keyOf(node), 'disconnected');
      }
    },
  };

  return {
    transport,
    /** Begins to pass messages to a chain, and tells it which peers are connected. */
    addChain: (chainId: Id, handler: ChainHandler): void => {
      chains.set(chainId, handler);
      benches.addChain(chainId);
      for (const node of connected) if (!benches.isBenched(node)) handler.connected(node);
    },
    connected: (node: NodeId): void => {
      connected.add(node);
      if (!benches.isBenched(node)) tellChains(node, true);
    },
    disconnected: (node: NodeId): void => {
      connected.delete(node);
      requests.failAllOf(node);
      if (!benches.isBenched(node)) tellChains(node, false);
    },
    receive,
    benchedOn: benches.benchedOn,
    benchState: benches.state,
    requestState: requests.state,
    responseTimes: responseTimes.read,
    handlingTimes: handlingTimes.read,
    counts: (): { readonly timeouts: number; readonly dropped: number } => counts,
    close: (): void => {
      isClosed = true;
      requests.close();
      timer?.cancel();
    },
  };
}
