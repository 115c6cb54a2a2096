import { RpcError } from './fault.ts';
import { createMemberNames, findFirstValue, findMemberName, jsonKindAt, parseString, scanObject, skipValue } from './json-scan.ts';
import { maxParamsLength, maxTextLength } from './limits.ts';

/** A request as far as it could be read. null: absent. `params` and `id` are JSON text. `invalidReason`: why the request is rejected. */
export type ParsedRequest = { jsonrpc: string; method: string; params: string | null; id: string | null; invalidReason: string | null };

export const emptyRequest: Readonly<ParsedRequest> = { jsonrpc: '', method: '', params: null, id: null, invalidReason: null };

/** Reads the first JSON value of a body. After a syntax error all members are empty; a member of a wrong type is skipped. */
export function readRequest(text: string): Readonly<ParsedRequest> {
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

/** The message of a syntax error. Throws every other error. */
export function rpcErrorMessage(error: unknown): string {
  if (!(error instanceof RpcError)) throw error;
  return error.message;
}
