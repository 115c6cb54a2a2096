import type { Handler, HttpRequest, HttpResponse } from '../../api/http/message.ts';
import { requestOrigin } from '../../api/rest/document-handler.ts';
import { attempt } from '../../base/fault.ts';
import type { LongWork } from '../../base/timing/long-work.ts';
import { createAccountNames } from '../load/account-names.ts';
import { type AddressText, parseAddressText } from '../load/address-text.ts';
import { loadDevState } from '../load/dev-state.ts';
import { loadFollowState } from '../load/follow-state.ts';
import { findJump } from '../load/list-place.ts';
import { webhooksPath } from '../load/load-webhooks.ts';
import { createLocalSource, sendLocal } from '../load/local-source.ts';
import { chainPath, type PageContext } from '../load/page-context.ts';
import { respondWithImage } from '../load/payload-image.ts';
import { maxQuery, search } from '../load/search.ts';
import { type Source, SourceError } from '../load/source.ts';
import type { MessageData } from '../views/message-view.tsx';
import type { PagePayload } from '../views/page-payload.ts';
import { sections } from '../views/sections.ts';
import { compressBody, type Encoding } from './compressed-body.ts';
import { createReferenceLoader, type ReferenceLoader } from './load-reference.ts';
import { explainMissing } from './nothing-found.ts';
import { assetPrefix, type PageAssets } from './page-assets.ts';
import { contentSecurityPolicy, type PageHandler } from './page-headers.ts';
import { devPath, fixedPages, type LoadedPage, namedPages, type PageRow, referenceEntryPage, referencePath } from './page-table.ts';
import { explainRefused } from './refused-link.ts';

type PageOptions = {
  readonly context: () => Promise<PageContext>;
  readonly assets: () => Promise<PageAssets>;
  /** This server's own handler, through which pages read. */
  readonly handler: Handler;
  /** The chain's clock, in Unix seconds. */
  readonly now: () => number;
  readonly longWork: LongWork;
  /** Whether this port has only the API reference. */
  readonly isReferenceOnly: boolean;
};

type HandlerParts = PageOptions & {
  readonly reference: ReferenceLoader;
  readonly loadAccountNames: ReturnType<typeof createAccountNames>;
};

export function createPageHandler(options: PageOptions): PageHandler {
  const parts = { ...options, reference: createReferenceLoader(), loadAccountNames: createAccountNames() };
  return (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return undefined;
    if (options.isReferenceOnly && !isReference(request.path) && !request.path.startsWith(assetPrefix)) return undefined;
    const target = findTarget(request);
    return target && respond(parts, request, target);
  };
}

const isReference = (path: string): boolean => path === referencePath || path.startsWith(`${referencePath}/`);

/** What a path asks for. */
type Target =
  | { readonly kind: 'asset' }
  | { readonly kind: 'image'; readonly name: string }
  | { readonly kind: 'page'; readonly row: PageRow; readonly name: string }
  | { readonly kind: 'search'; readonly text: string };

type PageTarget = Extract<Target, { kind: 'page' | 'search' }>;

function findTarget({ path, query }: HttpRequest): Target | undefined {
  if (path.startsWith(assetPrefix)) return { kind: 'asset' };
  const fixed = Object.hasOwn(fixedPages, path) ? fixedPages[path] : undefined;
  if (fixed !== undefined) return { kind: 'page', row: fixed, name: '' };
  if (path === '/search') return { kind: 'search', text: new URLSearchParams(query).get('q') ?? '' };
  // The router has refused malformed escapes; bytes that are not UTF-8 are left.
  const decode = (text: string): string | undefined => attempt(() => decodeURIComponent(text));
  if (isReference(path)) {
    const entry = decode(path.slice(referencePath.length + 1));
    return entry === undefined ? undefined : { kind: 'page', row: referenceEntryPage, name: entry };
  }
  const [, first = '', name, ...rest] = path.split('/');
  if (rest.length > 0 || first === '') return undefined;
  if (name === undefined) {
    const text = decode(first);
    return text === undefined || text.length > maxQuery || isFileName(text) ? undefined : { kind: 'search', text };
  }
  const row = Object.hasOwn(namedPages, first) ? namedPages[first] : undefined;
  const decoded = decode(name);
  if (first === 'payload' && decoded !== undefined) return { kind: 'image', name: decoded };
  return row === undefined || decoded === undefined || decoded === '' ? undefined : { kind: 'page', row, name: decoded };
}

/** Files that browsers and crawlers ask every server for, as `robots.txt` and `.env`. `BTC.b` is the name of an asset. */
const isFileName = (text: string): boolean =>
  /^\.\w|\.(?:txt|ico|png|jpe?g|gif|svg|xml|json|js|mjs|map|css|html?|php|aspx?|env|ya?ml|webmanifest)$/i.test(text);

