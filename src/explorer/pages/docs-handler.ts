import { hash } from 'node:crypto';
import type { HttpRequest, HttpResponse } from '../../api/http/message.ts';
import { html } from '../../api/rest/html.ts';
import { openOnUse } from '../../base/cache/memoize.ts';
import { unknownPage } from '../docs/docs-table.ts';
import { movedPages } from '../docs/moved-pages.ts';
import { findNearestPages, readPageList } from '../docs/nearest-pages.ts';
import { compressBytes, type Encoding, encodingFor } from './compressed-body.ts';
import { contentSecurityPolicy, type PageHandler } from './page-headers.ts';

/** The files of the documentation site by their paths, such as `join.html`. */
export type DocsFiles = ReadonlyMap<string, string | Uint8Array>;

/** The site is below this path, on every port. */
const docsPath = '/docs';

/** Each file is compressed only once. A quality of 9 saves 3 % more and takes 25 MB of memory. */
const brotliQuality = 5;

/** A file as it is sent. It is compressed when somebody first asks for it. */
type ServedFile = {
  readonly etag: string;
  readonly plain: Uint8Array;
  readonly encoded: (encoding: Encoding) => Promise<Uint8Array>;
};

function prepareFile(content: string | Uint8Array): ServedFile {
  const plain = typeof content === 'string' ? Buffer.from(content) : content;
  let br: Promise<Uint8Array> | undefined;
  let gzip: Promise<Uint8Array> | undefined;
  return {
    etag: `"${hash('sha256', plain).slice(0, 16)}"`,
    plain,
    encoded: async (encoding) => {
      if (encoding === 'plain') return plain;
      if (encoding === 'gzip') {
        gzip ??= compressBytes(plain, 'gzip');
        return gzip;
      }
      br ??= compressBytes(plain, 'br', brotliQuality);
      return br;
    },
  };
}

type Site = ReadonlyMap<string, ServedFile>;

/** Answers GET requests for the documentation; undefined for every other path. `load` is called for the first one. */
export function createDocsHandler(load: () => Promise<DocsFiles>): PageHandler {
  const site = openOnUse(async (): Promise<Site> => new Map([...(await load())].map(([path, content]) => [path, prepareFile(content)])));
  return (request) => {
    const { method, path } = request;
    if ((method !== 'GET' && method !== 'HEAD') || (path !== docsPath && !path.startsWith(`${docsPath}/`))) return undefined;
    return site.get().then((files) => respond(files, request));
  };
}

async function respond(files: Site, request: HttpRequest): Promise<HttpResponse> {
  if (request.path === docsPath) return redirectTo(`${docsPath}/`);
  const name = request.path.slice(docsPath.length + 1);
  const path = name === '' || name.endsWith('/') ? `${name}index.html` : name;
  const file = files.get(path);
  if (file === undefined) {
    const moved = findMoved(path, files);
    return moved === undefined ? respondUnknown(files, path) : redirectTo(`${docsPath}/${moved}`);
  }
  const headers = {
    'content-type': contentTypes[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream',
    // The names of the files in assets/ contain the hash of their content; pages are asked for again, and answered with 304.
    'cache-control': path.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    etag: file.etag,
    vary: 'Origin, Accept-Encoding',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'content-security-policy': contentSecurityPolicy,
  };
  if (isKnown(request, file.etag)) return { status: 304, headers, body: '' };
  const encoding = encodingFor(request, file.plain);
  return {
    status: 200,
    headers: encoding === 'plain' ? headers : { ...headers, 'content-encoding': encoding },
    body: await file.encoded(encoding),
  };
}

/** Pages that are named for an address without a page. */
const nearestCount = 5;

/** The page that says that there is none at this address, with the nearest ones. Programs that asked for a file get a line of text. */
function respondUnknown(files: Site, path: string): HttpResponse {
  const page = files.get(unknownPage);
  if (page === undefined || /\.(?!html$)\w+$/.test(path)) return notFound;
  const nearest = findNearestPages(path, readPageList(textOf(files.get('llms.txt'))), nearestCount).map(
    ({ page: name, title, about }) => html`<li><a href="${name}.html">${title}</a><p>${about}</p></li>`,
  );
  const list = html`<section id="nearest"><h2>Nearest pages</h2><ul class="docs-cards">${nearest}</ul></section>`.html;
  // Links of the file are relative to the top of the site.
  const up = '../'.repeat(path.split('/').length - 1);
  const body = textOf(page)
    .replace('<div id="nearest"></div>', () => list)
    .replaceAll(/ (href|src|data-index|data-root)="(?![a-z]+:|[/#])/g, (start) => start + up);
  return {
    status: 404,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'content-security-policy': contentSecurityPolicy,
    },
    body,
  };
}

const textOf = (file: ServedFile | undefined): string => (file === undefined ? '' : Buffer.from(file.plain).toString('utf8'));

/** The file that a path without its ending, or one of before the five doors, means now. */
function findMoved(path: string, files: Site): string | undefined {
  const [, name = path, ending = '.html'] = /^(.*?)(\.html|\.md)?$/.exec(path) ?? [];
  const page = movedPages[name] ?? (name.startsWith('decisions/') ? `understand/${name}` : name);
  return files.has(page + ending) ? page + ending : undefined;
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
