import type { Id } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { type EncodedMessage, encodeForPeers } from '../messages/encoded-message.ts';
import type { Message, MessageKind } from '../messages/message.ts';
import { type BenchLists, createBenchLists, defaultBenchRules } from '../protocol/bench-list.ts';
import type { RequestKey } from '../protocol/request-tracker.ts';
import type { ChainHandler, ChainMessage, HoldBytes, RequestMessage, Transport } from '../protocol/transport.ts';
import type { Stakes } from '../protocol/validators.ts';
import type { NetworkOptions } from './network-flags.ts';
import { createOutstandingRequests, type OutstandingRequests } from './outstanding-requests.ts';
import { createDeadlineTimer, type PeerTiming } from './timing.ts';

/** The kind of response that each request gets. */
export const responseKinds = {
  getStateSummaryFrontier: 'stateSummaryFrontier',
  getAcceptedStateSummary: 'acceptedStateSummary',
  getAcceptedFrontier: 'acceptedFrontier',
  getAccepted: 'accepted',
  getAncestors: 'ancestors',
  get: 'put',
  pushQuery: 'chits',
  pullQuery: 'chits',
  appRequest: 'appResponse',
} as const satisfies Record<RequestMessage['kind'], MessageKind>;

type ResponseKind = (typeof responseKinds)[keyof typeof responseKinds];

const allResponseKinds: ReadonlySet<string> = new Set(Object.values(responseKinds));

export const isResponseKind = (kind: string): kind is ResponseKind => allResponseKinds.has(kind);

/** Sends a message. Returns the nodes whose queue took it. */
type SendToPeers = (message: EncodedMessage, nodes: readonly NodeId[]) => readonly NodeId[];

/**
 * Passes messages between peers and chains: finds the chain, matches responses with requests, lets requests time out and benches validators that
 * do not answer. Messages for chains that do not run here are dropped. AvalancheGo: snow/networking/router, sender, timeout and benchlist.
 */
export type Router = ReturnType<typeof createRouter>;

export function createRouter(
  self: NodeId,
  { options, timing, stakes }: { readonly options: NetworkOptions; readonly timing: PeerTiming; readonly stakes: Stakes },
  send: SendToPeers,
) {
  const chains = createRoutedChains(options, stakes);
  const { benchLists } = chains;
  const responseTimes = createMessageTimes();
  const handlingTimes = createMessageTimes();
  const counts = { timeouts: 0, dropped: 0 };
  let isClosed = false;

  const requests = createOutstandingRequests(options, timing, ({ chainId, node, requestId, response }, cause) =>
    chains.get(chainId)?.failed(node, requestId, response as ResponseKind, cause),
  );
  const observe = ({ chainId, node }: RequestKey, isFailure: boolean): void => {
    if (node !== self) benchLists.observe(chainId, node, isFailure, timing.now());
  };

  const deadline = createDeadlineTimer(timing, {
    next: () => Math.min(requests.nextDeadline(), benchLists.nextDeadline()),
    expire: (now) => {
      requests.expire(now, (key) => {
        counts.timeouts++;
        // Failures of app requests do not count: a VM may not know the protocol.
        if (key.response !== 'appResponse') observe(key, true);
      });
      benchLists.expire(now);
    },
  });

  const handle = (chain: ChainHandler, from: NodeId, message: ChainMessage, hold?: HoldBytes): void => {
    const began = timing.now();
    chain.receive(from, message, hold);
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
  const receive = (from: NodeId, message: ChainMessage, hold?: HoldBytes): boolean => {
    const chain = chains.get(message.chainId);
    if (chain !== undefined && (isResponseKind(message.kind) || message.kind === 'appError'))
      return !receiveResponse(from, message as ChainMessage & { readonly requestId: number }, chain);
    // AvalancheGo drops a request whose time is over when it is handled, so one with a deadline of 0 is never answered.
    if (chain === undefined || ('deadline' in message && message.deadline === 0n)) counts.dropped++;
    else handle(chain, from, message, hold);
    return true;
  };

  const transport = createTransport({
    self,
    compression: options.compression,
    timing,
    requests,
    benchLists,
    send,
    onRequested: deadline.arm,
    receiveOwn: (message) => timing.soon(() => void (isClosed || receive(self, message))),
  });

  return {
    transport,
    addChain: chains.add,
    connected: chains.connected,
    disconnected: (node: NodeId): void => {
      requests.failAllOf(node);
      chains.disconnected(node);
    },
    receive,
    benchedOn: benchLists.benchedOn,
    benchState: benchLists.state,
    requestState: requests.state,
    responseTimes: responseTimes.read,
    handlingTimes: handlingTimes.read,
    counts: (): { readonly timeouts: number; readonly dropped: number } => counts,
    close: (): void => {
      isClosed = true;
      requests.close();
      deadline.close();
    },
  };
}

/** How chains send messages: to peers, and to this node itself. */
function createTransport({
  self,
  compression,
  timing,
  requests,
  benchLists,
  send,
  receiveOwn,
  onRequested,
}: {
  readonly self: NodeId;
  readonly compression: NetworkOptions['compression'];
  readonly timing: Pick<PeerTiming, 'now'>;
  readonly requests: OutstandingRequests;
  readonly benchLists: Pick<BenchLists, 'isBenchedOn'>;
  readonly send: SendToPeers;
  /** Takes a message of this node to itself. */
  readonly receiveOwn: (message: ChainMessage) => void;
  /** Requests were added, which may time out. */
  readonly onRequested: () => void;
}): Transport {
  const sendToPeers = (message: Message, to: readonly NodeId[]): readonly NodeId[] =>
    to.length === 0 ? [] : send(encodeForPeers(message, compression), to);
  return {
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
      onRequested();
      const timed: RequestMessage = { ...message, deadline: BigInt(Math.round(requests.timeout() * 1e6)) };
      const others = to.filter((node) => node !== self);
      if (others.length < to.length) receiveOwn(timed);
      const sent = new Set(sendToPeers(timed, others));
      for (const node of others) {
        // A benched node gets the request too: its answers decide when the bench ends.
        if (benchLists.isBenchedOn(chainId, node)) requests.failSoon(keyOf(node), 'benched');
        else if (!sent.has(node)) requests.failSoon(keyOf(node), 'disconnected');
      }
    },
  };
}