/** Loads the code that renders pages, which most nodes never need: not when the node starts, but for the first page. */
const loadRenderer = async () => (await import('./document.tsx')).renderDocument;

async function respond(options: HandlerParts, request: HttpRequest, target: Target): Promise<HttpResponse> {
  const assets = await options.assets();
  if (target.kind === 'asset') return assets.respond(request) ?? notFoundText;
  const context = await options.context();
  const pause = options.longWork.begin();
  const source = createLocalSource(options.handler, request, pause);
  if (target.kind === 'image') return respondImage(source, context, target.name);
  const isMissing = target.kind === 'page' && !isAvailable(target.row, context);
  if (wantsJson(request)) return isMissing ? notFoundText : respondJson(options, request, target, context);
  // Read first: the browser then gets every event that the data does not show yet.
  const position = context.has.events ? await readPosition(source) : undefined;
  const [found, frame, renderDocument] = await Promise.all([
    isMissing ? missingPage(target.row, context) : load(options, source, context, target, request),
    loadFrame(source, context),
    loadRenderer(),
  ]);
  if ('location' in found) return { status: 302, headers: { ...pageHeaders, location: found.location }, body: '' };
  const accountNames = frame.dev && (await options.loadAccountNames(source));
  const payload: PagePayload = {
    section: target.kind === 'page' ? target.row.section : 'home',
    context: { ...context, accountNames },
    ...frame,
    query: target.kind === 'search' ? target.text.slice(0, 1000) : '',
    now: options.now(),
    position,
    origin: requestOrigin(request),
    view: found.page.view,
    title: found.page.title,
    data: found.page.data,
  };
  const isSecret = target.kind === 'page' && target.row.hasSecrets === true;
  const html = await renderDocument(payload, assets, pause, found.page.sentData);
  const { body, encoding } = await compressBody(request, html, isSecret);
  return { status: found.status, headers: isSecret ? secretPageHeaders : headersByEncoding[encoding], body };
}

/** A caller that may not read the output gets the status of that route. */
async function respondImage(source: Source, context: PageContext, name: string): Promise<HttpResponse> {
  try {
    return await respondWithImage(source, context, name);
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return { status: error.fault.status, headers: notFoundText.headers, body: `${error.message}\n` };
  }
}

/** A page whose source this server lacks does not exist. */
const isAvailable = ({ section }: PageRow, context: PageContext): boolean =>
  section === undefined || sections.find(({ name }) => name === section)?.isAvailable(context) === true;

/** A page that this server does not have, because the program runs in another mode or with a flag that leaves it out. */
function missingPage({ section }: PageRow, { network }: PageContext): Found {
  const { word, needs } = sections.find(({ name }) => name === section) ?? { word: 'This page', needs: '' };
  const text = `This server of the network ${network.name} has no such page: ${needs}.`;
  return { status: 404, page: message(`No ${word} page here`, { status: 404, text, links: [{ href: '/', word: 'Home', note: '' }] }) };
}

/** JSON is preferred only by callers that name it and not HTML. */
const wantsJson = (request: HttpRequest): boolean => (request.header('accept') ?? '').includes('application/json') && !wantsHtml(request);

/** Browsers name HTML; programs name JSON or accept everything. */
export const wantsHtml = (request: HttpRequest): boolean => (request.header('accept') ?? '').includes('text/html');

/** With `Accept: application/json` a page answers what the route behind it answers. */
async function respondJson(options: PageOptions, request: HttpRequest, target: PageTarget, context: PageContext): Promise<HttpResponse> {
  const path = target.kind === 'page' ? target.row.json?.(context, target.name) : undefined;
  if (path === undefined) return notFoundText;
  const query = request.query === '' || path.includes('?') ? path : `${path}?${request.query}`;
  return sendLocal(options.handler, request, 'GET', query);
}

type Found = { readonly status: number; readonly page: LoadedPage } | { readonly location: string };

async function load(
  { reference, now }: HandlerParts,
  source: Source,
  context: PageContext,
  target: PageTarget,
  request: HttpRequest,
): Promise<Found> {
  try {
    if (target.kind === 'search') return await loadSearch(source, context, reference, target.text);
    const query = new URLSearchParams(request.query);
    const location = target.row.hasPlaces && query.has('go') ? await findJump(source, context, { path: request.path, query }) : undefined;
    if (location !== undefined) return { location };
    const page = await target.row.load({
      source,
      context,
      name: target.name,
      page: query.get('page') ?? undefined,
      query,
      rows: query.get('rows') === '100' ? 100 : undefined,
      now: now(),
      reference,
      origin: requestOrigin(request),
      parseAddress: (text): AddressText | undefined => parseAddressText(context, text),
    });
    return page === undefined
      ? await loadSearch(source, context, reference, target.name, request.path)
      : { status: page.status ?? 200, page };
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return { status: error.fault.status, page: sourceFailed(request, error) };
  }
}

