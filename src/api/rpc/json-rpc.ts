import { copyText } from '../../base/cache/copy-text.ts';
import { goString } from '../../base/codec/go-string.ts';
import { type AnyFault, Fault } from '../../base/fault.ts';
import type { LongWork, Pause } from '../../base/timing/long-work.ts';
import type { Mutex } from '../../base/timing/mutex.ts';
import { compactJson } from './compact-json.ts';
import { EvmError, RpcError } from './fault.ts';
import { findMethod } from './find-method.ts';
import {
  createMemberNames,
  findFirstValue,
  findMemberName,
  jsonKindAt,
  parseString,
  scanArray,
  scanObject,
  skipSpace,
  skipValue,
} from './json-scan.ts';
import { maxBatch, maxBatchResponse, maxParamsLength, maxTextLength } from './limits.ts';
import type { BoundMethod, RpcResponse, Services } from './method.ts';
import { findParamHint, type ParamHint } from './param-hint.ts';
import { describeRefusal, type RefusedCall } from './refused-call.ts';
import { type Json, quoteBigints, RawJson, writeJson } from './write-json.ts';

/** JSON-RPC 2.0 with the rules of gorilla/rpc/v2/json2 and AvalancheGo's utils/json codec, extended by batches. */

type RpcDifferences = {
  /** An array body is a batch; AvalancheGo refuses it as a parse error. */
  readonly batches: boolean;
  /** A body without a content type is read as JSON; AvalancheGo answers 415. */
  readonly missingContentType: boolean;
  /** An error has its code and facts in `data`; in AvalancheGo `data` is null. */
  readonly errorData: boolean;
};

export type RpcOptions = {
  readonly differences: RpcDifferences;
  /** Receives errors that are not a `Fault`, which are bugs. The caller only gets `internal error`. */
  readonly onUnexpectedError: (error: unknown) => void;
  /** Lets other requests run between the calls of a batch. */
  readonly longWork: LongWork;
  /** Limits the batches that run at the same time, since each may hold `maxBatchResponse` bytes of responses. */
  readonly limitBatches?: Mutex;
  /** Called for every call that is answered with an error. `describe` builds what a person reads. */
  readonly onRefused?: ((method: string, describe: () => RefusedCall) => void) | undefined;
};

/** Handles a request body. Never throws. Returns a promise only for a batch or an asynchronous method. */
export function handleRpc(services: Services, body: Uint8Array, options: RpcOptions): RpcResponse | Promise<RpcResponse> {
  const text = latin1Slice.call(body, 0, body.length);
  const isBatch = options.differences.batches && text.charAt(skipSpace(text, 0)) === '[';
  return isBatch ? handleBatch(services, text, options) : handleCall(services, text, options);
}

/** The number of calls in a request body, at most `maxBatch` + 1; 1 if it is not a batch. Never throws. */
export function countCalls(body: Uint8Array, { differences }: Pick<RpcOptions, 'differences'>): number {
  const text = latin1Slice.call(body, 0, body.length);
  if (!differences.batches || text.charAt(skipSpace(text, 0)) !== '[') return 1;
  let calls = 0;
  try {
    scanArray(text, skipSpace(text, 0), () => ++calls <= maxBatch);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
  }
  return Math.max(1, calls);
}

/** Decodes one character per byte; see json-scan.ts. Buffer's toString('latin1') calls it too, but takes three times as long for a small body. */
const { latin1Slice } = Buffer.prototype as unknown as { latin1Slice(this: Uint8Array, from: number, to: number): string };

function handleCall(services: Services, text: string, options: RpcOptions): RpcResponse | Promise<RpcResponse> {
  const request = readRequest(text);
  if (request.invalidReason !== null) {
    reportInvalid(request, request.invalidReason, options);
    return { body: invalidRequestBody(parseError, request.invalidReason, request), methodRan: false };
  }
  if (request.jsonrpc !== '2.0')
    return { body: request.id === null ? '' : invalidRequestBody(invalidRequest, 'jsonrpc must be 2.0', request), methodRan: false };

  const { id } = request;
  let methodRan = false;
  let method: BoundMethod | undefined;
  let start = 0;
  const succeeded = (result: Json): RpcResponse => {
    const response = resultResponse(id, result);
    method?.meter?.record(method.meter.now() - start, false);
    return response;
  };
  const failed = (error: unknown): RpcResponse => {
    method?.meter?.record(method.meter.now() - start, true);
    return errorResponse(request, error, methodRan, options, paramHintFor(method, request, options));
  };
  try {
    method = findMethod(services, request.method);
    if (method.needsWriter && services.forwardToWriter)
      return services.forwardToWriter(Buffer.from(text, 'latin1')).catch((error: unknown) => errorResponse(request, error, false, options));
    start = method.meter?.now() ?? 0;
    const params = method.readParams(request.params);
    methodRan = true;
    const result = method.run(params);
    return result instanceof Promise ? result.then(succeeded).catch(failed) : succeeded(result);
  } catch (error) {
    return failed(error);
  }
}

