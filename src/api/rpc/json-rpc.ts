import { type AnyFault, Fault } from '../../base/fault.ts';
import type { LongWork, Pause } from '../../base/timing/long-work.ts';
import type { Mutex } from '../../base/timing/slots.ts';
import { compactJson } from './compact-json.ts';
import { RpcError } from './fault.ts';
import { findMethod } from './find-method.ts';
import { scanArray, skipSpace } from './json-scan.ts';
import { maxBatch, maxBatchResponse } from './limits.ts';
import type { BoundMethod, RpcResponse, Services } from './method.ts';
import { findParamHint, type ParamHint } from './param-hint.ts';
import { describeRefusal, type RefusedCall } from './refused-call.ts';
import { emptyRequest, type ParsedRequest, readRequest, rpcErrorMessage } from './rpc-request.ts';
import { errorBody, invalidRequestBody, joinBatch, resultResponse, rpcCodeOf, rpcCodes } from './rpc-response.ts';

/** JSON-RPC 2.0 with the rules of gorilla/rpc/v2/json2 and AvalancheGo's utils/json codec, extended by batches. */

export type RpcOptions = {
  readonly differences: {
    /** An array body is a batch; AvalancheGo refuses it as a parse error. */
    readonly batches: boolean;
    /** A body without a content type is read as JSON; AvalancheGo answers 415. */
    readonly missingContentType: boolean;
    /** `avm_getTx` is `avm.getTx`; AvalancheGo refuses it as ill-formed. */
    readonly underscoreNames: boolean;
    /** An error has its code and facts in `data`; in AvalancheGo `data` is null. */
    readonly errorData: boolean;
  };
  /** Receives errors that are not a `Fault`, which are bugs. The caller only gets `internal error`. */
  readonly onUnexpectedError: (error: unknown) => void;
  /** Lets other requests run between the calls of a batch. */
  readonly longWork: LongWork;
  /** Limits the batches that run at the same time, since each may hold `maxBatchResponse` bytes of responses. */
  readonly limitBatches?: Mutex;
  /** Called for every call that a reader process could answer too. */
  readonly onRead?: (() => void) | undefined;
  /** Called for every call that is answered with an error. `describe` builds what a person reads. */
  readonly onRefused?: ((method: string, describe: () => RefusedCall) => void) | undefined;
};

/** From the body of a request to that of the response; the router calls it. Never throws. */
export function handleRpc(services: Services, body: Uint8Array, options: RpcOptions): Promise<RpcResponse> {
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

/** Finds the method of a call, reads its parameters, and runs it. */
async function handleCall(services: Services, text: string, options: RpcOptions): Promise<RpcResponse> {
  const request = readRequest(text);
  if (request.invalidReason !== null) return refuseInvalid(request, request.invalidReason, options);
  if (request.jsonrpc !== '2.0') {
    const body = request.id === null ? '' : invalidRequestBody(rpcCodes.invalidRequest, 'jsonrpc must be 2.0', request);
    return { body, methodRan: false };
  }

  let method: BoundMethod | undefined;
  let methodRan = false;
  let startedAt = 0;
  try {
    const found = findMethod(services, request.method, options.differences);
    if (!found.needsWriter) options.onRead?.();
    if (found.needsWriter && services.forwardToWriter) return await services.forwardToWriter(Buffer.from(text, 'latin1'));
    // From here on this process runs the call: it is measured here, and an error gets a hint about the parameters.
    method = found;
    startedAt = method.meter?.now() ?? 0;
    const params = method.readParams(request.params);
    methodRan = true;
    const response = resultResponse(request.id, await method.run(params));
    method.meter?.record(method.meter.now() - startedAt, false);
    return response;
  } catch (error) {
    method?.meter?.record(method.meter.now() - startedAt, true);
    return errorResponse(request, error, { methodRan, hint: paramHintFor(method, request, options) }, options);
  }
}

/** The response to a body that is not a valid request. */
function refuseInvalid(request: Readonly<ParsedRequest>, reason: string, { onRefused }: RpcOptions): RpcResponse {
  const { method } = request;
  onRefused?.(method, () => describeRefusal(method, new RpcError(reason, { code: 'RPC_BAD_JSON', at: 0 }), undefined));
  return { body: invalidRequestBody(rpcCodes.parseError, reason, request), methodRan: false };
}

const paramHintFor = (method: BoundMethod | undefined, { params }: Readonly<ParsedRequest>, options: RpcOptions): ParamHint | undefined =>
  options.differences.errorData && method !== undefined ? findParamHint(params, method.paramNames) : undefined;

/** The response to a call that failed. Errors that are no faults are bugs: they are reported, and the caller sees no details. */
function errorResponse(
  { id, method }: Readonly<ParsedRequest>,
  error: unknown,
  { methodRan, hint }: { readonly methodRan: boolean; readonly hint: ParamHint | undefined },
  { differences, onUnexpectedError, onRefused }: RpcOptions,
): RpcResponse {
  if (!(error instanceof Fault)) onUnexpectedError(error);
  const shown: AnyFault = error instanceof Fault ? error : new RpcError('internal error', { code: 'RPC_INTERNAL' });
  onRefused?.(method, () => describeRefusal(method, shown, hint));
  const body = id === null ? '' : errorBody({ code: rpcCodeOf(shown), error: shown, id: compactJson(id), hint }, differences.errorData);
  return { body, methodRan, isUnavailable: busyCodes.has(shown.fault.code) || undefined };
}

/**
 * Errors that are answered with status 503 and Retry-After: the writer process does not take calls now (RELAY_BUSY), or too many long queries wait
 * (AVM_BUSY). All other errors have status 200, as in AvalancheGo, also those of a transaction that may be sent again (RECOVERY_BUSY, BLOCK_NOT_STORED).
 */
const busyCodes: ReadonlySet<unknown> = new Set(['RELAY_BUSY', 'AVM_BUSY']);

/**
 * Runs the calls of a batch one after the other, so that each call sees the effects of those before it. Notifications have no response. Once
 * the responses exceed the size limit, the remaining calls are answered with an error and not run.
 */
async function handleBatch(services: Services, text: string, options: RpcOptions): Promise<RpcResponse> {
  const requests: string[] = [];
  try {
    scanArray(text, skipSpace(text, 0), (from, to) => requests.push(text.slice(from, to)) <= maxBatch);
  } catch (error) {
    return { body: invalidRequestBody(rpcCodes.parseError, rpcErrorMessage(error), emptyRequest), methodRan: false };
  }
  const lengthError = batchLengthError(requests.length);
  if (lengthError !== null) {
    const code = rpcCodes.invalidRequest;
    return { body: errorBody({ code, error: lengthError, id: 'null' }, options.differences.errorData), methodRan: false };
  }

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
  const body = errorBody({ code: rpcCodes.serverError, error, id: compactJson(id) }, options.differences.errorData);
  return { body, methodRan: false };
}

function batchLengthError(length: number): RpcError | null {
  if (length === 0) return new RpcError('batch is empty', { code: 'RPC_BATCH_EMPTY' });
  if (length <= maxBatch) return null;
  return new RpcError(`batch has more than ${maxBatch} calls`, { code: 'RPC_BATCH_TOO_LONG', max: maxBatch });
}
