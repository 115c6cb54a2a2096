import { openOnUse } from '../../base/cache/memoize.ts';
import { findNearestPages } from '../docs/nearest-pages.ts';
import type { PageContext } from '../load/page-context.ts';
import { read, readIfFound, type Source } from '../load/source.ts';
import { groupEntries, type ReferenceEntry } from '../reference/reference-entries.ts';
import type { OpenApi, OpenRpc, ReferenceData, ReferenceEntryData } from '../reference/reference-types.ts';

/** Methods and routes that are offered in place of one that does not exist. */
const nearestCount = 5;

export type ReferenceLoader = ReturnType<typeof createReferenceLoader>;

/** Loads the documents of a port and renders the list once: they never change while the server runs. A page of one method is rendered when it is asked for. */
export function createReferenceLoader() {
  const loaded = openOnUse(load);
  return {
    /** The list of all methods and routes. */
    loadIndex: async (source: Source): Promise<ReferenceData> => (await loaded.get(source)).index,

    /** The page of a method or route; undefined if nothing has this name. */
    loadEntry: async (source: Source, context: PageContext, page: string, origin: string): Promise<ReferenceEntryData | undefined> => {
      const { groups, openApi, openRpc, renderer } = await loaded.get(source);
      const group = groups.find(({ entries }) => entries.some((one) => one.page === page));
      const entry = group?.entries.find((one) => one.page === page);
      if (group === undefined || entry === undefined) return undefined;
      return {
        name: entry.id,
        verb: entry.verb,
        summary: entry.summary,
        group: { id: group.id, name: group.name },
        secret: secretOf(entry, context),
        html: renderer.renderEntry(entry, group, openApi, openRpc, origin),
      };
    },

    /** The method or route with a name, in any case: `avm.getTx`, `getTxByHash`. Texts that cannot be one are not looked up. */
    findByName: async (source: Source, name: string): Promise<ReferenceEntry | undefined> => {
      if (!/^[a-z]+(\.\w{3,40}|[A-Z][A-Za-z0-9]{2,40})$/.test(name)) return undefined;
      const wanted = name.toLowerCase();
      const entries = (await loaded.get(source)).groups.flatMap((group) => group.entries);
      return entries.find(({ id }) => id.toLowerCase() === wanted);
    },

    /** The methods and routes whose names are most like one that does not exist. */
    findNearest: async (source: Source, page: string): Promise<readonly ReferenceEntry[]> => {
      const entries = (await loaded.get(source)).groups.flatMap((group) => group.entries);
      const listed = entries.map((one) => ({ page: one.page, title: one.id, about: one.summary }));
      return findNearestPages(page, listed, nearestCount).flatMap((near) => entries.filter((one) => one.page === near.page));
    },
  };
}

async function load(source: Source) {
  const renderer = await import('./render-reference.ts');
  const [openApi, openRpc] = await Promise.all([read<OpenApi>(source, '/api-json'), readIfFound<OpenRpc>(source, '/openrpc-json')]);
  const groups = groupEntries(openApi, openRpc);
  const index = { description: openApi.info.description, hasRpc: openRpc !== undefined, html: renderer.renderIndex(groups) };
  return { openApi, openRpc, renderer, groups, index };
}

/** The secret that a request needs: a key for routes, the token for `dev.*`. */
function secretOf({ described, path }: ReferenceEntry, { has }: PageContext): ReferenceEntryData['secret'] {
  if (described.kind === 'method') return has.devToken && path === '/ext/dev' ? 'token' : 'none';
  const { security } = described.operation;
  if (security.length === 0) return 'none';
  return security.some((scheme) => Object.keys(scheme).length === 0) ? 'optional key' : 'required key';
}
