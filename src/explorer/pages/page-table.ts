import { loadAddress } from '../load/load-address.ts';
import { loadAsset } from '../load/load-asset.ts';
import { loadAssets } from '../load/load-assets.ts';
import { loadBlock } from '../load/load-block.ts';
import { blocksPath, loadBlocks } from '../load/load-blocks.ts';
import { loadCalls } from '../load/load-calls.ts';
import { loadCrossChain } from '../load/load-cross-chain.ts';
import { loadDevPanel } from '../load/load-dev.ts';
import { loadGraph } from '../load/load-graph.ts';
import { loadHolders } from '../load/load-holders.ts';
import { loadHome } from '../load/load-home.ts';
import { loadMempool } from '../load/load-mempool.ts';
import { loadNode } from '../load/load-node.ts';
import { loadOutput } from '../load/load-output.ts';
import { loadOutputs } from '../load/load-outputs.ts';
import { loadThroughput } from '../load/load-throughput.ts';
import { loadTx } from '../load/load-tx.ts';
import { loadWatch, maxWatched } from '../load/load-watch.ts';
import { loadWebhooks, tokenPath, webhooksPath } from '../load/load-webhooks.ts';
import { chainPath, type PageContext } from '../load/page-context.ts';
import { type Source, SourceError } from '../load/source.ts';
import type { MessageData } from '../views/message-view.tsx';
import type { Section } from '../views/sections.ts';
import type { ViewName } from '../views/views.tsx';
import type { ReferenceLoader } from './load-reference.ts';

export type LoadedPage = {
  readonly view: ViewName;
  readonly title: string;
  readonly data: unknown;
  /** What the browser gets in place of `data`. */
  readonly sentData?: unknown;
  /** Status of the response; default 200. */
  readonly status?: 404;
};

export type PageRow = {
  /** Undefined: the page is on every port that has routes to describe. */
  readonly section: Section | undefined;
  /** Undefined: nothing has this name. */
  readonly load: (parts: {
    readonly source: Source;
    readonly context: PageContext;
    /** The text of the path after the first segment, decoded. */
    readonly name: string;
    /** Page token of a list, from the query. */
    readonly page: string | undefined;
    readonly query: URLSearchParams;
    /** Rows of a page of a list, if the query asks for another number than usual. */
    readonly rows: number | undefined;
    /** The chain's clock, in Unix seconds. */
    readonly now: number;
    /** The API reference of this port. */
    readonly reference: ReferenceLoader;
    /** `http://host:port` as the reader reached this server. */
    readonly origin: string;
    /** Reads any spelling of an address; undefined if the text is not an address. */
    readonly parseAddress: (text: string) => { readonly address: string; readonly hex: string } | undefined;
  }) => Promise<LoadedPage | undefined>;
  /** Whether the page is a list whose rows are ordered by block: a height or a date that is typed leads to its place. */
  readonly hasPlaces?: true;
  /** Whether the page contains private keys: it is not compressed and not stored. */
  readonly hasSecrets?: true;
  /** The route whose answer the same URL gives with `Accept: application/json`. */
  readonly json?: (context: PageContext, name: string) => string;
};

/** Pages by the first segment of their path. Those with a name take exactly one more segment. */
export const namedPages: { readonly [first: string]: PageRow } = {
  block: {
    section: 'blocks',
    json: (context, name) => `${chainPath(context)}/blocks/${encodeURIComponent(name)}`,
    load: async ({ source, context, name, query }) => {
      const data = await loadBlock(source, context, name, query.get('from'));
      return data && { view: 'block', title: `Block ${data.block.blockNumber}`, data };
    },
  },
  tx: {
    section: 'blocks',
    json: (context, name) => `${chainPath(context)}/transactions/${encodeURIComponent(name)}`,
    load: async ({ source, context, name }) => {
      const data = await loadTx(source, context, name);
      return data && { view: 'tx', title: `Transaction ${name.slice(0, 8)}…`, data };
    },
  },
  address: {
    section: 'address',
    json: (context, name) => `${chainPath(context)}/balances?addresses=${encodeURIComponent(name)}`,
    hasPlaces: true,
    load: async ({ source, context, name, rows, query, now, parseAddress }) => {
      const parsed = parseAddress(name);
      if (parsed === undefined) return undefined;
      const wanted = { rows, query, asset: query.get('asset') ?? undefined, range: query.get('range'), now };
      return { view: 'address', title: `Address ${parsed.address}`, data: await loadAddress(source, context, parsed, wanted) };
    },
  },
  outputs: {
    section: 'address',
    json: (context, name) => `${chainPath(context)}/utxos?addresses=${encodeURIComponent(name)}`,
    load: async ({ source, context, name, page, rows, query, parseAddress }) => {
      const parsed = parseAddress(name);
      if (parsed === undefined) return undefined;
      const data = await loadOutputs(source, context, parsed.address, { query, page, rows });
      return { view: 'outputs', title: `Outputs of ${parsed.address}`, data };
    },
  },
  output: {
    section: 'blocks',
    json: (context, name) => `${chainPath(context)}/utxos/${encodeURIComponent(name)}`,
    load: async ({ source, context, name }) => {
      const data = await loadOutput(source, context, name);
      return data && { view: 'output', title: `Output ${data.utxo.utxoId.slice(0, 8)}…`, data };
    },
  },
  graph: {
    section: 'blocks',
    load: async ({ source, context, name, query }) => {
      const data = await loadGraph(source, context, name, query.get('open'));
      return data && { view: 'graph', title: `UTXO graph of ${name.slice(0, 8)}…`, data };
    },
  },
  asset: {
    section: 'assets',
    json: (context, name) => `${chainPath(context)}/assets/${encodeURIComponent(name)}`,
    hasPlaces: true,
    load: async ({ source, context, name, rows, query }) => {
      const wanted = { query, rows, range: query.get('range'), groups: query.get('groups') ?? undefined };
      const data = await loadAsset(source, context, name, wanted);
      return data && { view: 'asset', title: `Asset ${data.asset.name}`, data };
    },
  },
  holders: {
    section: 'assets',
    json: (context, name) => `${chainPath(context)}/assets/${encodeURIComponent(name)}/holders`,
    load: async ({ source, context, name, rows, query }) => {
      const data = await loadHolders(source, context, name, { query, rows });
      return data && { view: 'holders', title: `Holders of ${data.asset.name}`, data };
    },
  },
};

