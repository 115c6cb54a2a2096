import { RpcError } from './fault.ts';
import { goQuote } from './go-quote.ts';
import type { Call, Services } from './method.ts';
import { methodHint } from './method-hint.ts';

/**
 * Finds what a method name calls, or says in the peer's words why it calls nothing.
 * Peer: utils/json/codec.go raises the function's first letter, gorilla/rpc/v2/map.go looks it up and names it so.
 */
export function findCall(services: Services, method: string): Call {
  const called = services.calls.get(method);
  return called ?? findRaised(services, method);
}

function findRaised({ names, calls, missing }: Services, method: string): Call {
  if (missing !== undefined) throw missing(method);
  const unknown = (code: UnknownMethod, message: string) => new RpcError(message, { code, method, ...methodHint(method, calls.keys()) });
  const raised = raise(method);
  if (raised === undefined) throw unknown('RPC_METHOD_UPPER_CASE', 'method must start with a non-uppercase letter');
  const [service = '', name = '', ...more] = raised.split('.');
  const shown = goQuote(raised);
  if (!raised.includes('.') || more.length > 0) throw unknown('RPC_METHOD_ILL_FORMED', `rpc: service/method request ill-formed: ${shown}`);
  if (!names.has(service)) throw unknown('RPC_NO_SERVICE', `rpc: can't find service ${shown}`);
  // A letter that only becomes an ASCII one when it is raised, such as a dotless i, does find its method.
  const found = calls.get(`${service}.${name.charAt(0).toLowerCase()}${name.slice(1)}`);
  const own = names.get(service);
  if (found === undefined && own !== undefined) throw own(method);
  if (found === undefined) throw unknown('RPC_NO_METHOD', `rpc: can't find method ${shown}`);
  return found;
}

type UnknownMethod = 'RPC_METHOD_ILL_FORMED' | 'RPC_METHOD_UPPER_CASE' | 'RPC_NO_SERVICE' | 'RPC_NO_METHOD';

/** The name with the first letter after the dot raised; undefined if that letter is a capital already. */
function raise(method: string): string | undefined {
  const dot = method.indexOf('.');
  const first = dot < 0 ? undefined : method.codePointAt(dot + 1);
  if (first === undefined || first === 0xfffd) return method;
  const letter = String.fromCodePoint(first);
  if (/^\p{Lu}/u.test(letter)) return undefined;
  const upper = letter.toUpperCase();
  // Go raises a letter to one letter: a sharp s stays as it is.
  const raised = upper.length === letter.length ? upper : letter;
  return `${method.slice(0, dot + 1)}${raised}${method.slice(dot + 1 + letter.length)}`;
}
