import type { Address } from '../../base/bytes/address.ts';
import type { Id } from '../../base/bytes/id.ts';

/** What a webhook delivers: transactions of its addresses, or of its assets. */
export type WebhookFilter =
  | { readonly keyType: 'addresses'; readonly keys: readonly Address[] }
  | { readonly keyType: 'assets'; readonly keys: readonly Id[] };

/** What its operator has set. */
export type WebhookSettings = {
  readonly url: string;
  readonly secret: string;
  readonly name: string;
  readonly description: string;
  readonly filter: WebhookFilter;
  readonly isActive: boolean;
  /** Why it is not active, if the server made it so. */
  readonly inactiveReason: string | undefined;
};

export type Webhook = WebhookSettings & {
  /** A UUID. */
  readonly id: string;
  /** Order of creation; never used twice. */
  readonly number: number;
  readonly chainID: Id;
  /** ID of the API key that it was created with; undefined: the operator. */
  readonly owner: string | undefined;
  /** Unix seconds. */
  readonly created: number;
  /** Rises with every change of the settings of any webhook; see `WebhookStore`. */
  readonly revision: number;
};

/** How far the deliveries of a webhook are. Times are Unix seconds. */
export type DeliveryState = {
  /** ID of the event up to which everything was delivered. */
  readonly position: string;
  readonly delivered: number;
  readonly deliveredAt: number | undefined;
  /** Failed attempts since the last success. */
  readonly failedAttempts: number;
  readonly failingSince: number | undefined;
  readonly lastError: string | undefined;
  /** The last time that events were lost. */
  readonly gap: Gap | undefined;
};

/** Events that the log did not have any more. */
export type Gap = { readonly after: string; readonly resumedAt: string; readonly reason: string; readonly time: number };

/** One request to the receiver of a webhook. */
export type Attempt = {
  readonly messageID: string;
  /** Unix milliseconds. */
  readonly time: number;
  /** Milliseconds. */
  readonly duration: number;
  /** The first has number 1. */
  readonly attempt: number;
  /** Whether somebody asked for it. */
  readonly isSentAgain: boolean;
  /** HTTP status of the receiver; undefined if it did not answer. */
  readonly status: number | undefined;
  /** Why it failed; undefined if it was delivered. */
  readonly error: string | undefined;
  /** As it was sent. */
  readonly body: string | undefined;
};
