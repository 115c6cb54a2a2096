import type { HttpRequest } from './message.ts';

/** Headers of requests with an API key: our own, and that of the public SDKs. */
const keyHeaders = ['x-service-api-key', 'x-glacier-api-key'] as const;

/** A header of requests: the caller has seen this height, here or on another server of the same database, and gets no older answer. */
export const minHeightHeader = 'x-serac-min-height';

/** A header of responses: the height that was served last. A caller that sends it in `minHeightHeader` of the next request never sees an older state. */
export const heightHeader = 'x-serac-height';

/** A header of responses: how many seconds ago the data was complete, where blocks come from another node or process; see `DataAge`. */
export const ageHeader = 'x-serac-data-age';

/**
 * Headers of requests that only this program reads: API keys and a height. Pages of other origins may send them (router.ts). The explorer passes them
 * on with the requests that it makes for a page (explorer/load/local-source.ts). A request that has them may still come from this machine
 * (local-caller.ts): headers that are not known count as those of a proxy.
 */
export const ownHeaders: readonly string[] = [...keyHeaders, minHeightHeader];

/** The API key of a request. An empty one counts as none. */
export const apiKeyOf = ({ header }: Pick<HttpRequest, 'header'>): string | undefined =>
  (header(keyHeaders[0]) ?? header(keyHeaders[1])) || undefined;

/** Headers of responses about the rate limit of the caller; the last two are sent only when no request is left. */
export const limitHeaders = ['ratelimit-policy', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'retry-after'] as const;

export type LimitHeader = (typeof limitHeaders)[number];
