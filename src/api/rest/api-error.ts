import { Fault } from '../../base/fault.ts';

export type ApiErrorFault = {
  code: 'API_REFUSED';
  status: ErrorStatus;
  /** One sentence for each bad parameter; undefined for other errors. */
  reasons?: readonly string[];
  /** Additional properties of the body, next to `message`, `error` and `statusCode`. */
  extra?: Readonly<Record<string, unknown>>;
};

/** The statuses of errors. Clients know no others. */
export type ErrorStatus = 400 | 401 | 403 | 404 | 408 | 413 | 429 | 500 | 502 | 503;

/** The value of `error` in the body, by status. */
export const reasonPhrases: Readonly<Record<ErrorStatus, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  408: 'Request Timeout',
  413: 'Payload Too Large',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
};

/** A response of the Data or Metrics API with another status than 200. The message is shown to the caller. */
export class ApiError extends Fault<ApiErrorFault> {}

export const apiError = (status: ErrorStatus, message: string, extra?: Readonly<Record<string, unknown>>): ApiError =>
  new ApiError(message, { code: 'API_REFUSED', status, extra });

export const notFound = (message: string): ApiError => apiError(404, message);

/** A 400 for bad parameters, with one reason for each. */
export const invalidParams = (reasons: readonly string[]): ApiError =>
  new ApiError(reasons.join('; '), { code: 'API_REFUSED', status: 400, reasons });

/** Quotes a value of a request for an error message, cut to 80 characters. */
export const quoteValue = (text: string): string => JSON.stringify(text.length > maxQuoted ? `${text.slice(0, maxQuoted)}...` : text);

const maxQuoted = 80;

/** The message in the body of an error of the Data and Metrics APIs; undefined if the text is none. */
export function readApiMessage(text: string): string | undefined {
  try {
    const { message } = JSON.parse(text) as { message?: string | string[] };
    return Array.isArray(message) ? message.join('; ') : message;
  } catch {
    return undefined;
  }
}

/** Characters of an answer that is no JSON which are shown. */
export const shownText = (text: string): string => text.trim().slice(0, 200);
