import type { Id } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import type { Message } from '../messages/message.ts';
import { type BenchChange, type BenchList, createBenchList, defaultBenchRules } from '../protocol/bench-list.ts';
import { createRequestTracker, type RequestKey } from '../protocol/request-tracker.ts';
import type { ChainHandler, ChainMessage, RequestFailure, RequestMessage, Transport } from '../protocol/transport.ts';
import { type EncodedMessage, encodeForPeers } from './encoded-message.ts';
import { createMessageTimes } from './message-times.ts';
import type { NetworkOptions } from './network-flags.ts';
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

type Chain = { readonly handler: ChainHandler; readonly benched: BenchList };

/** Requests that expire in one event-loop turn. */
const maxExpiredPerTurn = 256;

/**
 * Passes messages between peers and chains: finds the chain, matches responses with requests, lets requests time out and benches validators that
 * do not answer. Messages for chains that do not run here are dropped. AvalancheGo: snow/networking/router, sender, timeout and benchlist.
 */
export type Router = ReturnType<typeof createRouter>;

export function createRouter({ self, options, timing, stakes, send }: RouterDeps) {
  const chains = new Map<Id, Chain>();
  const connected = new Set<NodeId>();
  /** Chains on which a node is benched. It counts as disconnected on all chains. */
  const benchedChains = new Map<NodeId, Set<Id>>();
  /** Requests that failed already, by key: their response only counts for the bench list. */
  const failedEarly = new Set<string>();
  const requests = createRequestTracker(
    {
      initial: options.initialTimeout,
      minimum: options.minimumTimeout,
      maximum: options.maximumTimeout,
      halfLife: options.timeoutHalfLife,
      coefficient: options.timeoutCoefficient,
    },
    timing.now(),
  );
  const benchRules = {
    halfLife: options.benchHalfLife,
    benchAbove: options.benchAbove,
    unbenchBelow: options.unbenchBelow,
    duration: options.benchDuration,
    maxPortion: defaultBenchRules.maxPortion,
  };
  const responseTimes = createMessageTimes();
  const handlingTimes = createMessageTimes();
  const counts = { timeouts: 0, dropped: 0 };
  let timer: { readonly at: number; readonly cancel: () => void } | undefined;
  let isClosed = false;

  const chainsOf = (): ChainHandler[] => [...chains.values()].map(({ handler }) => handler);

  const applyBench = (chainId: Id, changes: readonly BenchChange[]): void => {
    for (const { node, isBenched } of changes) {
      const before = benchedChains.get(node);
      const after = new Set(before);
      if (isBenched) after.add(chainId);
      else after.delete(chainId);
      if (after.size > 0) benchedChains.set(node, after);
      else benchedChains.delete(node);
      if (!connected.has(node) || (before !== undefined) === after.size > 0) continue;
      for (const handler of chainsOf()) (after.size > 0 ? handler.disconnected : handler.connected)(node);
    }
  };
  const observe = (key: RequestKey, isFailure: boolean): void => {
    const chain = chains.get(key.chainId);
    if (chain !== undefined && key.node !== self) applyBench(key.chainId, chain.benched.observe(key.node, isFailure, timing.now()));
  };
  const fail = (key: RequestKey, cause: RequestFailure): void =>
    chains.get(key.chainId)?.handler.failed(key.node, key.requestId, key.response as ResponseKind, cause);

  /** Removes a request from those that failed already. Returns whether it was one; most often there are none, and no text is made. */
  const takeFailedEarly = (key: RequestKey): boolean => failedEarly.size > 0 && failedEarly.delete(textOf(key));

  /** Arms one timer for the earliest deadline of a request or of a bench. */
  const arm = (): void => {
    let next = requests.nextDeadline() ?? Number.POSITIVE_INFINITY;
    for (const { benched } of chains.values()) next = Math.min(next, benched.nextDeadline() ?? Number.POSITIVE_INFINITY);
    if (isClosed || next === Number.POSITIVE_INFINITY || (timer !== undefined && timer.at <= next)) return;
    timer?.cancel();
    timer = { at: next, cancel: timing.after(Math.max(1, next - timing.now()), expire) };
  };
  const expire = (): void => {
    timer = undefined;
    if (isClosed) return;
    const now = timing.now();
    for (const key of requests.expire(now, maxExpiredPerTurn)) {
      counts.timeouts++;
      // Failures of app requests do not count: a VM may not know the protocol.
      if (key.response !== 'appResponse') observe(key, true);
      if (!takeFailedEarly(key)) fail(key, 'timeout');
    }
    for (const [chainId, { benched }] of chains) applyBench(chainId, benched.expire(now));
    arm();
  };

  /** Fails a request after this turn. It stays until its response or its timeout, which the bench list counts. */
  const failSoon = (key: RequestKey, cause: RequestFailure): void => {
    failedEarly.add(textOf(key));
    timing.soon(() => void (isClosed || fail(key, cause)));
  };

  const handle = (chain: Chain, from: NodeId, message: ChainMessage): void => {
    const began = timing.now();
    chain.handler.receive(from, message);
    handlingTimes.observe(message.chainId, message.kind, timing.now() - began);
  };
  const receiveResponse = (from: NodeId, message: ChainMessage & { readonly requestId: number }, chain: Chain): boolean => {
    const isError = message.kind === 'appError';
    const response = isError ? 'appResponse' : message.kind;
    const key = { node: from, chainId: message.chainId, requestId: message.requestId, response };
    const now = timing.now();
    const since = requests.end(key, now);
    if (since === undefined) return false;
    if (!isError) {
      responseTimes.observe(message.chainId, message.kind, now - since);
      observe(key, false);
    }
    if (takeFailedEarly(key)) return false;
    if (isError) chain.handler.failed(from, message.requestId, 'appResponse', 'refused');
    else handle(chain, from, message);
    return true;
  };

  /** Passes a message to its chain. Returns whether the time it took counts for the peer: not for responses that this node asked for. */
  const receive = (from: NodeId, message: ChainMessage): boolean => {
    const chain = chains.get(message.chainId);
    if (chain === undefined) {
      counts.dropped++;
      return true;
    }
    if (isResponseKind(message.kind) || message.kind === 'appError')
      return !receiveResponse(from, message as ChainMessage & { readonly requestId: number }, chain);
    // AvalancheGo drops a request whose time is over when it is handled, so one with a deadline of 0 is never answered.
    if ('deadline' in message && message.deadline === 0n) counts.dropped++;
    else handle(chain, from, message);
    return true;
  };

  const sendToPeers = (message: Message, to: readonly NodeId[]): readonly NodeId[] =>
    to.length === 0 ? [] : send(encodeForPeers(message, options.compression), to);

  const transport: Transport = {
    self,
    send: (message, to) => {
      const others = to.filter((node) => node !== self);
      const sent = sendToPeers(message, others);
      if (others.length === to.length) return sent;
      timing.soon(() => void (isClosed || receive(self, message)));
      return [...sent, self];
    },
    request: (message, to) => {
      const now = timing.now();
      const response = responseKinds[message.kind];
      const { chainId, requestId } = message;
      const keyOf = (node: NodeId): RequestKey => ({ node, chainId, requestId, response });
      for (const node of to) {
        const key = keyOf(node);
        takeFailedEarly(key);
        // An adversary can cause a Get that it does not answer, so its latency does not count.
        requests.add(key, node !== self && response !== 'put', now);
      }
      arm();
      const timed: RequestMessage = { ...message, deadline: BigInt(Math.round(requests.timeout() * 1e6)) };
      const others = to.filter((node) => node !== self);
      if (others.length < to.length) timing.soon(() => void (isClosed || receive(self, timed)));
      const sent = new Set(sendToPeers(timed, others));
      for (const node of others) {
        // A benched node gets the request too: its answers decide when the bench ends.
        if (chains.get(chainId)?.benched.isBenched(node)) failSoon(keyOf(node), 'benched');
        else if (!sent.has(node)) failSoon(keyOf(node), 'disconnected');
      }
    },
  };

  return {
    transport,
    /** Begins to pass messages to a chain, and tells it which peers are connected. */
    addChain: (chainId: Id, handler: ChainHandler): void => {
      chains.set(chainId, { handler, benched: createBenchList(benchRules, stakes) });
      for (const node of connected) if (!benchedChains.has(node)) handler.connected(node);
    },
    connected: (node: NodeId): void => {
      connected.add(node);
      if (!benchedChains.has(node)) for (const handler of chainsOf()) handler.connected(node);
    },
    disconnected: (node: NodeId): void => {
      connected.delete(node);
      for (const key of requests.waitingFor(node)) if (!failedEarly.has(textOf(key))) failSoon(key, 'disconnected');
      if (!benchedChains.has(node)) for (const handler of chainsOf()) handler.disconnected(node);
    },
    receive,
    /** Chains on which a node is benched. */
    benchedOn: (node: NodeId): Id[] => [...(benchedChains.get(node) ?? [])],
    benchState: (): BenchState[] =>
      [...chains].map(([chainId, { benched }]) => {
        const nodes = benched.benched();
        return { chainId, count: nodes.length, weight: nodes.reduce((sum, node) => sum + stakes.of(node), 0n) };
      }),
    requestState: () => ({
      outstanding: requests.count(),
      oldest: requests.oldest(),
      timeout: requests.timeout(),
      averageLatency: requests.averageLatency(),
    }),
    responseTimes: responseTimes.read,
    handlingTimes: handlingTimes.read,
    counts: (): { readonly timeouts: number; readonly dropped: number } => counts,
    close: (): void => {
      isClosed = true;
      timer?.cancel();
    },
  };
}

type BenchState = { readonly chainId: Id; readonly count: number; readonly weight: bigint };

const textOf = ({ node, chainId, requestId, response }: RequestKey): string => `${requestId} ${response} ${node} ${chainId}`;
