import type { Id } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import type { Timers } from '../../base/timing/timers.ts';
import type { Message, MessageKind } from '../messages/message.ts';

/** A message that belongs to a chain. */
export type ChainMessage = Extract<Message, { readonly chainId: Id }>;

/** A message that the peer answers, with the same request ID. */
export type RequestMessage = Extract<ChainMessage, { readonly deadline: bigint }>;

/** The messages of a node to its peers, as a chain needs them. The sockets of a node implement it, and the simulated network of the tests. */
export type Transport = {
  readonly self: NodeId;
  /** Sends a message that has no response. Returns the peers it was queued for: not those that are unknown or whose queue is full. */
  readonly send: (message: ChainMessage, to: readonly NodeId[]) => readonly NodeId[];
  /**
   * Sends a request to peers. The transport sets its deadline. For each peer exactly one call of the chain's handler follows, never during
   * this call: `receive` with the response, or `failed`. A request to this node itself is answered by its own handler.
   */
  readonly request: (message: RequestMessage, to: readonly NodeId[]) => void;
};

export type RequestFailure = 'timeout' | 'disconnected' | 'benched' | 'refused';

/**
 * Keeps the bytes of a message counted for its peer when it cannot be answered at once. To be called while the message is received; the function
 * that it returns gives them back. A peer with too many such bytes is not read.
 */
export type HoldBytes = () => () => void;

/** What a chain does with the messages of its peers. */
export type ChainHandler = {
  /** A request, gossip, or the response to a request of this chain. Responses that nobody waits for are dropped before. Bytes are views: copy what outlives the call. */
  readonly receive: (from: NodeId, message: ChainMessage, hold?: HoldBytes) => void;
  /** A request that got no response of the kind it waits for. */
  readonly failed: (from: NodeId, requestId: number, response: MessageKind, cause: RequestFailure) => void;
  readonly connected: (node: NodeId) => void;
  readonly disconnected: (node: NodeId) => void;
};

/** What every part of a chain on a network works with. */
export type ChainLink = {
  readonly chainId: Id;
  readonly transport: Transport;
  readonly timers: Timers;
  /** Returns so many random bytes. */
  readonly randomBytes: (length: number) => Uint8Array;
};
