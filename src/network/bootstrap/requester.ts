import type { NodeId } from '../../base/bytes/node-id.ts';
import type { MessageKind, MessageOfKind } from '../messages/message.ts';
import type { ChainLink, ChainMessage, RequestMessage } from '../protocol/transport.ts';

/** The response to each request that bootstrapping sends. */
const responses = {
  getAcceptedFrontier: 'acceptedFrontier',
  getAccepted: 'accepted',
  getAncestors: 'ancestors',
  get: 'put',
  pullQuery: 'chits',
} as const satisfies Partial<Record<RequestMessage['kind'], MessageKind>>;

type Responses = typeof responses;
type Asked<K extends keyof Responses> = Omit<MessageOfKind<K>, 'requestId' | 'deadline' | 'chainId'>;

/** Requests to peers as promises. */
export type Requester = {
  /** Sends a request. Resolves to the response, or to undefined if there is none. Its byte fields are views: whoever keeps them copies them. */
  readonly ask: <K extends keyof Responses>(
    node: NodeId,
    message: { readonly kind: K } & Asked<K>,
  ) => Promise<MessageOfKind<Responses[K]> | undefined>;
  readonly receive: (from: NodeId, message: ChainMessage) => void;
  readonly failed: (from: NodeId, requestId: number, response: MessageKind) => void;
  /** Resolves all open requests to undefined. */
  readonly stop: () => void;
};

export function createRequester({ chainId, transport }: Pick<ChainLink, 'chainId' | 'transport'>, nextRequestId: () => number): Requester {
  const open = new Map<string, (message: ChainMessage | undefined) => void>();
  const keyOf = (node: NodeId, requestId: number, response: MessageKind): string => `${requestId} ${response} ${node}`;
  const end = (key: string, message: ChainMessage | undefined): void => {
    const resolve = open.get(key);
    open.delete(key);
    resolve?.(message);
  };
  return {
    ask: ((node: NodeId, message: { readonly kind: keyof Responses }) =>
      new Promise((resolve: (message: ChainMessage | undefined) => void) => {
        const requestId = nextRequestId();
        open.set(keyOf(node, requestId, responses[message.kind]), resolve);
        transport.request({ ...message, chainId, requestId, deadline: 0n } as RequestMessage, [node]);
      })) as Requester['ask'],
    receive: (from, message) => {
      if (!('requestId' in message)) return;
      const key = keyOf(from, message.requestId, message.kind);
      end(key, message);
    },
    failed: (from, requestId, response) => end(keyOf(from, requestId, response), undefined),
    stop: () => {
      for (const key of [...open.keys()]) end(key, undefined);
    },
  };
}