const paramHintFor = (method: BoundMethod | undefined, { params }: Readonly<ParsedRequest>, options: RpcOptions): ParamHint | undefined =>
  options.differences.errorData && method !== undefined ? findParamHint(params, method.paramNames) : undefined;

/**
 * Runs the calls of a batch one after the other, so that each call sees the effects of those before it. Notifications have no response. Once
 * the responses exceed the size limit, the remaining calls are answered with an error and not run.
 */
async function handleBatch(services: Services, text: string, options: RpcOptions): Promise<RpcResponse> {
  const requests: string[] = [];
  try {
    scanArray(text, skipSpace(text, 0), (from, to) => requests.push(text.slice(from, to)) <= maxBatch);
  } catch (error) {
    return { body: invalidRequestBody(parseError, rpcErrorMessage(error), emptyRequest), methodRan: false };
  }
  const lengthError = batchLengthError(requests.length);
  if (lengthError !== null) return { body: errorBody(invalidRequest, lengthError, 'null', options), methodRan: false };

  // The time slice begins before the wait, so that a batch whose turn has come does not start another one in the same turn.
  const pause = options.longWork.begin();
  const run = () => runBatch(services, requests, options, pause);
  return options.limitBatches === undefined ? run() : options.limitBatches(run);
}

async function runBatch(services: Services, requests: readonly string[], options: RpcOptions, pause: Pause): Promise<RpcResponse> {
  let methodRan = false;
  const responses: (string | Uint8Array)[] = [];
  let size = 0;
  for (const request of requests) {
    await pause();
    const response = size > maxBatchResponse ? skipCall(request, options) : await handleCall(services, request, options);
    const { body } = response;
    if (body.length > 0) responses.push(typeof body === 'string' ? body.slice(0, -1) : body.subarray(0, -1));
    size += body.length;
    methodRan ||= response.methodRan;
  }
  return { body: responses.length === 0 ? '' : joinBatch(responses), methodRan };
}

/** The response to a call that is not run because the responses before it exceed the size limit. */
function skipCall(text: string, options: RpcOptions): RpcResponse {
  const { id } = readRequest(text);
  if (id === null) return { body: '', methodRan: false };
  const error = new RpcError(`the responses of the batch are larger than ${maxBatchResponse} bytes; this call was not run`, {
    code: 'RPC_BATCH_ANSWER_TOO_LARGE',
    max: maxBatchResponse,
  });
  return { body: errorBody(serverError, error, compactJson(id), options), methodRan: false };
}

/** A request as far as it could be read. null: absent. `params` and `id` are JSON text. `invalidReason`: why the request is rejected. */
type ParsedRequest = { jsonrpc: string; method: string; params: string | null; id: string | null; invalidReason: string | null };

const emptyRequest: Readonly<ParsedRequest> = { jsonrpc: '', method: '', params: null, id: null, invalidReason: null };

/** Reads the first JSON value of a body. After a syntax error all members are empty; a member of a wrong type is skipped. */
function readRequest(text: string): Readonly<ParsedRequest> {
  const request: ParsedRequest = { jsonrpc: '', method: '', params: null, id: null, invalidReason: null };
  try {
    const at = findFirstValue(text);
    const kind = jsonKindAt(text, at);
    if (kind === 'object')
      scanObject(text, at, (key, keyEnd, from, to) =>
        readMember(request, members[findMemberName(memberNames, text, key, keyEnd)], text, from, to),
      );
    else {
      skipValue(text, at);
      if (kind !== 'null') request.invalidReason = `json: cannot unmarshal ${kind} into Go value of type json2.serverRequest`;
    }
    return request;
  } catch (error) {
    return { ...emptyRequest, invalidReason: rpcErrorMessage(error) };
  }
}

const members = ['jsonrpc', 'id', 'method', 'params'] as const;
const memberNames = createMemberNames(members);

function readMember(request: ParsedRequest, name: (typeof members)[number] | undefined, text: string, from: number, to: number): void {
  const kind = jsonKindAt(text, from);
  const max = name === 'params' ? maxParamsLength : maxTextLength;
  if (name !== undefined && to - from > max)
    throw new RpcError(`${name} is longer than ${max} bytes`, { code: 'RPC_TEXT_TOO_LONG', member: name, max });
  if (name === 'id' || name === 'params') request[name] = kind === 'null' ? null : text.slice(from, to);
  else if (name === undefined || kind === 'null') return;
  else if (kind === 'string') request[name] = parseString(text, from, to);
  else request.invalidReason ??= `json: cannot unmarshal ${kind} into Go struct field serverRequest.${name} of type string`;
}

const parseError = -32700;
const invalidRequest = -32600;
const serverError = -32000;

function resultResponse(id: string | null, result: Json): RpcResponse {
  if (id === null) return { body: '', methodRan: true };
  const echo = compactJson(id);
  const bytes = result instanceof RawJson && typeof result.json !== 'string' ? result.json : undefined;
  if (bytes === undefined) return { body: joinEcho(`{"jsonrpc":"2.0","result":${writeJson(result)},"id":`, echo), methodRan: true };
  return { body: withEnvelope(bytes, echo), methodRan: true };
}

