import type { HttpRequest, HttpResponse } from '../../api/http/message.ts';

/** Answers GET requests for pages; undefined for every other path. */
export type PageHandler = (request: HttpRequest) => Promise<HttpResponse> | undefined;

/** The policy of all pages: no inline code, nothing from outside, no frames. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');
