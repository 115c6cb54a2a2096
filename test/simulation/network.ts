import type { NodeId } from '../../src/base/bytes/node-id.ts';
import type { MessageKind } from '../../src/network/messages/message.ts';
import type { ChainHandler, ChainMessage, RequestMessage, Transport } from '../../src/network/protocol/transport.ts';
import type { Random } from '../random.ts';
import type { EventLoop } from './event-loop.ts';

/** Which response ends which request. */
const responseOf: Partial<Record<MessageKind, MessageKind>> = {
  getAcceptedFrontier: 'acceptedFrontier',
  getAccepted: 'accepted',
  getAncestors: 'ancestors',
  get: 'put',
  pullQuery: 'chits',
  pushQuery: 'chits',
  appRequest: 'appResponse',
};
const responses = new Set(Object.values(responseOf));

/** What the network does to messages. Times in milliseconds, shares from 0 to 1. */
type NetworkFaults = { minDelay: number; maxDelay: number; loss: number };

/** A simulated network: delays, losses, partitions, nodes that come and go. Requests without an answer fail after a timeout. */
export type Network = {
  readonly transportOf: (node: NodeId) => Transport;
  readonly start: (node: NodeId, handler: ChainHandler) => void;
  readonly stop: (node: NodeId) => void;
  readonly isRunning: (node: NodeId) => boolean;
  readonly faults: NetworkFaults;
  /** Nodes of different groups do not reach each other. With `isVisible` they see that they are disconnected. */
  readonly partition: (groupOf: (node: NodeId) => number, isVisible: boolean) => void;
  readonly heal: () => void;
};

const timeout = 2000;

export function createNetwork(loop: EventLoop, random: Random): Network {
  const handlers = new Map<NodeId, ChainHandler>();
  const open = new Map<string, () => void>();
  const faults: NetworkFaults = { minDelay: 1, maxDelay: 50, loss: 0 };
  let groupOf = (_: NodeId): number => 0;
  let isVisible = false;

  const canReach = (a: NodeId, b: NodeId): boolean => groupOf(a) === groupOf(b);
  const seesConnected = (a: NodeId, b: NodeId): boolean => handlers.has(a) && handlers.has(b) && (!isVisible || canReach(a, b));
  const keyOf = (owner: NodeId, peer: NodeId, requestId: number, response: MessageKind): string =>
    `${owner} ${peer} ${requestId} ${response}`;
  const delay = (): number => faults.minDelay + random.below(Math.max(1, faults.maxDelay - faults.minDelay));

  /** Delivers a message later, to the handler that runs then. */
  const deliver = (from: NodeId, to: NodeId, message: ChainMessage): void => {
    const isLost = from !== to && random.below(1_000_000) < faults.loss * 1_000_000;
    const [sender, receiver] = [handlers.get(from), handlers.get(to)];
    loop.timers.after(from === to ? 0 : delay(), () => {
      // A connection ends with its process: nothing reaches a node that was restarted meanwhile.
      const isSameConnection = handlers.get(from) === sender && handlers.get(to) === receiver;
      if (isLost || !isSameConnection || !canReach(from, to)) return;
      if (responses.has(message.kind) && 'requestId' in message) {
        const key = keyOf(to, from, message.requestId, message.kind);
        const cancel = open.get(key);
        if (cancel === undefined) return;
        cancel();
        open.delete(key);
      }
      receiver?.receive(from, message);
    });
  };
  const request = (self: NodeId, message: RequestMessage, to: NodeId): void => {
    const response = responseOf[message.kind] as MessageKind;
    const key = keyOf(self, to, message.requestId, response);
    const isConnected = self === to || seesConnected(self, to);
    const handler = handlers.get(self);
    const cancel = loop.timers.after(isConnected ? timeout : 0, () => {
      open.delete(key);
      if (handlers.get(self) === handler) handler?.failed(to, message.requestId, response, isConnected ? 'timeout' : 'disconnected');
    });
    open.set(key, cancel);
    if (isConnected) deliver(self, to, { ...message, deadline: BigInt(timeout) * 1_000_000n });
  };
  /** Changes connections and tells those who see it. */
  const change = (apply: () => void): void => {
    const nodes = [...handlers.keys()];
    const before = new Set(nodes.flatMap((a) => nodes.filter((b) => a !== b && seesConnected(a, b)).map((b) => `${a} ${b}`)));
    apply();
    for (const a of handlers.keys())
      for (const b of new Set([...nodes, ...handlers.keys()])) {
        if (a === b) continue;
        const was = before.has(`${a} ${b}`);
        if (was && !seesConnected(a, b)) handlers.get(a)?.disconnected(b);
        if (!was && seesConnected(a, b)) handlers.get(a)?.connected(b);
      }
  };

  return {
    transportOf: (self) => ({
      self,
      send: (message, to) => {
        const reached = to.filter((node) => node === self || seesConnected(self, node));
        for (const node of reached) deliver(self, node, message);
        return reached;
      },
      request: (message, to) => {
        for (const node of to) request(self, message, node);
      },
    }),
    start: (node, handler) => change(() => handlers.set(node, handler)),
    stop: (node) => change(() => handlers.delete(node)),
    isRunning: (node) => handlers.has(node),
    faults,
    partition: (next, visible) =>
      change(() => {
        groupOf = next;
        isVisible = visible;
      }),
    heal: () =>
      change(() => {
        groupOf = () => 0;
        isVisible = false;
      }),
  };
}
