import { Fault } from '../fault.ts';

export type RefusalFault = {
  code: 'API_REFUSED';
  status: RefusalStatus;
  /** One sentence for each bad parameter; otherwise undefined. */
  reasons?: readonly string[];
};

export type RefusalStatus = 400 | 401 | 403 | 404 | 405 | 413 | 429 | 500 | 502 | 503;

/** An answer other than 200 of the Data and Metrics interfaces. The message is shown to the caller. */
export class Refusal extends Fault<RefusalFault> {}

export const refuse = (status: RefusalStatus, message: string): Refusal => new Refusal(message, { code: 'API_REFUSED', status });

export const notFound = (message: string): Refusal => refuse(404, message);

/** Bad parameters, all of them at once. */
export const invalid = (reasons: readonly string[]): Refusal =>
  new Refusal(reasons.join('; '), { code: 'API_REFUSED', status: 400, reasons });
