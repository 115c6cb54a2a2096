import { hash } from 'node:crypto';
import type { Handler, HttpResponse } from '../http/message.ts';
import type { HttpRoute } from '../http/router.ts';
import { requestOrigin } from './document-handler.ts';
import { html, unescapedHtml } from './html.ts';

/** A URL of the index; `url` is a path of this port, or absolute if it is on another port. Plain data, so that processes can send it. */
export type IndexEntry = { readonly name: string; readonly label: string; readonly url: string };

export type ServerIndex = { readonly version: string; readonly network: string; readonly entries: readonly IndexEntry[] };

/** The path of the index of all URLs. */
const indexPath = '/';

/** The route of the index of all URLs: JSON, or HTML for browsers. `read` is called for every request. Only GET exists, as in AvalancheGo nothing does. */
export const createIndexRoute = (read: () => ServerIndex): readonly [path: string, route: HttpRoute] => [
  indexPath,
  { handler: createIndexHandler(read) },
];

const createIndexHandler =
  (read: () => ServerIndex): Handler =>
  async (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return notFound;
    const index = read();
    if ((request.header('accept') ?? '').includes('text/html')) return { status: 200, headers: pageHeaders, body: indexPage(index) };
    // Without a usable Host header the URLs are paths.
    const base = requestOrigin(request, '');
    const endpoints = Object.fromEntries(index.entries.map(({ name, url }) => [name, url.startsWith('/') ? base + url : url]));
    const body = `${JSON.stringify({ name: 'serac', version: index.version, network: index.network, endpoints })}\n`;
    return { status: 200, headers: jsonHeaders, body };
  };

/** The HTML page of the index. It loads nothing and has no script. */
const indexPage = ({ version, network, entries }: ServerIndex): string =>
  html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Serac ${version}</title>
<style>${unescapedHtml(style)}</style>
<h1>Serac ${version}</h1>
<p>The Avalanche X-Chain of the network ${network}.</p>
<table>
${entries.map(({ label, url }) => html`<tr><th>${label}</th><td><a href="${url}">${url}</a></td></tr>\n`)}</table>
</html>
`.html;

const style =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}th{text-align:left;font-weight:normal;padding-right:2rem;white-space:nowrap}';

const common = { 'x-content-type-options': 'nosniff', vary: 'Origin, Accept' } as const;
const jsonHeaders = { ...common, 'content-type': 'application/json; charset=utf-8' } as const;
const pageHeaders = {
  ...common,
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${hash('sha256', style, 'base64')}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
} as const;

/** As the router answers paths that do not exist. */
const notFound: HttpResponse = {
  status: 404,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
  body: '404 page not found\n',
};
