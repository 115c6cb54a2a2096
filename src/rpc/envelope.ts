import { ownText } from '../bytes/own-text.ts';
import { goString } from '../codec/go-string.ts';
import { type AnyFault, Fault } from '../fault.ts';
import type { LongWork } from '../timing/long-work.ts';
import { compact } from './compact-json.ts';
import { EvmError } from './evm-fault.ts';
import { RpcError } from './fault.ts';
import { beginOf, kindOf, nameAt, namesOf, scanArray, scanObject, skipSpace, skipValue, unquote } from './json-scan.ts';
import { maxBatch, maxBatchAnswer, maxParamsLength, maxTextLength } from './limits.ts';
import type { Call, Reply, Services } from './method.ts';
import { findCall } from './method-name.ts';
import { type ParamHint, paramHint } from './param-hint.ts';
import { type Json, quoteBigints, Raw, writeJson } from './write-json.ts';

/** JSON-RPC 2.0 as gorilla/rpc/v2/json2 speaks it under AvalancheGo's utils/json codec, and batches beside it. */

export type Differences = {
  /** An array body is a batch; AvalancheGo refuses it as a parse error. */
  readonly batches: boolean;
  /** A body without a content type is taken for JSON; AvalancheGo answers 415. */
  readonly missingContentType: boolean;
  /** An error carries its fault as `data`; AvalancheGo's is null. */
  readonly errorData: boolean;
};

export type Mode = {
  readonly differences: Differences;
  /** Receives what was thrown and is no fault: a bug of ours, of which the caller only learns that there is one. */
  readonly report: (error: unknown) => void;
  /** Lets others have their turn between the calls of a batch. */
  readonly longWork: LongWork;
};

/** Answers a request body. It never throws, and makes no promise unless a method or a batch does. */
export function answer(services: Services, body: Uint8Array, mode: Mode): Reply | Promise<Reply> {
  const text = latin1Slice.call(body, 0, body.length);
  const isBatch = mode.differences.batches && text.charAt(skipSpace(text, 0)) === '[';
  return isBatch ? answerBatch(services, text, mode) : answerOne(services, text, mode);
}

/** One character per byte, see json-scan.ts. It is what a Buffer's toString('latin1') calls, a third of its cost for a small body. */
const { latin1Slice } = Buffer.prototype as unknown as { latin1Slice(this: Uint8Array, from: number, to: number): string };

function answerOne(services: Services, text: string, mode: Mode): Reply | Promise<Reply> {
  const request = readRequest(text);
  if (request.wrong !== null) return { body: refusal(parseError, request.wrong, request), called: false };
  if (request.jsonrpc !== '2.0')
    return { body: request.id === null ? '' : refusal(invalidRequest, 'jsonrpc must be 2.0', request), called: false };

  const { id } = request;
  let called = false;
  let call: Call | undefined;
  try {
    call = findCall(services, request.method);
    if (call.writer && services.forward)
      return services.forward(Buffer.from(text, 'latin1')).catch((error: unknown) => failed(id, error, false, mode));
    const params = call.read(request.params);
    called = true;
    const result = call.run(params);
    if (!(result instanceof Promise)) return succeeded(id, result);
    return result
      .then((value) => succeeded(id, value))
      .catch((error: unknown) => failed(id, error, true, mode, hintOf(call, request, mode)));
  } catch (error) {
    return failed(id, error, called, mode, hintOf(call, request, mode));
  }
}

const hintOf = (call: Call | undefined, { params }: Readonly<Request>, mode: Mode): ParamHint | undefined =>
  mode.differences.errorData && call !== undefined ? paramHint(params, call.params) : undefined;

/**
 * One after the other, so that a call sees what the calls before it did. Notifications leave no trace in the answer. Once the answers are
 * larger than allowed, further calls are refused without being run.
 */
