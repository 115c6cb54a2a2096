import type { HttpRequest } from './message.ts';

/** Which other sites' pages may read answers. Peer: rs/cors v1.7.0 as api/server/server.go sets it up. */
export type Cors = {
  /** The origin to announce as allowed, or null. */
  readonly allowed: (request: HttpRequest) => string | null;
  /** The headers that answer a preflight. */
  readonly preflight: (request: HttpRequest) => Record<string, string>;
};

export const isPreflight = (request: HttpRequest): boolean =>
  request.method === 'OPTIONS' && (request.header('access-control-request-method') ?? '') !== '';

export type CorsOptions = {
  /** Request headers that pages may send beside AvalancheGo's, spelt canonically. */
  readonly headers?: readonly string[];
  /** Pages of public sites may reach this server on a private network or this machine. AvalancheGo does not answer that. */
  readonly privateNetwork?: boolean;
};

export function createCors(allowedOrigins: readonly string[], { headers: more = [], privateNetwork = false }: CorsOptions = {}): Cors {
  const isAllowed = originCheck(allowedOrigins);
  const allowedHeaders = new Set([...usualHeaders, ...more]);
  const allowed = (origin: string | null, method: string): string | null =>
    origin !== null && origin !== '' && isAllowed.matches(origin) && isMethodAllowed(method) ? isAllowed.shown(origin) : null;

  const preflight = (request: HttpRequest): Record<string, string> => {
    const method = request.header('access-control-request-method') ?? '';
    const headers = headerNames(request.header('access-control-request-headers') ?? '');
    const origin = allowed(request.header('origin'), method);
    const answer = { vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers' };
    if (origin === null || !headers.every((name) => allowedHeaders.has(name))) return answer;
    return {
      ...answer,
      ...corsHeaders(origin),
      'access-control-allow-methods': method.toUpperCase(),
      ...(headers.length > 0 && { 'access-control-allow-headers': headers.join(', ') }),
      ...(privateNetwork && request.header(privateNetworkHeader) === 'true' && { 'access-control-allow-private-network': 'true' }),
    };
  };
  return { allowed: (request) => allowed(request.header('origin'), request.method), preflight };
}

export const corsHeaders = (origin: string) => ({
  'access-control-allow-origin': origin,
  'access-control-allow-credentials': 'true',
});

const usualHeaders: readonly string[] = ['Origin', 'Accept', 'Content-Type', 'X-Requested-With'];

const privateNetworkHeader = 'access-control-request-private-network';

const allowedMethods: ReadonlySet<string> = new Set(['GET', 'POST', 'HEAD', 'OPTIONS']);

const isMethodAllowed = (method: string): boolean => allowedMethods.has(method.toUpperCase());

/** An origin may hold one `*` for any characters; a lone `*`, or no list at all, allows every origin. */
function originCheck(allowedOrigins: readonly string[]) {
  if (allowedOrigins.length === 0 || allowedOrigins.includes('*')) return { matches: () => true, shown: () => '*' };
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
  return { matches, shown: (origin: string) => origin };
}

/** The header names of a list, spelt canonically. Peer: rs/cors/utils.go, parseHeaderList: what no name may hold is dropped. */
function headerNames(list: string): string[] {
  const words = list.split(/[ ,]/).map((word) => word.replace(/[^A-Za-z0-9_-]/g, ''));
  return words.filter((word) => word !== '').map((word) => word.toLowerCase().replace(/(?:^|[-_])[a-z]/g, (start) => start.toUpperCase()));
}
