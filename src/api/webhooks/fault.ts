import { Fault } from '../../base/fault.ts';

type WebhookFault =
  | { code: 'WEBHOOK_BAD_URL'; url: string }
  | { code: 'WEBHOOK_PRIVATE_TARGET'; host: string; address: string }
  | { code: 'WEBHOOK_NO_ADDRESS'; host: string }
  | { code: 'WEBHOOK_FAILED'; status: number | undefined };

/** A target that is refused, or an attempt that failed. */
export class WebhookError extends Fault<WebhookFault> {}
