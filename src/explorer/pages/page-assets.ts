import { hash } from 'node:crypto';
import type { HttpRequest, HttpResponse } from '../../api/http/message.ts';
import { acceptedEncoding } from './compressed-body.ts';

/** The scripts, the worker, the style sheet and the icon of the page, built once. */
const assetNames = ['page.js', 'reference.js', 'worker.js', 'theme.js', 'page.css', 'mark.svg'] as const;
export type AssetName = (typeof assetNames)[number];

/** A built file in all encodings. */
type BuiltAsset = { readonly plain: Uint8Array; readonly gzip: Uint8Array; readonly br: Uint8Array };
/** Beside the named files: parts of `page.js`, whose names contain the hash of their content. */
export type BuiltAssets = { readonly [name in AssetName]: BuiltAsset } & { readonly [chunk: string]: BuiltAsset };

export type PageAssets = {
  /** URLs by name; they contain the hash of the content. */
  readonly urls: { readonly [name in AssetName]: string };
  /** Parts that `page.js` always loads. */
  readonly preloads: readonly string[];
  readonly respond: (request: HttpRequest) => HttpResponse | undefined;
};

/** Paths of the files start with this. */
export const assetPrefix = '/_page/';

export function createPageAssets(built: BuiltAssets): PageAssets {
  const urls = Object.fromEntries(
    assetNames.map((name) => [name, `${assetPrefix}${hash('sha256', built[name].plain).slice(0, 12)}-${name}`]),
  ) as PageAssets['urls'];
  const isNamed = (name: string): name is AssetName => Object.hasOwn(urls, name);
  const urlOf = (name: string): string => (isNamed(name) ? urls[name] : assetPrefix + name);
  const files = new Map(Object.keys(built).map((name) => [urlOf(name), name]));
  return {
    urls,
    preloads: staticImports(built['page.js']).map(urlOf),
    respond: ({ path, header }) => {
      const name = files.get(path);
      if (name === undefined) return undefined;
      const encoding = acceptedEncoding(header('accept-encoding') ?? '');
      return {
        status: 200,
        headers: assetHeaders[isNamed(name) ? contentTypes[name] : script][encoding],
        body: (built[name] as BuiltAsset)[encoding],
      };
    },
  };
}

/** The parts that a script imports at its start, as the bundler writes them. */
const staticImports = ({ plain }: BuiltAsset): string[] =>
  [
    ...Buffer.from(plain)
      .toString('utf8')
      .matchAll(/(?:from|import)\s*"\.\/([\w.-]+\.js)"/g),
  ].map(([, name = '']) => name);

const script = 'text/javascript; charset=utf-8';

type ContentType = 'text/javascript; charset=utf-8' | 'text/css; charset=utf-8' | 'image/svg+xml';

const contentTypes: { readonly [name in AssetName]: ContentType } = {
  'page.js': 'text/javascript; charset=utf-8',
  'reference.js': 'text/javascript; charset=utf-8',
  'worker.js': 'text/javascript; charset=utf-8',
  'theme.js': 'text/javascript; charset=utf-8',
  'page.css': 'text/css; charset=utf-8',
  'mark.svg': 'image/svg+xml',
};

/** The name contains the hash of the content, so a file never changes. */
const headersOf = (type: ContentType) => {
  const plain = {
    'content-type': type,
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; connect-src 'self'",
    // The routers own `vary: Origin` is kept.
    vary: 'Origin, Accept-Encoding',
  };
  return { plain, gzip: { ...plain, 'content-encoding': 'gzip' }, br: { ...plain, 'content-encoding': 'br' } };
};

const assetHeaders = {
  'text/javascript; charset=utf-8': headersOf('text/javascript; charset=utf-8'),
  'text/css; charset=utf-8': headersOf('text/css; charset=utf-8'),
  'image/svg+xml': headersOf('image/svg+xml'),
} as const;
