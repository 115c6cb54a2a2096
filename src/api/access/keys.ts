import { sha256Hex } from '../../base/bytes/hash.ts';
import type { RouteIds } from './plans.ts';

/** An API key as it is stored: not the key itself, only its SHA-256 and its first characters. Times are Unix seconds. */
export type ApiKey = KeyDetails & {
  /** The first 12 characters of `hash`; identifies the key in commands. */
  readonly id: string;
  /** Lower-case hex. */
  readonly hash: string;
  /** The first 12 characters of the key. */
  readonly prefix: string;
  readonly revoked: number | undefined;
};

export type KeyDetails = {
  readonly name: string;
  readonly plan: string;
  readonly created: number;
  /** The first second at which the key is no longer valid. */
  readonly expires: number | undefined;
  /** Grants, see `grantCovers`. Empty: the key may be used for everything. */
  readonly routes: readonly string[];
};

/** Creates a key from 32 random bytes. `text` is the key itself. It is not stored, so it must be shown to the user now. */
export function makeKey(random: Uint8Array, details: KeyDetails): { readonly text: string; readonly key: ApiKey } {
  const text = `${keyMarker}${Buffer.from(random).toString('base64url')}`;
  const hash = hashOf(text);
  const key = { ...details, id: hash.slice(0, 12), hash, prefix: text.slice(0, keyMarker.length + 6), revoked: undefined };
  return { text, key };
}

export const keyBytes = 32;

export const hashOf = (text: string): string => sha256Hex(Buffer.from(text));

/** Whether a text has the form of a key. Other texts need no lookup. */
export const isKeyShaped = (text: string): boolean => keyPattern.test(text);

type KeyState = 'active' | 'expired' | 'revoked';

export function stateOf({ revoked, expires }: ApiKey, now: number): KeyState {
  if (revoked !== undefined) return 'revoked';
  return expires !== undefined && expires <= now ? 'expired' : 'active';
}

export const allows = ({ routes }: ApiKey, api: string, route: string): boolean =>
  routes.length === 0 || routes.some((grant) => grantCovers(grant, api, route));

/** A grant is an API (`data`), a route (`getUtxosByAddresses`, `data:getUtxosByAddresses`), or a prefix with a star (`data:list*`). */
function grantCovers(grant: string, api: string, route: string): boolean {
  const names = [api, route, `${api}:${route}`];
  return grant.endsWith('*') ? names.some((name) => name.startsWith(grant.slice(0, -1))) : names.includes(grant);
}

/** Grants that match no route of this server, most likely because of a typing error. */
export const unmatchedGrants = (grants: readonly string[], routes: RouteIds): string[] =>
  grants.filter((grant) => !Object.entries(routes).some(([api, ids]) => ids.some((id: string) => grantCovers(grant, api, id))));

const keyMarker = 'serac_';
const keyPattern = /^serac_[\w-]{43}$/;
