import type { BlockList } from '../../api/contract/answers.ts';
import { openOnUse } from '../../base/cache/memoize.ts';
import { readPageList } from '../docs/nearest-pages.ts';
import { readOldest } from '../load/list-place.ts';
import { chainPath, type PageContext } from '../load/page-context.ts';
import { search } from '../load/search.ts';
import { read } from '../load/source.ts';
import { groupDigits } from '../text/text-format.ts';
import { parseTypedTime } from '../text/typed-time.ts';
import type { DevAction } from '../views/dev-action.ts';
import { actionHref, actionNames, devActions } from '../views/dev-actions.ts';
import type { PagePayload } from '../views/page-payload.ts';
import { sections } from '../views/sections.ts';
import { call } from './dev-call.ts';
import { httpSource } from './http-source.ts';
import type { PaletteHost } from './open-palette.ts';
import { changeTheme } from './page-tools.ts';
import { devPath, getText } from './payload.ts';
import { recentPages } from './recent.ts';
import { listedCalls } from './reference-list.ts';

/** A line of the palette: a page to go to, or something to do. */
export type PaletteItem = {
  readonly group: string;
  readonly word: string;
  readonly note: string;
  readonly href?: string;
  /** What it does; a text that it returns is shown, and the palette stays open. */
  readonly run?: () => Promise<string | undefined> | string | undefined;
};

/** Lines of a group that are listed: found by a text, of the pages, and before a text is typed. */
const [maxOfGroup, maxPages, maxAtFirst] = [8, 14, 5];

/** The lines that need no request: recent pages, pages, names, actions and settings. */
export const knownItems = (host: PaletteHost): readonly PaletteItem[] => [
  ...recentPages()
    .filter(({ path }) => path !== location.pathname && !sections.some((one) => one.path === path))
    .map(({ path, title }) => ({ group: 'Recent', word: title, note: '', href: path })),
  ...pageItems(host.payload()),
  ...nameItems(host.payload().context),
  ...(host.payload().dev === undefined ? [] : actionItems(host)),
  { group: 'Settings', word: 'Change the theme', note: 'dark or light', run: () => void changeTheme() },
  { group: 'Settings', word: 'Change the time zone', note: 'UTC or yours', run: () => void host.changeZone() },
];

/** Lines whose words contain all words of a text, in their order; without a text, those that fit on a screen. */
export function filterItems(items: readonly PaletteItem[], text: string): PaletteItem[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const isFound = ({ word, note, group }: PaletteItem): boolean => {
    const place = `${word} ${note} ${group}`.toLowerCase();
    return words.every((one) => place.includes(one));
  };
  const found = items.filter(isFound);
  return [...new Set(found.map(({ group }) => group))].flatMap((group) =>
    found.filter((item) => item.group === group).slice(0, group === 'Pages' ? maxPages : words.length === 0 ? maxAtFirst : maxOfGroup),
  );
}

function pageItems({ context, dev }: PagePayload): PaletteItem[] {
  const rows = sections.filter(
    ({ name, isAvailable, isPageOnly }) => isAvailable(context) && !isPageOnly && (name !== 'dev' || dev !== undefined),
  );
  return [
    ...rows.map(({ word, path }) => ({ group: 'Pages', word, note: '', href: path })),
    { group: 'Pages', word: 'API', note: 'methods and routes', href: '/api' },
    { group: 'Pages', word: 'Docs', note: 'documentation', href: '/docs/' },
  ];
}

/** Addresses that have a name: accounts, labels, or names that the reader gave. */
const nameItems = ({ accountNames, keptNames, chain }: PageContext): PaletteItem[] =>
  Object.entries({ ...accountNames, ...keptNames }).map(([address, name]) => ({
    group: 'Names',
    word: name,
    note: `${chain.alias}-${address}`,
    href: `/address/${chain.alias}-${address}`,
  }));

/** Actions of a developer's chain. One that needs no answers is done at once; others open their form on the dev panel. */
const actionItems = (host: PaletteHost): PaletteItem[] =>
  actionNames.map((name) => {
    const action = devActions[name];
    const line = { group: 'Do', word: action.title, note: action.about };
    const params = action.isUndoable ? undefined : defaultParams(action);
    return params === undefined ? { ...line, href: actionHref(name) } : { ...line, run: () => runAction(host, action, params) };
  });

/** The parameters of an action whose fields all have a value at first; undefined if one must be filled in. */
export function defaultParams({ fields }: DevAction): Record<string, string | number | boolean> | undefined {
  const params: Record<string, string | number | boolean> = {};
  for (const field of fields) {
    if (field.kind === 'integer') params[field.name] = field.start;
    else if (field.kind === 'flag') params[field.name] = field.isOn;
    else if (!field.isOptional) return undefined;
  }
  return params;
}

async function runAction(host: PaletteHost, action: DevAction, params: Record<string, string | number | boolean>): Promise<string> {
  const { result, error } = await call<never>(devPath, action.method, params);
  if (error !== undefined || result === undefined) return `Failed: ${error?.message ?? 'no answer'}`;
  await host.reload();
  return action.said(Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)])), result);
}

/** What only the server finds: heights, IDs, addresses, assets, and the first block of a date. */
export async function findItems(context: PageContext, text: string): Promise<readonly PaletteItem[]> {
  // Labels are only for readers who may use `/ext/dev`.
  const [{ matches }, dated] = await Promise.all([
    search(httpSource, { ...context, has: { ...context.has, dev: context.accountNames !== undefined } }, text),
    findDate(context, text),
  ]);
  return [...dated, ...matches.slice(0, maxOfGroup).map(({ href, word, note }) => ({ group: 'Found', word, note, href }))];
}

/** The first block at or after a date, in UTC; the last one if there is none yet. */
async function findDate(context: PageContext, text: string): Promise<PaletteItem[]> {
  const time = parseTypedTime(text);
  if (time === undefined) return [];
  const path = `${chainPath(context)}/blocks?pageSize=1`;
  const [last, before] = await Promise.all([
    read<BlockList>(httpSource, path),
    read<BlockList>(httpSource, `${path}&endTimestamp=${Math.max(0, time.start)}`),
  ]);
  const tip = Number(last.blocks[0]?.blockNumber ?? 0);
  const height = before.blocks[0] === undefined ? ((await readOldest(httpSource, context)) ?? 0) : Number(before.blocks[0].blockNumber) + 1;
  const note = height > tip ? 'the last block: none is as late as this' : `first block at or after ${text.trim()}, UTC`;
  const shown = Math.min(height, tip);
  return [{ group: 'Date', word: `Block ${groupDigits(shown)}`, note, href: `/block/${shown}` }];
}

/** Methods and routes of the API, and pages of the documentation. Read once, when the palette is first opened. */
export const listedItems = openOnUse(async (): Promise<readonly PaletteItem[]> => {
  const [calls, docs] = await Promise.all([listedCalls.get(), getText('/docs/llms.txt')]);
  const pages = readPageList(docs ?? '').map(({ page, title, about }) => ({
    group: 'Docs',
    word: title,
    note: about,
    href: `/docs/${page}.html`,
  }));
  return [...calls.map(({ name, summary, href }) => ({ group: 'API', word: name, note: summary, href })), ...pages];
});
