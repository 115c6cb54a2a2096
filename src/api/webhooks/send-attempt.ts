import { messageOf } from '../../base/fault.ts';
import { WebhookError } from './fault.ts';
import { type Message, signMessage } from './message.ts';
import type { SendMessage } from './send-message.ts';
import type { Attempt, Webhook } from './webhook.ts';

/** Signs and sends a message once. Returns what became of it; `error` is undefined if it was delivered. */
export async function sendAttempt({
  message,
  attempt,
  webhook: { url, owner, secret },
  send,
  now,
  milliseconds,
  signal,
}: {
  readonly message: Message;
  /** The first has number 1. */
  readonly attempt: number;
  readonly webhook: Webhook;
  readonly send: SendMessage;
  /** Unix seconds, for the signature. */
  readonly now: () => number;
  /** Unix milliseconds. */
  readonly milliseconds: () => number;
  readonly signal: AbortSignal;
}): Promise<Attempt> {
  const { body, headers } = signMessage(message, secret, now());
  const time = milliseconds();
  const outcome = await send({ url, owner, headers, body, signal }).then(
    (status) => ({ status, error: undefined }),
    (error: unknown) => ({ status: statusOf(error), error: messageOf(error) }),
  );
  const duration = Math.max(0, milliseconds() - time);
  return { messageID: message.messageId, time, duration, attempt, isSentAgain: message.isSentAgain === true, body, ...outcome };
}

const statusOf = (error: unknown): number | undefined =>
  error instanceof WebhookError && error.fault.code === 'WEBHOOK_FAILED' ? error.fault.status : undefined;
