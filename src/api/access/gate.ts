import type { MaybePromise } from '../../base/timing/promise.ts';
import type { ApiName } from './plans.ts';

/**
 * Decides whether a request may be answered: checks the API key and the rate limits. The dispatcher calls it once per request, before the
 * route runs. Keys are in a database, counts in memory or in Redis.
 */
export type Gate = {
  readonly admit: (visit: AccessRequest) => Promise<AccessDecision> | AccessDecision;
  /** Whether a key that was admitted is neither revoked nor expired since, for a connection that stays open. Counts nothing; true if it cannot be looked up. */
  readonly stillAdmits: (key: string) => MaybePromise<boolean>;
};

export type AccessRequest = {
  readonly api: ApiName;
  /** The route's id, see rest/route.ts. Undefined if the path has no route. */
  readonly route: string | undefined;
  /** True for health routes: they need no key and are not counted. */
  readonly isPublic: boolean;
  /** How many calls the request makes; default 1. */
  readonly calls?: number;
  readonly key: string | undefined;
  /** IP address of the caller. The request is counted for it if there is no valid key. */
  readonly caller: string;
};

/** `headers`: rate limit headers for the response, also if the request is refused. `keyID`: the valid API key that was sent. */
export type AccessDecision =
  | { readonly admitted: true; readonly headers: Readonly<Record<string, string>>; readonly keyID?: string }
  | {
      readonly admitted: false;
      readonly status: 401 | 403 | 429 | 503;
      readonly message: string;
      readonly headers: Readonly<Record<string, string>>;
    };
