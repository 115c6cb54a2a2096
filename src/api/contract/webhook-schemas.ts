import { eventSchemas } from './events.ts';
import { anyOf, flag, inBody, integer, list, listUpTo, object, oneOf, optional, record, text, textParam } from './schema.ts';

/** Webhooks as AvaCloud's users know them: the names of their fields, with what the X-Chain has. */

/** Limits of what a webhook consists of. */
export const webhookLimits = {
  hooks: 256,
  /** Of all API keys together: the rest is for the operator. */
  hooksOfKeys: 192,
  hooksOfKey: 32,
  keys: 1000,
  url: 2048,
  name: 100,
  description: 500,
  /** Attempts that are kept of a webhook, and the bytes of their bodies: the last bodies are kept whole. */
  attempts: 50,
  attemptBytes: 131_072,
  minSecret: 16,
  maxSecret: 128,
} as const;

/** `primary_network_address_activity` is AvaCloud's name for events of addresses on the P- and X-Chain; it has none for those of an asset. */
const webhookEventTypes = ['primary_network_address_activity', 'asset_activity'] as const;
const webhookKeyTypes = ['addresses', 'assets'] as const;
export const webhookStatuses = ['active', 'inactive'] as const;

const eventType = oneOf(webhookEventTypes, 'What is delivered: transactions of addresses, or of assets.');
const keyType = oneOf(webhookKeyTypes, 'What the keys are: addresses for primary_network_address_activity, assets for asset_activity.');

/** `balance_change` is the only one: an X-Chain has no thresholds and no rewards. */
const subEvents = record({
  addressActivitySubEvents: listUpTo(3, {
    ...oneOf(['balance_change'], 'A transaction that spends or creates outputs.'),
    unavailable: { balance_threshold: 'this server has no thresholds', reward_distribution: 'the X-Chain has no rewards' },
  }),
});

const webhookUrl = textParam({
  max: webhookLimits.url,
  description: 'Where the requests are sent: http or https, without a user name.',
  example: 'https://example.org/serac',
});
const name = textParam({ max: webhookLimits.name, description: 'A label.' });
const description = textParam({ max: webhookLimits.description });

/** What a new webhook is made of. */
export const newWebhookParams = {
  url: inBody(webhookUrl),
  eventType: inBody(eventType),
  metadata: inBody(
    object('WebhookFilter', {
      keyType,
      keys: listUpTo(webhookLimits.keys, textParam({ max: 100, description: 'An address, or the ID of an asset (or AVAX).' })),
      subEvents: optional(subEvents),
    }),
  ),
  chainId: optional(inBody(textParam({ description: 'The chain: x-chain, an alias or a blockchain ID; the X-Chain if it is left out.' }))),
  network: optional(inBody(textParam({ description: 'The network of this server, if it is given.' }))),
  name: optional(inBody(name)),
  description: optional(inBody(description)),
  secret: optional(
    inBody(
      textParam({
        max: webhookLimits.maxSecret,
        description: `The key of the signatures, ${webhookLimits.minSecret} to ${webhookLimits.maxSecret} visible ASCII characters; a random one if it is left out.`,
      }),
    ),
  ),
};

/** What may be changed later. */
export const webhookChangeParams = {
  url: optional(inBody(webhookUrl)),
  name: optional(inBody(name)),
  description: optional(inBody(description)),
  status: optional(
    inBody(oneOf(webhookStatuses, 'active: deliveries go on where they stopped. inactive: they stop, and the place is kept.')),
  ),
};

export const bodyKeys = inBody(listUpTo(webhookLimits.keys, textParam({ max: 100 })));

/** Events that the log did not have any more when they were to be delivered. */
const GapSchema = object('WebhookGap', {
  after: text('ID of the last event that was handled before the gap.'),
  resumedAt: text('ID of the event after which deliveries went on.'),
  reason: text(),
  time: integer('Unix seconds.'),
});

const DeliveryStateSchema = object('WebhookDeliveryState', {
  position: text('ID of the event up to which everything was delivered, as in the event stream.'),
  delivered: integer('Requests that were answered with a status from 200 to 299, since the webhook was created.'),
  deliveredAt: optional(integer('Unix seconds of the last of them.')),
  failedAttempts: integer('Attempts that failed since then.'),
  failingSince: optional(integer('Unix seconds of the first of these attempts.')),
  lastError: optional(text('Why the last of them failed.')),
  inactiveReason: optional(text('Why the webhook is inactive, if this server made it so.')),
  gap: optional({ ...GapSchema, description: 'The last gap. It was also delivered, as a message of type reset.' }),
});

export const WebhookSchema = object('Webhook', {
  id: text(),
  url: text(),
  chainId: text('Blockchain ID.'),
  status: oneOf(webhookStatuses),
  createdAt: integer('Unix seconds.'),
  apiKeyId: optional(text('The API key that it was created with, as `serac keys list` shows it; absent: the operator.')),
  name: text(),
  description: text(),
  eventType: oneOf(webhookEventTypes),
  metadata: object('WebhookMetadata', { keyType: oneOf(webhookKeyTypes), keys: list(text()), subEvents: optional(subEvents) }),
  delivery: DeliveryStateSchema,
});

export const CreatedWebhookSchema = object('CreatedWebhook', {
  ...WebhookSchema.properties,
  secret: text('The key of the signatures. It is shown here only.'),
});

/** One request to the receiver of a webhook. */
export const WebhookAttemptSchema = object('WebhookAttempt', {
  number: integer('Order of the attempts of this webhook.'),
  messageId: text('The same in every attempt to deliver this message.'),
  time: integer('Unix milliseconds.'),
  duration: integer('Milliseconds until the receiver answered.'),
  attempt: integer('The first has number 1. Attempts that failed for the same reason are shown as the last of them.'),
  isSentAgain: flag('true: somebody asked for it.'),
  status: optional(integer('HTTP status of the receiver; absent if it did not answer.')),
  error: optional(text('Why it failed; absent if it was delivered.')),
  body: optional(text('The body, without its signature; absent if later bodies needed the room.')),
});

const { tx: _, summary, balanceChanges, ...txProperties } = eventSchemas.tx.properties;

/** A transaction as in the event stream, without its JSON: amounts there may be above 2^53, which a receiver that parses it would round. */
const WebhookTxSchema = object('WebhookTx', {
  ...txProperties,
  addresses: optional(list(text(), 'Those addresses of the webhook that the transaction concerns; absent if the webhook is for assets.')),
  summary: optional(summary),
  balanceChanges: optional(balanceChanges),
  isShortened: optional(flag('true: addresses, summary, balanceChanges and labels are left out, because the body would be too large.')),
});

/** The body of a delivery. Its JSON is canonical (RFC 8785): keys in order, no spaces. */
export const WebhookMessageSchema = object('WebhookMessage', {
  webhookId: text(),
  eventType: oneOf([...webhookEventTypes, 'reverted', 'reset'], 'reverted: a developer has reverted the chain. reset: events were lost.'),
  messageId: text('The same in every attempt to deliver this message: a receiver drops one that it has.'),
  isSentAgain: optional(flag('true: somebody asked for this attempt; the message was sent before.')),
  timestamp: integer('Unix seconds of this attempt: a receiver refuses one that is old.'),
  event: anyOf([WebhookTxSchema, eventSchemas.reverted, eventSchemas.reset]),
});