/** Adds the envelope to a long result. Clients poll it, mostly with the same id, so the last body is cached: copying would cost more than a lookup. */
function withEnvelope(result: Uint8Array, echo: string): Uint8Array {
  const cached = lastBodies.get(result);
  if (cached?.echo === echo) return cached.body;
  const body = Buffer.concat([resultPrefix, result, Buffer.from(`,"id":${echo}}\n`, 'latin1')]);
  if (echo.length <= maxCachedIdLength) lastBodies.set(result, { echo: copyText(echo), body });
  return body;
}

const lastBodies = new WeakMap<Uint8Array, { readonly echo: string; readonly body: Uint8Array }>();
/** Responses with a longer id are not cached: an id can be as long as the request allows. */
const maxCachedIdLength = 64;
const resultPrefix = Buffer.from('{"jsonrpc":"2.0","result":');

function errorResponse(
  { id, method }: Readonly<ParsedRequest>,
  error: unknown,
  methodRan: boolean,
  options: RpcOptions,
  hint?: ParamHint,
): RpcResponse {
  const isFault = error instanceof Fault;
  if (!isFault) options.onUnexpectedError(error);
  const reported = isFault ? error : new RpcError('internal error', { code: 'RPC_INTERNAL' });
  options.onRefused?.(method, () => describeRefusal(method, reported, hint));
  const response = { body: id === null ? '' : errorBody(rpcCodeOf(reported), reported, compactJson(id), options, hint), methodRan };
  return busyCodes.has(reported.fault.code) ? { ...response, isUnavailable: true } : response;
}

/** Errors of a node that cannot take a call now, but later. */
const busyCodes: ReadonlySet<unknown> = new Set(['RELAY_BUSY', 'AVM_BUSY']);

/** Reports a body that is not a valid request. */
function reportInvalid({ method }: Readonly<ParsedRequest>, reason: string, { onRefused }: RpcOptions): void {
  onRefused?.(method, () => describeRefusal(method, new RpcError(reason, { code: 'RPC_BAD_JSON', at: 0 }), undefined));
}

/** Without `errorData`, EVM methods omit `data`; all others have null. EVM methods also have error codes of their own; see evm.ts. */
const omittedData = (error: AnyFault): string => (error instanceof EvmError ? '' : ',"data":null');
const rpcCodeOf = (error: AnyFault): number => (error instanceof EvmError ? error.rpcCode : serverError);

function errorBody(code: number, error: AnyFault, id: string, options: RpcOptions, hint?: ParamHint): string | Uint8Array {
  const data = options.differences.errorData
    ? `,"data":${writeJson(quoteBigints({ ...error.fault, ...hint } as Json))}`
    : omittedData(error);
  return joinEcho(`{"jsonrpc":"2.0","error":{"code":${code},"message":${goString(error.message)}${data}},"id":`, id);
}

/** The error for an invalid request. Its `data` repeats the request as far as it could be read. */
function invalidRequestBody(code: number, message: string, request: Readonly<ParsedRequest>): string | Uint8Array {
  const id = request.id === null ? 'null' : compactJson(request.id);
  const params = request.params === null ? 'null' : compactJson(request.params);
  const { jsonrpc, method } = request;
  return joinEcho(
    `{"jsonrpc":"2.0","error":{"code":${code},"message":${goString(message)},"data":{"jsonrpc":${goString(jsonrpc)},"method":${goString(method)},`,
    `"params":${params},"id":${id}}},"id":${id}`,
  );
}

/** Appends echoed text, whose bytes must not change even if they are not valid UTF-8: if it is not ASCII, the result is bytes. */
function joinEcho(head: string, echo: string): string | Uint8Array {
  if (!nonAscii.test(echo)) return `${head}${echo}}\n`;
  return Buffer.concat([Buffer.from(head), Buffer.from(`${echo}}\n`, 'latin1')]);
}

const nonAscii = /[\x80-\xff]/;

function joinBatch(responses: readonly (string | Uint8Array)[]): string | Uint8Array {
  if (responses.every((part) => typeof part === 'string')) return `[${responses.join(',')}]\n`;
  const parts = responses.flatMap((part, at) => [Buffer.from(at === 0 ? '[' : ','), typeof part === 'string' ? Buffer.from(part) : part]);
  return Buffer.concat([...parts, Buffer.from(']\n')]);
}

function batchLengthError(length: number): RpcError | null {
  if (length === 0) return new RpcError('batch is empty', { code: 'RPC_BATCH_EMPTY' });
  if (length <= maxBatch) return null;
  return new RpcError(`batch has more than ${maxBatch} calls`, { code: 'RPC_BATCH_TOO_LONG', max: maxBatch });
}

function rpcErrorMessage(error: unknown): string {
  if (!(error instanceof RpcError)) throw error;
  return error.message;
}
