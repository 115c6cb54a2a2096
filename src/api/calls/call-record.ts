import { cleanText } from '../../base/bytes/printable.ts';
import { copyText } from '../../base/cache/copy-text.ts';
import type { CallBodyJson, LoggedCallJson } from '../contract/dev-call-methods.ts';
import type { HttpRequest, HttpResponse } from '../http/message.ts';
import { findHint } from '../rpc/refused-call.ts';
import { hideInQuery, hideInText, hideSecrets, hideValues, type ShownJson } from './hide-secrets.ts';

/** A call and its answer as they were seen, for some milliseconds. */
export type SeenCall = {
  /** Unix milliseconds. */
  readonly time: number;
  /** Milliseconds. */
  readonly duration: number;
  readonly request: Pick<HttpRequest, 'method' | 'path' | 'query'>;
  readonly caller: Pick<LoggedCallJson, 'transport' | 'isFromPage'> & {
    readonly address: string | undefined;
    readonly userAgent: string | undefined;
  };
  readonly requestBody: SeenBody;
  readonly response: Pick<HttpResponse, 'status' | 'headers'>;
  readonly answerBody: SeenBody;
};

/** A body, or why it is not looked at. */
export type SeenBody = { readonly size: number } & ({ readonly bytes: string | Uint8Array } | { readonly reason: string });

/** A call without its secrets, of bounded size. Plain data: a reader process sends it to the writer process. */
export type CallRecord = Omit<LoggedCallJson, 'number'> & { readonly request: CallBodyJson; readonly answer: CallBodyJson };

/** The most characters of the request and of the answer that are kept. A request that is kept whole can be sent again. */
const maxRequest = 8192;
const maxAnswer = 4096;
/** Characters of a path with its query, of a method, of a user agent and of a message; methods of a batch that are listed. */
const maxPath = 500;
const maxName = 60;
const maxAgent = 120;
const maxMessage = 300;
const maxMethods = 5;

/** Methods that read the log itself: they are not in it. */
const ownMethods: ReadonlySet<string> = new Set(['dev.calls', 'dev.callBodies']);

/** Describes a call for the log; undefined if it only read the log. */
export function describeCall({ time, duration, request, caller, requestBody, response, answerBody }: SeenCall): CallRecord | undefined {
  const sent = showBody(requestBody);
  const calls = rpcCalls(sent.json);
  if (calls.length > 0 && calls.every((name) => ownMethods.has(name))) return undefined;
  const got = showBody(answerBody);
  const hide = (text: string): string => hideValues(text, sent.json?.values ?? []);
  const query = hideInQuery(request.query);
  const error = findError(response.status, got.json?.text ?? (isText(response) ? readText(answerBody) : undefined));
  return {
    time,
    duration: Math.round(duration * 1000) / 1000,
    httpMethod: request.method,
    path: bound(hideInText(request.path) + (query === '' ? '' : `?${query}`), maxPath),
    methods: calls.slice(0, maxMethods).map((name) => bound(name, maxName)),
    ...(calls.length > maxMethods && { batchSize: calls.length }),
    transport: caller.transport,
    ...withText('address', caller.address),
    ...withText('userAgent', caller.userAgent && bound(caller.userAgent, maxAgent)),
    isFromPage: caller.isFromPage,
    status: response.status,
    ...(error !== undefined && { error: { ...error, message: bound(hide(hideInText(error.message)), maxMessage) } }),
    requestBytes: requestBody.size,
    answerBytes: answerBody.size,
    request: cutBody(sent, maxRequest),
    answer: cutBody({ ...got, json: got.json && { ...got.json, text: hide(got.json.text) } }, maxAnswer),
  };
}

type ShownBody = { readonly json: ShownJson | undefined; readonly reason: string | undefined };

/** A body that is not JSON may contain anything, so it is not kept. */
function showBody(body: SeenBody): ShownBody {
  if ('reason' in body) return { json: undefined, reason: body.reason };
  if (body.size === 0) return { json: undefined, reason: undefined };
  const json = hideSecrets(readText(body) ?? '');
  return { json, reason: json === undefined ? 'it is not JSON' : undefined };
}

const readText = (body: SeenBody): string | undefined => {
  if (!('bytes' in body)) return undefined;
  const { bytes } = body;
  return typeof bytes === 'string' ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
};

const isText = ({ headers }: Pick<HttpResponse, 'headers'>): boolean => headers['content-type']?.startsWith('text/plain') === true;

/** Cut texts are copied: a piece of a text would hold the whole of it in memory. */
const cutBody = ({ json, reason }: ShownBody, max: number): CallBodyJson => ({
  ...withText('text', json && (json.text.length > max ? copyText(json.text.slice(0, max)) : json.text)),
  isCut: json !== undefined && json.text.length > max,
  hidden: json?.hidden ?? 0,
  ...withText('reason', reason),
});

const withText = <N extends string>(name: N, value: string | undefined): { readonly [K in N]?: string } =>
  (value === undefined ? {} : { [name]: value }) as { readonly [K in N]?: string };

/** Text from outside in one line: unprintable characters and marks that turn the direction of text are replaced. */
const bound = (text: string, max: number): string => copyText(cleanText(text.length > max ? `${text.slice(0, max - 1)}…` : text));

/** The names of the JSON-RPC methods in a body. */
function rpcCalls(json: ShownJson | undefined): string[] {
  if (json === undefined) return [];
  const value: unknown = JSON.parse(json.text);
  return [value].flat().flatMap((one) => {
    const { method } = (one ?? {}) as { readonly method?: unknown };
    return typeof method === 'string' ? [hideInText(method)] : [];
  });
}

type CallError = NonNullable<LoggedCallJson['error']>;

/** The error in an answer: of JSON-RPC (the first one of a batch), of the Data and Metrics APIs, or the text of a refusal. */
function findError(status: number, text: string | undefined): CallError | undefined {
  const value = text === undefined ? undefined : parse(text);
  for (const answer of [value].flat()) {
    const { error } = (answer ?? {}) as { readonly error?: unknown };
    if (typeof error !== 'object' || error === null) continue;
    const { message, data } = error as { readonly message?: unknown; readonly data?: { readonly code?: unknown } | null };
    const remedy = findHint({ ...data });
    const code = typeof data?.code === 'string' ? bound(data.code, maxName) : undefined;
    return {
      ...withText('code', code),
      message: String(message),
      ...withText('remedy', remedy === '' ? undefined : bound(remedy, maxMessage)),
    };
  }
  if (status < 400) return undefined;
  const { message } = (value ?? {}) as { readonly message?: unknown };
  if (message !== undefined) return { message: [message].flat().join('; ') };
  return { message: value === undefined && text !== undefined && text.trim() !== '' ? text.trim() : `status ${status}` };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
