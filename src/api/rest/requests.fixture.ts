import type { Gate } from '../access/gate.ts';
import type { Handler, HttpRequest, HttpResponse } from '../http/message.ts';
import { createParamContext } from './addresses.ts';
import type { createApi } from './dispatch.ts';

/** Sends requests to a handler without a socket. */

export type RequestOptions = {
  readonly method?: string;
  readonly body?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
};

export function createTestRequest(target: string, { method = 'GET', body = '', headers = {} }: RequestOptions = {}): HttpRequest {
  const queryStart = target.indexOf('?');
  const [path, query] = queryStart < 0 ? [target, ''] : [target.slice(0, queryStart), target.slice(queryStart + 1)];
  return { method, path, query, header: (name) => headers[name] ?? null, body: async () => Buffer.from(body) };
}

export type ParsedResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly json: Json;
  readonly text: string;
};
// biome-ignore lint/suspicious/noExplicitAny: tests read responses of any shape
type Json = any;

export const createSender =
  (handler: Handler) =>
  async (target: string, sent?: RequestOptions): Promise<ParsedResponse> =>
    parseResponse(await handler(createTestRequest(target, sent)));

function parseResponse({ status, headers, body }: HttpResponse): ParsedResponse {
  const text = Buffer.from(body).toString();
  return { status, headers, json: JSON.parse(text), text };
}

export const allowAllGate: Gate = { admit: async () => ({ admitted: true, headers: {} }), stillAdmits: async () => true };

export type ApiOptions = Parameters<typeof createApi>[0];

/** Options of an API under test, beside its routes. */
export const testApiOptions = {
  gate: allowAllGate,
  context: createParamContext('local'),
  sealKey: Buffer.alloc(32, 7),
  epoch: () => 0,
  now: () => 1_700_000_000,
  caller: () => '127.0.0.1',
  origin: () => 'http://localhost:9650',
  onUnexpectedError: () => {},
} satisfies Omit<ApiOptions, 'routes'>;

const reasonPhrasesOfStatus: Readonly<Record<number, string>> = {
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

/** What is wrong with the shape of an error response; undefined if it has the shape that clients expect. */
export function findErrorProblem({ status, headers, json }: ParsedResponse): string | undefined {
  const { message } = json;
  const isText = typeof message === 'string' && message !== '';
  const isList = Array.isArray(message) && message.length > 0 && message.every((line) => typeof line === 'string' && line !== '');
  if (!isText && !isList) return `message is ${JSON.stringify(message)}`;
  if (reasonPhrasesOfStatus[status] === undefined) return `status is ${status}`;
  if (json.error !== reasonPhrasesOfStatus[status]) return `error is ${JSON.stringify(json.error)}`;
  if (json.statusCode !== status) return `statusCode is ${JSON.stringify(json.statusCode)}`;
  return headers['content-type']?.startsWith('application/json') ? undefined : 'content type is not JSON';
}
