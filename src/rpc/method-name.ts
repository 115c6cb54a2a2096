import { RpcError } from './fault.ts';
import { goQuote } from './go-quote.ts';
import type { Call, Services } from './method.ts';

/**
 * Finds what a method name calls, or says in the peer's words why it calls nothing.
 * Peer: utils/json/codec.go raises the function's first letter, gorilla/rpc/v2/map.go looks it up and names it so.
 */
export function findCall({ names, calls, missing }: Services, method: string): Call {
  const called = calls.get(method);
  if (called !== undefined) return called;

  if (missing !== undefined) throw missing(method);
  const raised = raise(method);
  const [service = '', name = '', ...more] = raised.split('.');
  const shown = goQuote(raised);
  if (!raised.includes('.') || more.length > 0)
    throw new RpcError(`rpc: service/method request ill-formed: ${shown}`, { code: 'RPC_METHOD_ILL_FORMED', method });
  if (!names.has(service)) throw new RpcError(`rpc: can't find service ${shown}`, { code: 'RPC_NO_SERVICE', method });
  // A letter that only becomes an ASCII one when it is raised, such as a dotless i, does find its method.
  const found = calls.get(`${service}.${name.charAt(0).toLowerCase()}${name.slice(1)}`);
  const own = names.get(service);
  if (found === undefined && own !== undefined) throw own(method);
  if (found === undefined) throw new RpcError(`rpc: can't find method ${shown}`, { code: 'RPC_NO_METHOD', method });
  return found;
}

function raise(method: string): string {
  const dot = method.indexOf('.');
  const first = dot < 0 ? undefined : method.codePointAt(dot + 1);
  if (first === undefined || first === 0xfffd) return method;
  const letter = String.fromCodePoint(first);
  if (/^\p{Lu}/u.test(letter))
    throw new RpcError('method must start with a non-uppercase letter', { code: 'RPC_METHOD_UPPER_CASE', method });
  const upper = letter.toUpperCase();
  // Go raises a letter to one letter: a sharp s stays as it is.
  const raised = upper.length === letter.length ? upper : letter;
  return `${method.slice(0, dot + 1)}${raised}${method.slice(dot + 1 + letter.length)}`;
}
