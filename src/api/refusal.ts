import { Fault } from '../fault.ts';

export type RefusalFault = {
  code: 'API_REFUSED';
  status: RefusalStatus;
  /** One sentence for each bad parameter; otherwise undefined. */
  reasons?: readonly string[];
  /** Further properties of the body, beside `message`, `error` and `statusCode`. */
  extra?: Readonly<Record<string, unknown>>;
};

/** Only these: clients know no others. */
export type RefusalStatus = 400 | 401 | 403 | 404 | 413 | 429 | 500 | 502 | 503;

/** What `error` says for each of them. */
export const phrases: Readonly<Record<RefusalStatus, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  413: 'Payload Too Large',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
};

/** An answer other than 200 of the Data and Metrics interfaces. The message is shown to the caller. */
export class Refusal extends Fault<RefusalFault> {}

export const refuse = (status: RefusalStatus, message: string, extra?: Readonly<Record<string, unknown>>): Refusal =>
  new Refusal(message, { code: 'API_REFUSED', status, ...(extra === undefined ? {} : { extra }) });

export const notFound = (message: string): Refusal => refuse(404, message);

/** Bad parameters, all of them at once. */
export const invalid = (reasons: readonly string[]): Refusal =>
  new Refusal(reasons.join('; '), { code: 'API_REFUSED', status: 400, reasons });
