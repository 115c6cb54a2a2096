/** The header in which a caller names a height it has seen, on this server or another: the answer is not older. */
export const minHeightHeader = 'x-serac-min-height';

/** The header of a response with the height that the caller has seen by it. Brought to another server as `minHeightHeader`, no answer goes back. */
export const heightHeader = 'x-serac-height';

/**
 * Headers of requests that only this program reads: API keys and a height. So pages of other origins may send them, a page of the explorer passes
 * them on, and none of them says that a proxy is between.
 */
export const ownHeaders: readonly string[] = ['x-service-api-key', 'x-glacier-api-key', minHeightHeader];
