import type { Admission } from './gate.ts';
import type { ApiKey } from './keys.ts';
import { dateText } from './moment.ts';
import { type Counted, type RateHeaders, waitSeconds } from './rate-headers.ts';

/** What the gate says to those it does not let in: what is wrong, and what helps. */

export const keyMissing: Admission = refused(
  401,
  'This server answers only with an API key: send it in the header x-service-api-key (or x-glacier-api-key). Whoever runs the server makes keys with "serac keys create"',
);

export const keyUnknown = (headers: RateHeaders | undefined): Admission =>
  refused(401, 'The API key is not known to this server: check that all of it was sent, or ask for a new one', headers);

export const keyNotValid = ({ prefix, revoked, expires }: ApiKey, headers: RateHeaders | undefined): Admission =>
  refused(
    401,
    revoked === undefined
      ? `The API key ${prefix}... expired on ${dateText(expires ?? 0)}: ask for a new one`
      : `The API key ${prefix}... was revoked on ${dateText(revoked)}: ask for a new one`,
    headers,
  );

export const notAllowed = ({ prefix, routes }: ApiKey, route: string, headers: RateHeaders | undefined): Admission =>
  refused(
    403,
    `The API key ${prefix}... may not be used for ${route}, only for ${routes.join(', ')}: use another key, or ask for one that may`,
    headers,
  );

/** `keyHelps`: a key would have limits of its own. */
export function tooMany({ verdict, headers }: Counted, keyHelps: boolean): Admission {
  const { shutOut, limit, seconds } = verdict;
  const why = shutOut
    ? 'Too many requests, and more kept coming after they were refused: nothing is answered for a while'
    : `Too many requests: the limit of ${limit} in ${seconds === 60 ? 'a minute' : 'a day'} is reached`;
  const wait = waitSeconds(verdict);
  const remedy = `Come back in ${wait} second${wait === 1 ? '' : 's'}`;
  return refused(429, `${why}. ${remedy}${keyHelps ? ', or use an API key, which has limits of its own' : ''}`, headers);
}

export const keysUnanswered: Admission = refused(503, 'API keys cannot be checked at the moment: try again in a few seconds');

function refused(status: 401 | 403 | 429 | 503, message: string, headers: RateHeaders = {}): Admission {
  return { admitted: false, status, message, headers };
}