/** The API reference. It and the pages of its methods and routes are served even where the explorer is turned off. */
export const referencePath = '/api';

/** The page of each method and route: `/api/avm.getTx`, `/api/data/getUtxosByAddresses`. */
export const referenceEntryPage: PageRow = {
  section: undefined,
  json: (_, name) => (name.includes('/') ? '/api-json' : '/openrpc-json'),
  load: async ({ source, context, name, reference, origin }) => {
    const data = await reference.loadEntry(source, context, name, origin);
    if (data !== undefined) return { view: 'api-entry', title: data.name, data, sentData: { ...data, html: '' } };
    const nearest = await reference.findNearest(source, name);
    const message: MessageData = {
      heading: 'No such method or route',
      status: 404,
      text: 'Is it one of these? The API page lists all that this port serves.',
      subject: name.slice(0, 200),
      links: [
        ...nearest.map(({ page, id, summary }) => ({ href: `${referencePath}/${page}`, word: id, note: summary })),
        { href: referencePath, word: 'API', note: 'all methods and routes' },
      ],
    };
    return { view: 'message', title: message.heading, data: message, status: 404 };
  },
};

/** The route whose refusal means that the reader must enter a token. */
export const devPath = tokenPath;

/** Pages without a name, by their path. */
export const fixedPages: { readonly [path: string]: PageRow } = {
  '/': {
    section: 'home',
    load: async ({ source, context }) => ({
      view: 'home',
      title: `${context.chain.title}, ${context.network.name}`,
      data: await loadHome(source, context),
    }),
  },
  [blocksPath]: {
    section: 'blocks',
    json: (context) => `${chainPath(context)}/blocks`,
    hasPlaces: true,
    load: async ({ source, context, query, rows }) => ({
      view: 'blocks',
      title: 'Blocks',
      data: await loadBlocks(source, context, query, rows),
    }),
  },
  '/mempool': {
    section: 'mempool',
    json: (context) => `${chainPath(context)}/mempool`,
    load: async ({ source, context, query, rows }) => ({
      view: 'mempool',
      title: 'Mempool',
      data: await loadMempool(source, context, query, rows),
    }),
  },
  '/assets': {
    section: 'assets',
    json: (context) => `${chainPath(context)}/assets`,
    load: async ({ source, context, query, rows }) => ({
      view: 'assets',
      title: 'Assets',
      data: await loadAssets(source, context, query, rows),
    }),
  },
  '/cross-chain': {
    section: 'cross-chain',
    json: (context) => `${chainPath(context)}/cross-chain/transfers`,
    load: async ({ source, context, query, rows }) => ({
      view: 'cross-chain',
      title: 'Cross-chain',
      data: await loadCrossChain(source, context, query, rows),
    }),
  },
  '/throughput': {
    section: 'throughput',
    load: async ({ source, context, query }) => ({
      view: 'throughput',
      title: 'Throughput',
      data: await loadThroughput(source, context, query.get('range')),
    }),
  },
  '/node': {
    section: 'node',
    load: async ({ source, context, query }) => ({
      view: 'node',
      title: 'Node',
      data: await loadNode(source, context, query.get('range')),
    }),
  },
  '/dev': {
    section: 'dev',
    hasSecrets: true,
    load: async ({ source, context }) => {
      const data = await loadDevPanel(source, context);
      if (data === undefined && context.has.devToken)
        throw new SourceError('a token is needed', { code: 'PAGE_SOURCE_FAILED', status: 403, path: devPath });
      return data && { view: 'dev', title: 'Dev panel', data };
    },
  },
  '/dev/calls': {
    section: 'dev',
    hasSecrets: true,
    load: async ({ source, context, query }) => {
      const data = await loadCalls(source, query);
      if (data === undefined && context.has.devToken)
        throw new SourceError('a token is needed', { code: 'PAGE_SOURCE_FAILED', status: 403, path: devPath });
      return data && { view: 'calls', title: 'Calls', data };
    },
  },
  '/watch': {
    section: 'watch',
    load: async ({ source, context, query, parseAddress }) => {
      const texts = (query.get('addresses') ?? '').split(',', maxWatched);
      const addresses = texts.flatMap((text) => parseAddress(text)?.address ?? []);
      return { view: 'watch', title: 'Watch', data: await loadWatch(source, context, [...new Set(addresses)]) };
    },
  },
  '/webhooks': {
    section: 'webhooks',
    json: () => webhooksPath,
    load: async ({ source, context, query }) => ({
      view: 'webhooks',
      title: 'Webhooks',
      data: await loadWebhooks(source, context, query.get('webhook')),
    }),
  },
  [referencePath]: {
    section: undefined,
    json: () => '/api-json',
    load: async ({ source, reference }) => {
      const data = await reference.loadIndex(source);
      return { view: 'api', title: 'API', data, sentData: { ...data, html: '' } };
    },
  },
};