async function answerBatch(services: Services, text: string, mode: Mode): Promise<Reply> {
  const requests: string[] = [];
  try {
    scanArray(text, skipSpace(text, 0), (from, to) => requests.push(text.slice(from, to)) <= maxBatch);
  } catch (error) {
    return { body: refusal(parseError, textOf(error), blank), called: false };
  }
  const wrong = wrongLength(requests.length);
  if (wrong !== null) return { body: errorBody(invalidRequest, wrong, 'null', mode), called: false };

  let called = false;
  const answers: (string | Uint8Array)[] = [];
  const pause = mode.longWork.begin();
  let size = 0;
  for (const request of requests) {
    await pause();
    const reply = size > maxBatchAnswer ? refuseOne(request, mode) : await answerOne(services, request, mode);
    const { body } = reply;
    if (body.length > 0) answers.push(typeof body === 'string' ? body.slice(0, -1) : body.subarray(0, -1));
    size += body.length;
    called ||= reply.called;
  }
  return { body: answers.length === 0 ? '' : joined(answers), called };
}

/** The answer to a call of a batch whose answers are too large already. */
function refuseOne(text: string, mode: Mode): Reply {
  const { id } = readRequest(text);
  if (id === null) return { body: '', called: false };
  const error = new RpcError(`the answers of the batch are larger than ${maxBatchAnswer} bytes; this call was not run`, {
    code: 'RPC_BATCH_ANSWER_TOO_LARGE',
    max: maxBatchAnswer,
  });
  return { body: errorBody(serverError, error, compact(id), mode), called: false };
}

/** A request as far as it could be read: null is "not there", `params` and `id` are JSON text, `wrong` says why it is refused. */
type Request = { jsonrpc: string; method: string; params: string | null; id: string | null; wrong: string | null };

const blank: Readonly<Request> = { jsonrpc: '', method: '', params: null, id: null, wrong: null };

/** Only the first value of a body counts. Bad syntax leaves nothing of it, a field of a wrong type only that field. */
function readRequest(text: string): Readonly<Request> {
  const request: Request = { jsonrpc: '', method: '', params: null, id: null, wrong: null };
  try {
    const at = beginOf(text);
    const kind = kindOf(text, at);
    if (kind === 'object')
      scanObject(text, at, (key, keyEnd, from, to) => readMember(request, members[nameAt(memberNames, text, key, keyEnd)], text, from, to));
    else {
      skipValue(text, at);
      if (kind !== 'null') request.wrong = `json: cannot unmarshal ${kind} into Go value of type json2.serverRequest`;
    }
    return request;
  } catch (error) {
    return { ...blank, wrong: textOf(error) };
  }
}

const members = ['jsonrpc', 'id', 'method', 'params'] as const;
const memberNames = namesOf(members);

function readMember(request: Request, name: (typeof members)[number] | undefined, text: string, from: number, to: number): void {
  const kind = kindOf(text, from);
  const max = name === 'params' ? maxParamsLength : maxTextLength;
  if (name !== undefined && to - from > max)
    throw new RpcError(`${name} is longer than ${max} bytes`, { code: 'RPC_TEXT_TOO_LONG', member: name, max });
  if (name === 'id' || name === 'params') request[name] = kind === 'null' ? null : text.slice(from, to);
  else if (name === undefined || kind === 'null') return;
  else if (kind === 'string') request[name] = unquote(text, from, to);
  else request.wrong ??= `json: cannot unmarshal ${kind} into Go struct field serverRequest.${name} of type string`;
}

const parseError = -32700;
const invalidRequest = -32600;
const serverError = -32000;

function succeeded(id: string | null, result: Json): Reply {
  if (id === null) return { body: '', called: true };
  const echo = compact(id);
  const bytes = result instanceof Raw && typeof result.json !== 'string' ? result.json : undefined;
  if (bytes === undefined) return { body: octets(`{"jsonrpc":"2.0","result":${writeJson(result)},"id":`, echo), called: true };
  return { body: wholeAnswer(bytes, echo), called: true };
}

