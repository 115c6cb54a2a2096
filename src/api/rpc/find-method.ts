import { goQuote } from '../../base/bytes/go-quote.ts';
import { RpcError } from './fault.ts';
import type { BoundMethod, Services } from './method.ts';
import { findMethodHint } from './method-hint.ts';

/**
 * Finds a method by its full name, or throws AvalancheGo's error.
 * AvalancheGo: utils/json/codec.go capitalizes the first letter after the dot; gorilla/rpc/v2/map.go looks that name up and shows it in errors.
 */
export function findMethod(services: Services, method: string): BoundMethod {
  return services.methods.get(method) ?? findCapitalized(services, method);
}

function findCapitalized({ unknownMethodErrors, methods, unknownMethodError }: Services, method: string): BoundMethod {
  if (unknownMethodError !== undefined) throw unknownMethodError(method);
  const unknown = (code: UnknownMethodCode, message: string) =>
    new RpcError(message, { code, method, ...findMethodHint(method, methods.keys()) });
  const capitalized = capitalizeMethodName(method);
  if (capitalized === undefined) throw unknown('RPC_METHOD_UPPER_CASE', 'method must start with a non-uppercase letter');
  const [service = '', name = '', ...more] = capitalized.split('.');
  const quotedName = goQuote(capitalized);
  if (!capitalized.includes('.') || more.length > 0)
    throw unknown('RPC_METHOD_ILL_FORMED', `rpc: service/method request ill-formed: ${quotedName}`);
  if (!unknownMethodErrors.has(service)) throw unknown('RPC_NO_SERVICE', `rpc: can't find service ${quotedName}`);
  // Capitalizing can turn a non-ASCII letter into an ASCII one (dotless i): such a name finds its method.
  const found = methods.get(`${service}.${name.charAt(0).toLowerCase()}${name.slice(1)}`);
  const serviceError = unknownMethodErrors.get(service);
  if (found === undefined && serviceError !== undefined) throw serviceError(method);
  if (found === undefined) throw unknown('RPC_NO_METHOD', `rpc: can't find method ${quotedName}`);
  return found;
}

type UnknownMethodCode = 'RPC_METHOD_ILL_FORMED' | 'RPC_METHOD_UPPER_CASE' | 'RPC_NO_SERVICE' | 'RPC_NO_METHOD';

/** Capitalizes the first letter after the dot; returns undefined if it is a capital already. */
function capitalizeMethodName(method: string): string | undefined {
  const dot = method.indexOf('.');
  const first = dot < 0 ? undefined : method.codePointAt(dot + 1);
  if (first === undefined || first === 0xfffd) return method;
  const letter = String.fromCodePoint(first);
  if (/^\p{Lu}/u.test(letter)) return undefined;
  const upper = letter.toUpperCase();
  // Go maps one letter to one letter: `ß` stays as it is.
  const capital = upper.length === letter.length ? upper : letter;
  return `${method.slice(0, dot + 1)}${capital}${method.slice(dot + 1 + letter.length)}`;
}
