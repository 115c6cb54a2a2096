import { copyText } from '../../base/cache/copy-text.ts';
import { goString } from '../../base/codec/go-string.ts';
import type { AnyFault } from '../../base/fault.ts';
import { compactJson } from './compact-json.ts';
import { EvmError } from './fault.ts';
import type { RpcResponse } from './method.ts';
import type { ParamHint } from './param-hint.ts';
import type { ParsedRequest } from './rpc-request.ts';
import { type Json, quoteBigints, RawJson, writeJson } from './write-json.ts';

/** The bytes of JSON-RPC responses, as gorilla/rpc/v2/json2 writes them. An id is repeated exactly as it was sent, without spaces. */

export const rpcCodes = { parseError: -32700, invalidRequest: -32600, serverError: -32000 } as const;

export function resultResponse(id: string | null, result: Json): RpcResponse {
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

/** The number `code` of a JSON-RPC error. Errors of EVM methods have numbers of their own; see evm.ts. */
export const rpcCodeOf = (error: AnyFault): number => (error instanceof EvmError ? error.rpcCode : rpcCodes.serverError);

/** Without `errorData`, the errors of EVM methods omit `data`; all others have null. */
const omittedData = (error: AnyFault): string => (error instanceof EvmError ? '' : ',"data":null');

/** An error. `hasData`: whether `data` has the facts of the error. */
export function errorBody(
  {
    code,
    error,
    id,
    hint,
  }: { readonly code: number; readonly error: AnyFault; readonly id: string; readonly hint?: ParamHint | undefined },
  hasData: boolean,
): string | Uint8Array {
  const data = hasData ? `,"data":${writeJson(quoteBigints({ ...error.fault, ...hint } as Json))}` : omittedData(error);
  return joinEcho(`{"jsonrpc":"2.0","error":{"code":${code},"message":${goString(error.message)}${data}},"id":`, id);
}

/** The error for an invalid request. Its `data` repeats the request as far as it could be read. */
export function invalidRequestBody(code: number, message: string, request: Readonly<ParsedRequest>): string | Uint8Array {
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

/** The body of a batch: its responses as an array. */
export function joinBatch(responses: readonly (string | Uint8Array)[]): string | Uint8Array {
  if (responses.every((part) => typeof part === 'string')) return `[${responses.join(',')}]\n`;
  const parts = responses.flatMap((part, at) => [Buffer.from(at === 0 ? '[' : ','), typeof part === 'string' ? Buffer.from(part) : part]);
  return Buffer.concat([...parts, Buffer.from(']\n')]);
}