/** A long answer is asked for again and again, mostly under the same id: copying it would cost more than finding it. */
function wholeAnswer(result: Uint8Array, echo: string): Uint8Array {
  const before = lastWhole.get(result);
  if (before?.echo === echo) return before.body;
  const body = Buffer.concat([resultHead, result, Buffer.from(`,"id":${echo}}\n`, 'latin1')]);
  if (echo.length <= longestEcho) lastWhole.set(result, { echo: ownText(echo), body });
  return body;
}

const lastWhole = new WeakMap<Uint8Array, { readonly echo: string; readonly body: Uint8Array }>();
/** Characters of an id whose answer is kept: an id is a piece of the request and may be as long. */
const longestEcho = 64;
const resultHead = Buffer.from('{"jsonrpc":"2.0","result":');

function failed(id: string | null, error: unknown, called: boolean, mode: Mode, hint?: ParamHint): Reply {
  const isFault = error instanceof Fault;
  if (!isFault) mode.report(error);
  const shown = isFault ? error : new RpcError('internal error', { code: 'RPC_INTERNAL' });
  const reply = { body: id === null ? '' : errorBody(rpcCodeOf(shown), shown, compact(id), mode, hint), called };
  return shown.fault.code === 'RELAY_BUSY' ? { ...reply, isUnavailable: true } : reply;
}

/** The EVM's methods have their own codes and leave `data` out; see evm.ts. */
const noData = (error: AnyFault): string => (error instanceof EvmError ? '' : ',"data":null');
const rpcCodeOf = (error: AnyFault): number => (error instanceof EvmError ? error.rpcCode : serverError);

function errorBody(code: number, error: AnyFault, id: string, mode: Mode, hint?: ParamHint): string | Uint8Array {
  const data = mode.differences.errorData ? `,"data":${writeJson(quoteBigints({ ...error.fault, ...hint } as Json))}` : noData(error);
  return octets(`{"jsonrpc":"2.0","error":{"code":${code},"message":${goString(error.message)}${data}},"id":`, id);
}

/** What could not be taken as a request goes back with the request as it was understood. */
function refusal(code: number, message: string, request: Readonly<Request>): string | Uint8Array {
  const id = request.id === null ? 'null' : compact(request.id);
  const params = request.params === null ? 'null' : compact(request.params);
  const { jsonrpc, method } = request;
  return octets(
    `{"jsonrpc":"2.0","error":{"code":${code},"message":${goString(message)},"data":{"jsonrpc":${goString(jsonrpc)},"method":${goString(method)},`,
    `"params":${params},"id":${id}}},"id":${id}`,
  );
}

/** What is echoed is repeated byte by byte, be it UTF-8 or not; so it makes bytes of the answer if it is not plain ASCII. */
function octets(head: string, echo: string): string | Uint8Array {
  if (!high.test(echo)) return `${head}${echo}}\n`;
  return Buffer.concat([Buffer.from(head), Buffer.from(`${echo}}\n`, 'latin1')]);
}

const high = /[\x80-\xff]/;

function joined(answers: readonly (string | Uint8Array)[]): string | Uint8Array {
  if (answers.every((part) => typeof part === 'string')) return `[${answers.join(',')}]\n`;
  const parts = answers.flatMap((part, at) => [Buffer.from(at === 0 ? '[' : ','), typeof part === 'string' ? Buffer.from(part) : part]);
  return Buffer.concat([...parts, Buffer.from(']\n')]);
}

function wrongLength(length: number): RpcError | null {
  if (length === 0) return new RpcError('batch is empty', { code: 'RPC_BATCH_EMPTY' });
  if (length <= maxBatch) return null;
  return new RpcError(`batch has more than ${maxBatch} calls`, { code: 'RPC_BATCH_TOO_LONG', max: maxBatch });
}

function textOf(error: unknown): string {
  if (!(error instanceof RpcError)) throw error;
  return error.message;
}
