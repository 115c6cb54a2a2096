import { createHmac } from 'node:crypto';
import type { Address } from '../../base/bytes/address.ts';
import { sha256Hex } from '../../base/bytes/hash.ts';
import { formatUuid } from '../../base/bytes/uuid.ts';
import type { StreamEvent } from '../events/stream-event.ts';
import type { Webhook } from './webhook.ts';

/** A message for a webhook, made of an event of the stream. Times are added when it is sent. */
export type Message = {
  readonly webhookId: string;
  readonly eventType: string;
  readonly messageId: string;
  readonly event: MessageEvent;
  readonly isSentAgain?: true;
};

/** The JSON of an event of the stream. */
export type MessageEvent = { readonly id: string; readonly kind: string; readonly [name: string]: unknown };

/** Bytes of a body. A transaction with more is sent without its summary, balance changes and labels. */
export const maxMessageBytes = 65_536;

/** The header that AvaCloud sends a signature in. */
const signatureHeader = 'x-signature';

export const readEvent = (event: StreamEvent): MessageEvent => JSON.parse(event.json()) as MessageEvent;

/** Creates the message of an event. `addresses`: those of the webhook that a transaction concerns. */
export function createMessage(
  { id: webhookId, filter }: Webhook,
  parsed: MessageEvent,
  addresses: readonly Address[],
  formatAddress: (address: Address) => string,
): Message {
  const { kind } = parsed;
  const messageId = createMessageID(webhookId, parsed.id);
  if (kind !== 'tx') return { webhookId, eventType: kind, messageId, event: parsed };
  // Amounts in the JSON of a transaction may be above 2^53: a receiver that parses it would round them.
  const { tx: _, ...event } = parsed;
  const isForAddresses = filter.keyType === 'addresses';
  const full = { ...event, addresses: isForAddresses ? addresses.map(formatAddress) : undefined } as MessageEvent;
  const eventType = isForAddresses ? 'primary_network_address_activity' : 'asset_activity';
  const message = { webhookId, eventType, messageId, event: full };
  if (Buffer.byteLength(canonicalJson(message)) + timestampBytes <= maxMessageBytes) return message;
  const { summary: _summary, balanceChanges: _changes, labels: _labels, ...short } = event;
  return { ...message, event: { ...short, isShortened: true } as MessageEvent };
}

/** Bytes of `"timestamp":1700000000,`, and some more. */
const timestampBytes = 32;

/** A UUID of an event for a webhook, the same at every attempt and after a restart. Version 8, since it is a hash. */
export const createMessageID = (webhookId: string, eventID: string): string =>
  formatUuid(sha256Hex(Buffer.from(`${webhookId} ${eventID}`)), 8);

/** The body and the headers of one attempt. `timestamp`: Unix seconds; it is signed with the rest, so that an old request cannot be replayed. */
export function signMessage(message: Message, secret: string, timestamp: number) {
  const body = canonicalJson({ ...message, timestamp });
  return { body, headers: { 'content-type': 'application/json', [signatureHeader]: signBody(body, secret) } };
}

/** The message of a body that was sent before, to send it again. */
export function readSentMessage(body: string): Message {
  const { timestamp: _, ...message } = JSON.parse(body) as Message & { readonly timestamp: number };
  return { ...message, isSentAgain: true };
}

/** HMAC-SHA256 of a body, in hex. */
export const signBody = (body: string, secret: string): string => createHmac('sha256', secret).update(body).digest('hex');

/**
 * Writes JSON with the keys of every object in order and without spaces, as RFC 8785 (JSON Canonicalization Scheme) does: a receiver that
 * writes the parsed body in this form again gets the same text, and may check the signature on either.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const pairs = Object.entries(value)
    .filter(([, part]) => part !== undefined)
    // Code units, not a language's order.
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${pairs.map(([key, part]) => `${JSON.stringify(key)}:${canonicalJson(part)}`).join(',')}}`;
}
