import type { Handler } from '../http/message.ts';
import { callHandler } from './local-request.ts';
import { RpcError } from './rpc-error.ts';

/** The path of each service of the Node RPC, by the first part of a method's name. */
const servicePaths: { readonly [service: string]: string } = {
  avm: '/ext/bc/X',
  wallet: '/ext/bc/X/wallet',
  info: '/ext/info',
  health: '/ext/health',
  dev: '/ext/dev',
};

/**
 * Calls a method of the Node RPC and returns its result. A bigint in the parameters is sent as a decimal string; an integer in the result that
 * a number cannot hold exactly is a bigint. Throws an RpcError.
 */
export async function callMethod(handler: Handler, method: string, params: unknown): Promise<unknown> {
  const [service = ''] = method.split('.', 1);
  const target = Object.hasOwn(servicePaths, service) ? servicePaths[service] : undefined;
  if (target === undefined)
    throw new RpcError(
      `no service has the method ${JSON.stringify(method)}; methods begin with ${Object.keys(servicePaths).join('., ')}.`,
      {
        code: 'RPC_UNKNOWN_SERVICE',
        method,
      },
    );
  const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }, bigintAsText);
  const { status, body } = await callHandler(handler, {
    method: 'POST',
    target,
    headers: { 'content-type': 'application/json' },
    body: new TextEncoder().encode(text),
  });
  const answer = readAnswer(typeof body === 'string' ? body : new TextDecoder().decode(body));
  if (answer === undefined)
    throw new RpcError(`${method}: the node answered with status ${status}`, { code: 'RPC_STATUS', method, status });
  if (answer.error !== undefined) {
    const { code: rpcCode, message, data } = answer.error;
    throw new RpcError(`${method}: ${message}`, { code: 'RPC_ERROR', method, rpcCode, data });
  }
  return answer.result;
}

type Answer = { readonly result?: unknown; readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown } };

/** Undefined if the text is not a JSON-RPC response, such as the text of status 404. */
function readAnswer(text: string): Answer | undefined {
  try {
    const value: unknown = JSON.parse(text, exactInteger as Parameters<typeof JSON.parse>[1]);
    return typeof value === 'object' && value !== null && 'jsonrpc' in value ? (value as Answer) : undefined;
  } catch {
    return undefined;
  }
}

const bigintAsText = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? value.toString() : value);

/** `source` is the value's text in the JSON; only numbers, strings, booleans and null have it. */
const exactInteger = (_: string, value: unknown, context?: { readonly source?: string }): unknown =>
  typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? '')
    ? BigInt(context?.source ?? '')
    : value;
