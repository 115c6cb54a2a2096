import { isPreflight } from '../http/cors.ts';
import type { Handler, HttpRequest, HttpResponse } from '../http/message.ts';
import { type CallRecord, describeCall, type SeenBody, type SeenCall } from './call-record.ts';

/** Bytes of a body that is looked at, and of all that wait to be described. */
const maxBody = 262_144;
export const maxWaitingBytes = 1_048_576;
/** Calls that are described together, and the milliseconds between two descriptions. */
export const maxWaitingCalls = 200;
export const describeInterval = 100;

export type CallRecorder = ReturnType<typeof createCallRecorder>;

/**
 * Records the calls of a process while somebody reads the log of calls; until then a call costs one look at a flag. Calls are described a
 * moment later, a bounded number of them, so that a caller does not wait for it: the others are only counted.
 */
export function createCallRecorder({
  now,
  monotonic,
  after,
  keep,
}: {
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Milliseconds of a clock that never goes back. */
  readonly monotonic: () => number;
  readonly after: (milliseconds: number, run: () => void) => () => void;
  /** Takes the calls in the order of their answers. */
  readonly keep: (calls: readonly CallRecord[], skipped: number) => void;
}) {
  let isOn = false;
  let waiting: SeenCall[] = [];
  let [waitingBytes, skipped] = [0, 0];

  const describe = (): void => {
    const [seen, missed] = [waiting, skipped];
    [waiting, waitingBytes, skipped] = [[], 0, 0];
    if (isOn)
      keep(
        seen.flatMap((call) => describeCall(call) ?? []),
        missed,
      );
  };
  const takeBody = (body: string | Uint8Array, reason: string | undefined): SeenBody => {
    const size = body.length;
    if (reason !== undefined && size > 0) return { size, reason };
    if (size > maxBody) return { size, reason: 'it is too large' };
    if (waitingBytes + size > maxWaitingBytes) return { size, reason: 'too much came at once' };
    waitingBytes += size;
    return { size, bytes: body };
  };
  const add = (request: HttpRequest, body: Uint8Array, response: HttpResponse, times: Pick<SeenCall, 'time' | 'duration'>): void => {
    if (waiting.length >= maxWaitingCalls) {
      skipped++;
      return;
    }
    if (waiting.length === 0) after(describeInterval, describe);
    const encoding = response.headers['content-encoding'];
    // What the caller sent is read now: the server may forget the request with its answer.
    waiting.push({
      time: times.time,
      duration: times.duration,
      request: { method: request.method, path: request.path, query: request.query },
      caller: {
        transport: response.webSocket !== undefined ? 'websocket' : request.remoteAddress === undefined ? 'library' : 'http',
        address: request.remoteAddress?.(),
        userAgent: request.header('user-agent') ?? undefined,
        isFromPage: isOfPage(request),
      },
      response: { status: response.status, headers: response.headers },
      requestBody: takeBody(body, undefined),
      answerBody: takeBody(response.body, response.stream !== undefined ? 'it is a stream' : encoding && 'it is compressed'),
    });
  };
  const record = async (handler: Handler, request: HttpRequest): Promise<HttpResponse> => {
    if (isPreflight(request) || isPageRead(request)) return handler(request);
    const [time, start] = [now(), monotonic()];
    let body: Uint8Array = noBytes;
    const response = await handler({
      ...request,
      body: async (max) => {
        body = await request.body(max);
        return body;
      },
    });
    if (isOn && !isPage(response)) add(request, body, response, { time, duration: monotonic() - start });
    return response;
  };

  return {
    /** A handler whose calls are recorded while the log is read. */
    wrap:
      (handler: Handler): Handler =>
      (request) =>
        isOn ? record(handler, request) : handler(request),
    setOn: (value: boolean): void => {
      isOn = value;
    },
  };
}

/** Whether a page of this server, in a browser, has sent a request. */
const isOfPage = ({ header }: Pick<HttpRequest, 'header'>): boolean => header('sec-fetch-site') === 'same-origin';

const noBytes = new Uint8Array(0);

/** Whether a page of this server reads something: pages do so again and again. What their buttons do is sent otherwise than with GET. */
const isPageRead = (request: HttpRequest): boolean => (request.method === 'GET' || request.method === 'HEAD') && isOfPage(request);

/** Whether the answer is a page for people: that is no call. */
const isPage = ({ headers }: HttpResponse): boolean => headers['content-type']?.startsWith('text/html') === true;