/** One match, or the name of a method or route: redirects to it. Otherwise a page that lists the matches, or says that there are none. `missing`: the path of a page that does not exist. */
async function loadSearch(
  source: Source,
  context: PageContext,
  reference: ReferenceLoader,
  text: string,
  missing?: string,
): Promise<Found> {
  const entry = await reference.findByName(source, text.trim());
  if (entry !== undefined && missing === undefined) return { location: `${referencePath}/${entry.page}` };
  const { matches: all, more: unlisted, nearest } = await search(source, context, text);
  const found = all.filter(({ href }) => href !== missing);
  // A text that names something exactly is not meant as a part of other names.
  const exact = found.filter(({ isPartial }) => !isPartial);
  const matches = exact.length > 0 ? exact : found;
  const more = matches.length === found.length ? unlisted : 0;
  if (matches.length === 1) return { location: matches[0]?.href as string };
  if (matches.length > 1)
    return {
      status: 200,
      page: message(`${matches.length + more} matches`, {
        status: 200,
        text: more === 0 ? 'Which one?' : `Which one? ${matches.length} are listed.`,
        subject: text.slice(0, 200),
        links: matches,
      }),
    };
  const tip = await readTip(source, context);
  const missed = await explainMissing(source, context, { text, nearest, tip, reference });
  return { status: 404, page: message('Nothing found', { status: 404, subject: text.slice(0, 200), ...missed }) };
}

const message = (heading: string, data: Omit<MessageData, 'heading'>): LoadedPage => ({
  view: 'message',
  title: heading,
  data: { heading, ...data } satisfies MessageData,
});

function sourceFailed(request: HttpRequest, error: SourceError): LoadedPage {
  const { fault, message: reason } = error;
  const { status, path } = fault;
  if (status === 400) return message('This link cannot be opened', { status, ...explainRefused(request, error) });
  const isForKey = (status === 401 || status === 403) && !path.startsWith(webhooksPath);
  const needs = path === devPath ? 'token' : isForKey ? 'key' : undefined;
  return message(needs === undefined ? 'The node cannot answer' : `This server needs ${needs === 'key' ? 'an API key' : 'a token'}`, {
    status,
    text: needs === undefined ? reason : secretTexts[needs],
    subject: `${needs === 'token' ? 'POST' : 'GET'} ${path}`,
    links: needs !== undefined || status < 500 ? [] : [{ href: '/node', word: 'Health checks', note: 'what this node lacks' }],
    needs,
  });
}

const secretTexts = {
  key: 'Enter a key; it stays in this tab. An operator creates one with: serac keys create',
  token: 'Enter the token that the node was started with (--dev-token); it stays in this tab.',
} as const;

/** The height and the state of a dev chain, which every page shows. Without them the page is shown nevertheless. */
async function loadFrame(source: Source, context: PageContext): Promise<Pick<PagePayload, 'height' | 'dev' | 'follow'>> {
  const [height, dev] = await Promise.all([readTip(source, context), context.has.dev ? loadDevState(source) : undefined]);
  return { height, dev, follow: context.has.follow ? await loadFollowState(source, height ?? 0) : undefined };
}

/** Height of the last block; undefined if it cannot be read. */
async function readTip(source: Source, context: PageContext): Promise<number | undefined> {
  const { status, body } = await source.get<{ blocks: readonly { blockNumber: string }[] }>(`${chainPath(context)}/blocks?pageSize=1`);
  const height = status === 200 ? body.blocks[0]?.blockNumber : undefined;
  return height === undefined ? undefined : Number(height);
}

/** Where the event stream is; undefined if it does not say. */
async function readPosition(source: Source): Promise<string | undefined> {
  const { status, body } = await source.get<{ id: string }>('/ext/events/position');
  return status === 200 ? body.id : undefined;
}

const notFoundText: HttpResponse = { status: 404, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: '404 page not found\n' };

const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  // Pages change with every block and second, so there is nothing to revalidate, and they may depend on the reader's key.
  'cache-control': 'private, no-cache',
  vary: 'Origin, Accept, Accept-Encoding',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': contentSecurityPolicy,
} as const;

const headersByEncoding: { readonly [encoding in Encoding]: Readonly<Record<string, string>> } = {
  plain: pageHeaders,
  gzip: { ...pageHeaders, 'content-encoding': 'gzip' },
  br: { ...pageHeaders, 'content-encoding': 'br' },
};

/** A page with private keys is not stored by the browser. */
const secretPageHeaders = { ...pageHeaders, 'cache-control': 'no-store' };
