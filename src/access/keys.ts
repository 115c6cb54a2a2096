import { sha256Hex } from '../bytes/hash.ts';
import type { RouteIds } from './plans.ts';

/** An API key as it is stored: of the key itself only its SHA-256 and how it begins. Times are Unix seconds. */
export type ApiKey = KeyFacts & {
  /** How people call it: the beginning of its hash. */
  readonly id: string;
  /** Lower-case hex. */
  readonly hash: string;
  readonly prefix: string;
  readonly revoked: number | undefined;
};

export type KeyFacts = {
  readonly name: string;
  readonly plan: string;
  readonly created: number;
  /** From this second on it is no longer valid. */
  readonly expires: number | undefined;
  /** What it may be used for, see `covers`; empty for everything. */
  readonly routes: readonly string[];
};

/** A new key from 32 random bytes. The text is never seen again: whoever made it must show it now. */
export function makeKey(random: Uint8Array, facts: KeyFacts): { readonly text: string; readonly key: ApiKey } {
  const text = `${mark}${Buffer.from(random).toString('base64url')}`;
  const hash = hashOf(text);
  const key = { ...facts, id: hash.slice(0, 12), hash, prefix: text.slice(0, mark.length + 6), revoked: undefined };
  return { text, key };
}

export const keyBytes = 32;

export const hashOf = (text: string): string => sha256Hex(Buffer.from(text));

/** Texts that cannot be a key of ours need not be looked for. */
export const isKeyShaped = (text: string): boolean => shape.test(text);

export type KeyState = 'active' | 'expired' | 'revoked';

export function stateOf({ revoked, expires }: ApiKey, now: number): KeyState {
  if (revoked !== undefined) return 'revoked';
  return expires !== undefined && expires <= now ? 'expired' : 'active';
}

export const allows = ({ routes }: ApiKey, api: string, route: string): boolean =>
  routes.length === 0 || routes.some((grant) => covers(grant, api, route));

/** A grant names an interface (`data`), a route (`getUtxosByAddresses`, `data:getUtxosByAddresses`), or with a star all that begin so (`data:list*`). */
export function covers(grant: string, api: string, route: string): boolean {
  const names = [api, route, `${api}:${route}`];
  return grant.endsWith('*') ? names.some((name) => name.startsWith(grant.slice(0, -1))) : names.includes(grant);
}

/** Grants that cover no route of this server: misspelt, most likely. */
export const idleGrants = (grants: readonly string[], routes: RouteIds): string[] =>
  grants.filter((grant) => !Object.entries(routes).some(([api, ids]) => ids.some((id: string) => covers(grant, api, id))));

const mark = 'serac_';
const shape = /^serac_[\w-]{43}$/;
