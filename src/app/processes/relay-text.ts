import type { HttpResponse } from '../../api/http/message.ts';

/** An HTTP request that a reader process sends to the writer process. */
export type RelayedRequest = {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly contentType: string | null;
  readonly body: Uint8Array;
};

export type NumberedRequest = RelayedRequest & { readonly id: number };
export type NumberedResponse = Pick<HttpResponse, 'status' | 'headers' | 'body'> & { readonly id: number };

/*
 * A batch of requests or responses as one text: its kind, then for each a line of JSON and the body. Cloning the same batch as objects took
 * two to three times as long: 7.4 in place of 2.6 µs per request on each side for four requests in a message, 10.8 in place of 6.1 for one
 * (2026-11-16, Bun's messages between processes).
 */
const kinds = { requests: 'requests\n', responses: 'responses\n' } as const;

/** Bodies of bytes are sent as one character per byte; a response whose body is text is sent as it is. */
type RequestHead = readonly [id: number, method: string, path: string, query: string, contentType: string | null];
type ResponseHead = readonly [id: number, status: number, headers: HttpResponse['headers'], isText: boolean];

export function encodeRequests(all: readonly NumberedRequest[]): string {
  let text: string = kinds.requests;
  for (const { id, method, path, query, contentType, body } of all)
    text += encodeOne([id, method, path, query, contentType] satisfies RequestHead, latin1(body));
  return text;
}

export function encodeResponses(all: readonly NumberedResponse[]): string {
  let text: string = kinds.responses;
  for (const { id, status, headers, body } of all)
    text += encodeOne(
      [id, status, headers, typeof body === 'string'] satisfies ResponseHead,
      typeof body === 'string' ? body : latin1(body),
    );
  return text;
}

/** The requests of a message; undefined if it is another message. */
export const decodeRequests = (message: unknown): NumberedRequest[] | undefined =>
  decode(message, kinds.requests, ([id, method, path, query, contentType]: RequestHead, body) => ({
    ...{ id, method, path, query, contentType },
    body: Buffer.from(body, 'latin1'),
  }));

/** The responses of a message; undefined if it is another message. */
export const decodeResponses = (message: unknown): NumberedResponse[] | undefined =>
  decode(message, kinds.responses, ([id, status, headers, isText]: ResponseHead, body) => ({
    ...{ id, status, headers },
    body: isText ? body : Buffer.from(body, 'latin1'),
  }));

const encodeOne = (head: readonly unknown[], body: string): string => `${body.length} ${JSON.stringify(head)}\n${body}`;

function decode<H, T>(message: unknown, kind: string, toItem: (head: H, body: string) => T): T[] | undefined {
  if (typeof message !== 'string' || !message.startsWith(kind)) return undefined;
  const items: T[] = [];
  for (let at = kind.length; at < message.length; ) {
    const headAt = message.indexOf(' ', at) + 1;
    const bodyAt = message.indexOf('\n', headAt) + 1;
    const end = bodyAt + Number(message.slice(at, headAt));
    items.push(toItem(JSON.parse(message.slice(headAt, bodyAt)) as H, message.slice(bodyAt, end)));
    at = end;
  }
  return items;
}

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