/** The chains that get messages, and the peers that they know of: those that are connected and not benched. */
function createRoutedChains(options: NetworkOptions, stakes: Stakes) {
  const handlers = new Map<Id, ChainHandler>();
  const connected = new Set<NodeId>();
  const tellAll = (node: NodeId, isThere: boolean): void => {
    for (const handler of handlers.values()) (isThere ? handler.connected : handler.disconnected)(node);
  };
  const rules = {
    halfLife: options.benchHalfLife,
    benchAbove: options.benchAbove,
    unbenchBelow: options.unbenchBelow,
    duration: options.benchDuration,
    maxPortion: defaultBenchRules.maxPortion,
  };
  const benchLists = createBenchLists(rules, stakes, (node, isBenched) => {
    if (connected.has(node)) tellAll(node, !isBenched);
  });
  return {
    benchLists,
    get: (chainId: Id): ChainHandler | undefined => handlers.get(chainId),
    /** Begins to pass messages to a chain, and tells it which peers are connected. */
    add: (chainId: Id, handler: ChainHandler): void => {
      handlers.set(chainId, handler);
      benchLists.addChain(chainId);
      for (const node of connected) if (!benchLists.isBenched(node)) handler.connected(node);
    },
    connected: (node: NodeId): void => {
      connected.add(node);
      if (!benchLists.isBenched(node)) tellAll(node, true);
    },
    disconnected: (node: NodeId): void => {
      connected.delete(node);
      if (!benchLists.isBenched(node)) tellAll(node, false);
    },
  };
}

/** Messages of a chain and a kind, and the sum of their times in milliseconds. */
export type MessageTime = { readonly chainId: Id; readonly kind: MessageKind; readonly count: number; readonly sum: number };

function createMessageTimes() {
  const chains = new Map<Id, Map<MessageKind, { count: number; sum: number }>>();
  const rowOf = (chainId: Id, kind: MessageKind) => {
    const kinds = chains.get(chainId) ?? new Map<MessageKind, { count: number; sum: number }>();
    const row = kinds.get(kind) ?? { count: 0, sum: 0 };
    if (row.count === 0) chains.set(chainId, kinds.set(kind, row));
    return row;
  };
  return {
    observe: (chainId: Id, kind: MessageKind, milliseconds: number): void => {
      const row = rowOf(chainId, kind);
      row.count++;
      row.sum += milliseconds;
    },
    read: (): MessageTime[] => [...chains].flatMap(([chainId, kinds]) => [...kinds].map(([kind, row]) => ({ chainId, kind, ...row }))),
  };
}
