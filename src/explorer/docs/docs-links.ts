import { posix } from 'node:path';
import { DocsError, type DocsPage } from './docs-pages.ts';

/** Where a link of a page leads. */
type LinkTarget = {
  readonly url: string;
  /** The title of the page, for links whose text is the name of a file. */
  readonly title?: string | undefined;
};

/** Finds pages by the files and anchors that links of the sources name. */
export type DocsLinks = {
  /** Undefined: a file of the repository that the site does not have. `ending` is that of pages: `.html` or `.md`. */
  readonly resolve: (from: DocsPage, target: string, ending: '.html' | '.md') => LinkTarget | undefined;
};

export function createLinks(pages: readonly DocsPage[]): DocsLinks {
  const bySource = Map.groupBy(pages, ({ source }) => source);
  return {
    resolve: (from, target, ending) => {
      if (/^(https?:|mailto:)/.test(target)) return { url: target };
      if (/^[a-z][a-z\d+.-]*:/i.test(target)) return undefined;
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? from.source : fileOf(posix.join(posix.dirname(from.source), path));
      const candidates = bySource.get(file);
      if (candidates === undefined) return undefined;
      const found =
        anchor === undefined ? candidates[0] : [from, ...candidates].find((page) => page.source === file && page.anchors.has(anchor));
      if (found === undefined)
        throw new DocsError(`${from.source} links to ${target}, a heading that no page has`, {
          code: 'DOCS_BROKEN_LINK',
          source: from.source,
          target,
        });
      const place = anchor === undefined ? '' : (found.anchors.get(anchor) ?? '');
      return { url: (found === from && place !== '' ? '' : relativeUrl(from.page, found.page + ending)) + place, title: found.title };
    },
  };
}

/** A link to a folder leads to its README. */
const fileOf = (path: string): string => (path.endsWith('/') ? `${path}README.md` : path);

/** The URL of a file of the site, relative to a page, so that the site works below any path. */
export const relativeUrl = (page: string, file: string): string => posix.relative(posix.dirname(`/${page}`), `/${file}`);
