import { kindOf, nameAt, namesOf, scanObject, skipSpace, unquote } from './json-scan.ts';
import { nearest } from './nearest.ts';

/** Parameters of a failed call that its method does not have: AvalancheGo ignores them, so a misspelt one looks like a missing one. */
export type ParamHint = {
  readonly unknownParams: readonly { readonly name: string; readonly didYouMean?: string }[];
  /** Names of the method's parameters. */
  readonly params: readonly string[];
};

/** Longer requests and more names are not looked at. */
const maxText = 65_536;
const maxNames = 8;
const maxName = 64;

/** `raw` is the JSON text of the parameters, which has been read before. Undefined if every name is known. */
export function paramHint(raw: string | null, params: readonly string[]): ParamHint | undefined {
  if (raw === null || raw.length > maxText || params.length === 0) return undefined;
  const start = kindOf(raw, 0) === 'array' ? skipSpace(raw, 1) : 0;
  if (kindOf(raw, start) !== 'object') return undefined;
  const known = namesOf(params);
  const unknown = new Set<string>();
  scanObject(raw, start, (key, keyEnd) => {
    if (unknown.size < maxNames && keyEnd - key <= maxName && nameAt(known, raw, key, keyEnd) < 0) unknown.add(unquote(raw, key, keyEnd));
  });
  if (unknown.size === 0) return undefined;
  return { unknownParams: [...unknown].map((name) => named(name, params)), params };
}

function named(name: string, params: readonly string[]) {
  const didYouMean = nearest(name, params);
  return didYouMean === undefined ? { name } : { name, didYouMean };
}
