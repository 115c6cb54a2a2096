import type { Gate } from '../access/gate.ts';
import type { Handler, HttpRequest, HttpResponse } from '../http/message.ts';

/** Requests and answers without a socket. */

export type Sent = { readonly method?: string; readonly body?: string | Uint8Array; readonly headers?: Readonly<Record<string, string>> };

export function requestOf(target: string, { method = 'GET', body = '', headers = {} }: Sent = {}): HttpRequest {
  const mark = target.indexOf('?');
  const [path, query] = mark < 0 ? [target, ''] : [target.slice(0, mark), target.slice(mark + 1)];
  return { method, path, query, header: (name) => headers[name] ?? null, body: () => Buffer.from(body) };
}

export type Got = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly json: Json;
  readonly text: string;
};
// biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of any shape
type Json = any;

export const asker =
  (handler: Handler) =>
  async (target: string, sent?: Sent): Promise<Got> =>
    gotFrom(await handler(requestOf(target, sent)));

export function gotFrom({ status, headers, body }: HttpResponse): Got {
  const text = Buffer.from(body).toString();
  return { status, headers, json: JSON.parse(text), text };
}

export const openGate: Gate = { admit: () => ({ admitted: true, headers: {} }) };

const phrases: Readonly<Record<number, string>> = {
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

/** What is wrong with an answer other than 200; undefined if it has the one shape that clients read. */
export function errorFlaw({ status, headers, json }: Got): string | undefined {
  const { message } = json;
  const isText = typeof message === 'string' && message !== '';
  const isList = Array.isArray(message) && message.length > 0 && message.every((line) => typeof line === 'string' && line !== '');
  if (!isText && !isList) return `message is ${JSON.stringify(message)}`;
  if (phrases[status] === undefined) return `status is ${status}`;
  if (json.error !== phrases[status]) return `error is ${JSON.stringify(json.error)}`;
  if (json.statusCode !== status) return `statusCode is ${JSON.stringify(json.statusCode)}`;
  return headers['content-type']?.startsWith('application/json') ? undefined : 'content type is not JSON';
}
