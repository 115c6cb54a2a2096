import type { NodeId } from '../../base/bytes/node-id.ts';
import type { RequestKey } from '../protocol/request-tracker.ts';
import type { ChainHandler, ChainMessage, HoldBytes } from '../protocol/transport.ts';
import type { EncodedMessage } from './encoded-message.ts';
import { createMessageTimes } from './message-times.ts';
import type { NetworkOptions } from './network-flags.ts';
import { createOutstandingRequests } from './outstanding-requests.ts';
import { isResponseKind, type ResponseKind } from './response-kinds.ts';
import { createRoutedChains } from './routed-chains.ts';
import { createRouterTransport } from './router-transport.ts';
import type { RegisteredStakes } from './stake.ts';
import { createDeadlineTimer, type PeerTiming } from './timing.ts';

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
  const chains = createRoutedChains(options, stakes);
  const { benches } = chains;
  const responseTimes = createMessageTimes();
  const handlingTimes = createMessageTimes();
  const counts = { timeouts: 0, dropped: 0 };
  let isClosed = false;

  const requests = createOutstandingRequests(options, timing, ({ chainId, node, requestId, response }, cause) =>
    chains.get(chainId)?.failed(node, requestId, response as ResponseKind, cause),
  );
  const observe = ({ chainId, node }: RequestKey, isFailure: boolean): void => {
    if (node !== self) benches.observe(chainId, node, isFailure, timing.now());
  };

  const deadline = createDeadlineTimer(timing, {
    next: () => Math.min(requests.nextDeadline(), benches.nextDeadline()),
    expire: (now) => {
      requests.expire(now, (key) => {
        counts.timeouts++;
        // Failures of app requests do not count: a VM may not know the protocol.
        if (key.response !== 'appResponse') observe(key, true);
      });
      benches.expire(now);
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

  const transport = createRouterTransport({
    ...{ self, options, timing, send, requests, benches },
    onRequested: () => deadline.arm(),
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
    benchedOn: benches.benchedOn,
    benchState: benches.state,
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
