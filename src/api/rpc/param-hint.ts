import { findNearestName } from '../../base/bytes/nearest-name.ts';
import { RpcError } from './fault.ts';
import { createMemberNames, findMemberName, jsonKindAt, parseString, scanObject, skipSpace } from './json-scan.ts';

/** Unknown parameters of a failed call. AvalancheGo ignores them, so a misspelt parameter looks like a missing one. */
export type ParamHint = {
  readonly unknownParams: readonly { readonly name: string; readonly didYouMean?: string }[];
  /** Names of the method's parameters. */
  readonly params: readonly string[];
};

/** Limits: longer parameters are not examined, further or longer unknown names are not reported. */
const maxParamsText = 65_536;
const maxUnknownNames = 8;
const maxNameLength = 64;

/** Finds unknown parameter names; undefined if all names are known, or if there are too many. `raw`: JSON text of the parameters, already validated. */
export function findParamHint(raw: string | null, params: readonly string[]): ParamHint | undefined {
  if (raw === null || raw.length > maxParamsText || params.length === 0) return undefined;
  const start = jsonKindAt(raw, 0) === 'array' ? skipSpace(raw, 1) : 0;
  if (jsonKindAt(raw, start) !== 'object') return undefined;
  const known = createMemberNames(params);
  const unknown = new Set<string>();
  try {
    scanObject(raw, start, (key, keyEnd) => {
      if (unknown.size < maxUnknownNames && keyEnd - key <= maxNameLength && findMemberName(known, raw, key, keyEnd) < 0)
        unknown.add(parseString(raw, key, keyEnd));
    });
  } catch (error) {
    // The call itself was refused for it, by the same limits.
    if (error instanceof RpcError) return undefined;
    throw error;
  }
  if (unknown.size === 0) return undefined;
  return { unknownParams: [...unknown].map((name) => suggestParam(name, params)), params };
}

function suggestParam(name: string, params: readonly string[]) {
  const didYouMean = findNearestName(name, params);
  return didYouMean === undefined ? { name } : { name, didYouMean };
}
