/** `fetch` that never uses a proxy, for processes of this machine. Bun would send their requests, with tokens and states, to that of `http_proxy`. */
export const fetchDirectly = (url: string, init: RequestInit = {}): Promise<Response> => fetch(url, { ...init, proxy: false });

/** `fetch` for nodes anywhere: the runtime's own, but without a proxy for those on this machine. */
export const fetchNode = (url: string, init: RequestInit = {}): Promise<Response> =>
  isLoopbackUrl(url) ? fetchDirectly(url, init) : fetch(url, init);

/** Whether a URL leads to this machine. Without `isLoopbackHost`, which browsers cannot run; the URL parser has written addresses in one way. */
export const isLoopbackUrl = (url: string): boolean => URL.canParse(url) && loopbackName.test(new URL(url).hostname);

/** A system connects to itself for 0.0.0.0 and :: too. */
const loopbackName = /^(?:(?:.+\.)?localhost\.?|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\]|\[::ffff:(?:7f..:.+|0:0)\])$/;
