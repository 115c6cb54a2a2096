import type { PagePayload } from '../views/page-payload.ts';

/** A page that the reader has opened. */
export type RecentPage = { readonly path: string; readonly title: string };

/** The most pages that are kept. */
const maxRecent = 8;
const key = 'serac-recent';

/** The pages that the reader opened last in this browser, newest first. */
export function recentPages(): readonly RecentPage[] {
  try {
    const list: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(list) ? list.filter(isPage).slice(0, maxRecent) : [];
  } catch {
    return [];
  }
}

/** A path of this server: two slashes would be another one. */
const isPage = (one: Partial<RecentPage> | null): one is RecentPage =>
  typeof one?.title === 'string' && typeof one.path === 'string' && /^\/(?!\/)/.test(one.path);

/** Keeps that a page was opened. Home is always listed, and a page that says that nothing was found helps nobody. */
export function keepRecent({ view, title }: PagePayload): void {
  if (view === 'home' || view === 'message') return;
  const path = location.pathname;
  const others = recentPages().filter((one) => one.path !== path);
  localStorage.setItem(key, JSON.stringify([{ path, title: title.slice(0, 100) }, ...others].slice(0, maxRecent)));
}
