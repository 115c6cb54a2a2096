import { concat } from '../../base/bytes/octets.ts';
import { malformed } from './fault.ts';
import { bytes } from './field-types.ts';
import { field, message, repeated } from './message-type.ts';
import { varintSize, WireReader, WireWriter } from './wire.ts';

/**
 * The contents of app messages: gossip of transactions. Requests and gossip begin with the number of their handler, responses do not.
 * AvalancheGo: network/p2p, proto/sdk/sdk.proto.
 */
export const txGossipHandler = 0;

/** The number of items in one message. Messages of AvalancheGo hold about 20 KiB. */
const maxItems = 4096;

/** A push of transactions (AppGossip), and the answer to a pull (AppResponse). */
export const GossipItems = message({ items: repeated(1, bytes(), maxItems) });

/** Asks for transactions that are not in a bloom filter (AppRequest). The salt must have 32 bytes. */
export const PullGossip = message({ salt: field(2, bytes()), filter: field(3, bytes()) });

type AppContent = { readonly handler: number; readonly content: Uint8Array };

/** Splits the bytes of an AppRequest or AppGossip into handler and content. AvalancheGo: network/p2p/router.go, ParseMessage. */
export function splitAppBytes(appBytes: Uint8Array): AppContent {
  const reader = new WireReader(appBytes);
  const handler = reader.u64();
  if (handler > BigInt(Number.MAX_SAFE_INTEGER)) throw malformed('handler');
  return { handler: Number(handler), content: appBytes.subarray(reader.offset) };
}

export function joinAppBytes({ handler, content }: AppContent): Uint8Array {
  const prefix = Buffer.allocUnsafe(varintSize(handler));
  new WireWriter(prefix).varint(handler);
  return concat([prefix, content]);
}

/** Codes of AppError that AvalancheGo's own handlers use; positive codes are free for chains. */
export const appErrorCodes = { unexpected: -1, unregisteredHandler: -2, notValidator: -3, throttled: -4 } as const;
