import { dateText } from './expiry.ts';
import type { AccessDecision } from './gate.ts';
import type { ApiKey } from './keys.ts';
import { type CountedRequest, type RateHeaders, retryAfterSeconds } from './rate-headers.ts';

/** Decisions of the gate that refuse a request. Each message says what is wrong and what to do. */

export const keyMissing: AccessDecision = refused(
  401,
  'This server requires an API key: send it in the header x-service-api-key (or x-glacier-api-key). The operator of the server creates keys with "serac keys create"',
);

export const keyUnknown = (headers: RateHeaders | undefined): AccessDecision =>
  refused(401, 'This server does not know the API key: check that it was sent completely, or ask for a new one', headers);

export const keyExpiredOrRevoked = ({ prefix, revoked, expires }: ApiKey, headers: RateHeaders | undefined): AccessDecision =>
  refused(
    401,
    revoked === undefined
      ? `The API key ${prefix}... expired on ${dateText(expires ?? 0)}: ask for a new one`
      : `The API key ${prefix}... was revoked on ${dateText(revoked)}: ask for a new one`,
    headers,
  );

export const routeNotAllowed = ({ prefix, routes }: ApiKey, route: string, headers: RateHeaders | undefined): AccessDecision =>
  refused(
    403,
    `The API key ${prefix}... may not be used for ${route}, only for ${routes.join(', ')}: use a key that is allowed to`,
    headers,
  );

/** `keyHelps`: whether to suggest an API key, which has its own limits. */
export function tooManyRequests({ decision, headers, network }: CountedRequest, keyHelps: boolean): AccessDecision {
  const { lockedOut, limit, windowSeconds } = decision;
  const what = network === undefined ? 'Too many requests' : `Too many requests from the network ${network}`;
  const why = lockedOut
    ? `${what}, and more were sent after they were refused: all requests are refused for a while`
    : `${what}: the limit of ${limit} in ${windowSeconds === 60 ? 'a minute' : 'a day'} is reached`;
  const wait = retryAfterSeconds(decision);
  const remedy = `Retry in ${wait} second${wait === 1 ? '' : 's'}`;
  return refused(429, `${why}. ${remedy}${keyHelps ? ', or use an API key, which has its own limits' : ''}`, headers);
}

export const keysUnavailable: AccessDecision = refused(503, 'API keys cannot be checked at the moment: try again in a few seconds');

function refused(status: 401 | 403 | 429 | 503, message: string, headers: RateHeaders = {}): AccessDecision {
  return { admitted: false, status, message, headers };
}
