import { goQuote } from '../../base/bytes/go-quote.ts';
import { findNearestName } from '../../base/bytes/nearest-name.ts';
import { services } from '../contract/services.ts';
import { type MethodHint, RpcError } from './fault.ts';
import type { BoundMethod, Services } from './method.ts';

/**
 * Finds a method by its full name, or throws AvalancheGo's error. `underscoreNames`: also by the name that code generators use.
 * AvalancheGo: utils/json/codec.go capitalizes the first letter after the dot; gorilla/rpc/v2/map.go looks that name up and shows it in errors.
 */
export function findMethod(services: Services, method: string, { underscoreNames }: { readonly underscoreNames: boolean }): BoundMethod {
  const { methods } = services;
  return methods.get(method) ?? (underscoreNames ? methods.get(dottedName(method)) : undefined) ?? findCapitalized(services, method);
}

/** `avm.getTx` for `avm_getTx`, which `underscoredName` makes (contract/openrpc.ts). */
const dottedName = (method: string): string => method.replace('_', '.');

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
export function capitalizeMethodName(method: string): string | undefined {
  const dot = method.indexOf('.');
  const first = dot < 0 ? undefined : method.codePointAt(dot + 1);
  if (first === undefined || first === 0xfffd) return method;
  const letter = String.fromCodePoint(first);
  if (isGoCapital(letter)) return undefined;
  return `${method.slice(0, dot + 1)}${goCapital(letter)}${method.slice(dot + 1 + letter.length)}`;
}

/** Capital letters that Unicode got after version 15, which Go has: to Go they are no letters. */
const isNewerThanGo = (letter: string): boolean =>
  /[\u{1c89}\u{a7cb}\u{a7cc}\u{a7ce}\u{a7d2}\u{a7d4}\u{a7da}\u{a7dc}\u{10d50}-\u{10d65}\u{16ea0}-\u{16eb8}]/u.test(letter);

/** Go: unicode.IsUpper. */
const isGoCapital = (letter: string): boolean => /^\p{Lu}/u.test(letter) && !isNewerThanGo(letter);

/** Go: unicode.ToUpper, which maps one letter to one letter: `ß` stays as it is, where JavaScript makes two of it. */
function goCapital(letter: string): string {
  const upper = letter.toUpperCase();
  if (upper.length === letter.length) return isNewerThanGo(upper) ? letter : upper;
  // Greek letters with an iota below have a capital of one letter, 8 or 9 places further; JavaScript writes the iota as a second letter.
  const first = letter.codePointAt(0) as number;
  return [first + 8, first + 9].map((one) => String.fromCodePoint(one)).find((one) => one.toLowerCase() === letter) ?? letter;
}

const signInClient = 'build and sign the transaction in the client, then send it with avm.issueTx';
const keysInClient = 'keys stay in the client: no node stores them any more';
const genesisFlags = 'give the genesis with --genesis-file or --chains';

/** Methods that AvalancheGo has removed, with their replacements. */
const removedMethods: { readonly [method: string]: string } = {
  'avm.getAddressTxs': 'GET /v1/networks/{network}/blockchains/x-chain/transactions?addresses={address}',
  'avm.send': signInClient,
  'avm.sendMultiple': signInClient,
  'avm.sendNFT': signInClient,
  'avm.mint': signInClient,
  'avm.mintNFT': signInClient,
  'avm.createFixedCapAsset': signInClient,
  'avm.createVariableCapAsset': signInClient,
  'avm.createNFTAsset': signInClient,
  'avm.export': signInClient,
  'avm.exportAVAX': signInClient,
  'avm.import': signInClient,
  'avm.importAVAX': signInClient,
  'avm.createAddress': keysInClient,
  'avm.listAddresses': keysInClient,
  'avm.importKey': keysInClient,
  'avm.exportKey': keysInClient,
  'avm.buildGenesis': genesisFlags,
  'wallet.send': signInClient,
  'wallet.sendMultiple': signInClient,
};

/** Guesses what the caller of an unknown method meant; empty if there is no guess. `known`: the methods of the called path. */
export function findMethodHint(method: string, pathMethods: Iterable<string>): MethodHint {
  const names = [...pathMethods];
  const replacedBy = Object.hasOwn(removedMethods, method) ? removedMethods[method] : undefined;
  if (replacedBy !== undefined) return { replacedBy };
  const service = method.slice(0, Math.max(0, method.indexOf('.')));
  const isHere = names.some((name) => name.startsWith(`${service}.`));
  // Names of the C-Chain's own methods have no service.
  const owner = Object.values(services).find(({ prefix }) => prefix === `${service}.`);
  if (!isHere && owner !== undefined) return { path: owner.path };
  const didYouMean = findNearestName(method, names);
  return didYouMean === undefined ? {} : { didYouMean };
}
