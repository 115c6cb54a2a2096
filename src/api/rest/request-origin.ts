import type { HttpRequest } from '../http/message.ts';

/**
 * `http://host:port` as the caller reached this server, for URLs in responses. A Host header that does not look like a host name is not copied
 * into a response.
 */
export function requestOrigin(request: HttpRequest): string {
  const host = request.header('host') ?? '';
  return /^[\w.:[\]-]{1,255}$/.test(host) ? `http://${host}` : 'http://localhost';
}
