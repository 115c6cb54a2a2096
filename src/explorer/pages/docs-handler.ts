import { hash } from 'node:crypto';
import type { HttpRequest, HttpResponse } from '../../api/http/message.ts';
import { compressBody } from './compressed-body.ts';
import { contentSecurityPolicy, type PageHandler } from './page-headers.ts';

/** The files of the documentation site by their paths, such as `join.html`. */
export type DocsFiles = ReadonlyMap<string, string | Uint8Array>;

/** The site is below this path, on every port. */
export const docsPath = '/docs';

/** Answers GET requests for the documentation; undefined for every other path. `load` is called for the first one. */
export function createDocsHandler(load: () => Promise<DocsFiles>): PageHandler {
  let files: Promise<DocsFiles> | undefined;
  return (request) => {
    const { method, path } = request;
    if ((method !== 'GET' && method !== 'HEAD') || (path !== docsPath && !path.startsWith(`${docsPath}/`))) return undefined;
    files ??= load().catch((error: unknown) => {
      files = undefined;
      throw error;
    });
    return files.then((all) => respond(all, request));
  };
}

async function respond(files: DocsFiles, request: HttpRequest): Promise<HttpResponse> {
  if (request.path === docsPath) return redirectTo(`${docsPath}/`);
  const name = request.path.slice(docsPath.length + 1);
  const path = name === '' || name.endsWith('/') ? `${name}index.html` : name;
  const content = files.get(path);
  if (content === undefined) return files.has(`${path}.html`) ? redirectTo(`${docsPath}/${path}.html`) : notFound;
  const type = contentTypes[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
  const isFixed = path.includes('assets/');
  const etag = `"${hash('sha256', content).slice(0, 16)}"`;
  const headers = {
    'content-type': type,
    // The names of the files in assets/ contain the hash of their content; pages are asked for again, and answered with 304.
    'cache-control': isFixed ? 'public, max-age=31536000, immutable' : 'no-cache',
    etag,
    vary: 'Origin, Accept-Encoding',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'content-security-policy': contentSecurityPolicy,
  };
  if (isKnown(request, etag)) return { status: 304, headers, body: '' };
  const { body, encoding } = await compressBody(request, content, false);
  return { status: 200, headers: encoding === 'plain' ? headers : { ...headers, 'content-encoding': encoding }, body };
}

/** Whether the caller has this content. A proxy that compresses may have made the tag a weak one. */
const isKnown = (request: HttpRequest, etag: string): boolean =>
  (request.header('if-none-match') ?? '').split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);

const redirectTo = (location: string): HttpResponse => ({ status: 302, headers: { location }, body: '' });

const notFound: HttpResponse = {
  status: 404,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: '404 page not found; all pages: /docs/\n',
};

const contentTypes: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  // As text, so that a browser shows it and does not save it.
  md: 'text/plain; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};
