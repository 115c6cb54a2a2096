import type { HttpRequest } from './message.ts';

export const isPreflight = (request: HttpRequest): boolean =>
  request.method === 'OPTIONS' && (request.header('access-control-request-method') ?? '') !== '';

/** CORS: which origins' web pages may read responses. AvalancheGo: rs/cors v1.7.0, configured in api/server/server.go. */
export function createCors(
  allowedOrigins: readonly string[],
  {
    extraHeaders = [],
    extraMethods = [],
    allowPrivateNetwork = false,
  }: {
    /** Request headers that pages may send in addition to AvalancheGo's. */
    readonly extraHeaders?: readonly string[];
    /** Methods that pages may use in addition to AvalancheGo's, in upper case. */
    readonly extraMethods?: readonly string[];
    /** Allows pages of public sites to reach this server on a private network or this machine. AvalancheGo does not support this. */
    readonly allowPrivateNetwork?: boolean;
  } = {},
) {
  const origins = createOriginCheck(allowedOrigins);
  const allowedMethods = new Set([...defaultMethods, ...extraMethods]);
  const allowedHeaders = new Set([...defaultHeaders, ...parseHeaderNames(extraHeaders.join())]);
  const allowedOrigin = (origin: string | null, method: string): string | null =>
    origin !== null && origin !== '' && origins.matches(origin) && allowedMethods.has(method.toUpperCase())
      ? origins.headerValue(origin)
      : null;

  /** Response headers of a preflight request. */
  const preflightHeaders = (request: HttpRequest): Record<string, string> => {
    const method = request.header('access-control-request-method') ?? '';
    const headers = parseHeaderNames(request.header('access-control-request-headers') ?? '');
    const origin = allowedOrigin(request.header('origin'), method);
    const common = { vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers' };
    if (origin === null || !headers.every((name) => allowedHeaders.has(name))) return common;
    const allowed: Record<string, string> = { ...common, ...corsHeaders(origin), 'access-control-allow-methods': method.toUpperCase() };
    if (headers.length > 0) allowed['access-control-allow-headers'] = headers.join(', ');
    if (allowPrivateNetwork && request.header(privateNetworkHeader) === 'true') allowed['access-control-allow-private-network'] = 'true';
    return allowed;
  };
  return {
    /** Value of `Access-Control-Allow-Origin`, or null if the origin is not allowed. */
    allowedOrigin: (request: HttpRequest): string | null => allowedOrigin(request.header('origin'), request.method),
    preflightHeaders,
  };
}

export const corsHeaders = (origin: string) => ({
  'access-control-allow-origin': origin,
  'access-control-allow-credentials': 'true',
});

const defaultHeaders: readonly string[] = ['Origin', 'Accept', 'Content-Type', 'X-Requested-With'];

const privateNetworkHeader = 'access-control-request-private-network';

const defaultMethods: readonly string[] = ['GET', 'POST', 'HEAD', 'OPTIONS'];

/** A pattern may contain one `*`, which matches any characters. `*` alone, or an empty list, allows every origin. */
function createOriginCheck(allowedOrigins: readonly string[]) {
  if (allowedOrigins.length === 0 || allowedOrigins.includes('*')) return { matches: () => true, headerValue: () => '*' };
  const patterns = allowedOrigins.map((pattern) => {
    const lower = pattern.toLowerCase();
    const star = lower.indexOf('*');
    if (star < 0) return (origin: string) => origin === lower;
    const [head, tail] = [lower.slice(0, star), lower.slice(star + 1)];
    return (origin: string) => origin.length >= head.length + tail.length && origin.startsWith(head) && origin.endsWith(tail);
  });
  const matches = (origin: string): boolean => {
    const lower = origin.toLowerCase();
    return patterns.some((pattern) => pattern(lower));
  };
  return { matches, headerValue: (origin: string) => origin };
}

/** Parses a list of header names into canonical form. Characters that are not allowed in a name are dropped. AvalancheGo: rs/cors/utils.go, parseHeaderList. */
function parseHeaderNames(list: string): string[] {
  const words = list.split(/[ ,]/).map((word) => word.replace(/[^A-Za-z0-9_-]/g, ''));
  return words.filter((word) => word !== '').map((word) => word.toLowerCase().replace(/(?:^|[-_])[a-z]/g, (start) => start.toUpperCase()));
}
