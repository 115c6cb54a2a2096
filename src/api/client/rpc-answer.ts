import { parseExactJson, writeQuotedJson } from './exact-json.ts';
import { SeracError } from './fault.ts';

/** The body of a JSON-RPC request. A bigint in the parameters becomes a decimal string. */
export const formatCall = (method: string, params: object): string => writeQuotedJson({ jsonrpc: '2.0', id: 1, method, params });

/**
 * The result in the body of a JSON-RPC response. Throws a SeracError with the node's message, code and data if the method failed, and the
 * error of `otherwise` if the text is not a JSON-RPC response, such as the text of status 404.
 */
export function readResult(text: string, method: string, otherwise: () => SeracError): unknown {
  const answer = parseAnswer(text);
  if (answer === undefined) throw otherwise();
  if (answer.error == null) return answer.result;
  const { code: rpcCode, message, data } = answer.error;
  throw new SeracError(message, { code: 'RPC_ERROR', method, rpcCode, data });
}

type Answer = {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown } | null;
};

function parseAnswer(text: string): Answer | undefined {
  try {
    const value = parseExactJson(text) as Answer | null;
    return typeof value === 'object' && value !== null && ('result' in value || value.error?.message !== undefined) ? value : undefined;
  } catch {
    return undefined;
  }
}
