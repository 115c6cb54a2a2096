import { hash } from 'node:crypto';
import { posix } from 'node:path';
import { renderToString } from 'preact-render-to-string';
import { createLinks, type DocsLinks, relativeUrl } from './docs-links.ts';
import { type DocsPage, type DocsSources, makePages } from './docs-pages.ts';
import { makeIndex } from './docs-search.ts';
import { docsSections, unknownPage } from './docs-table.ts';
import { DocsDocument, type DocsFrame } from './docs-view.tsx';
import { renderBlocks } from './markdown-html.ts';

/** The scripts, the style sheet and the icon of the site. */
export type DocsAssetName = 'docs.js' | 'theme.js' | 'docs.css' | 'mark.svg';

export type DocsInput = {
  readonly sources: DocsSources;
  readonly assets: { readonly [name in DocsAssetName]: Uint8Array };
  /** Pictures of docs/ by their paths; pages show the texts of those that are missing. */
  readonly pictures: ReadonlyMap<string, Uint8Array>;
  readonly version: string;
  /** Whether a node serves the site: pages then link to its explorer and its API reference. */
  readonly isServed: boolean;
};

/** Builds the documentation site: the content of its files by their paths. */
export function buildSite(input: DocsInput): Map<string, string | Uint8Array> {
  const pages = makePages(input.sources);
  const links = createLinks(pages);
  const files = new Map<string, string | Uint8Array>();
  const add = (name: string, content: string | Uint8Array): string => {
    const path = name.replace(/([^/]+)$/, `assets/${hash('sha256', content).slice(0, 12)}-$1`);
    files.set(path, content);
    return path;
  };
  const index = JSON.stringify(makeIndex(pages));
  // A script and not JSON: it can also be loaded from a folder, without a server.
  const search = add('search.js', `globalThis.seracDocs=${index};\n`);
  const assets = Object.fromEntries(Object.entries(input.assets).map(([name, bytes]) => [name, add(name, bytes)])) as DocsFrame['assets'];
  const pictures = new Map([...input.pictures].map(([path, bytes]) => [path, add(path.replace(/^.*\//, ''), bytes)]));
  const { version, isServed } = input;
  const frame: DocsFrame = { pages, assets: { ...assets, search }, version, isServed };
  for (const page of pages) {
    files.set(`${page.page}.html`, writePage(page, { frame, links, pictures }));
    files.set(`${page.page}.md`, writeMarkdown(page, links));
  }
  files.set('index.html', document(<DocsDocument frame={frame} page={undefined} content="" />));
  files.set(unknownPage, document(<DocsDocument frame={frame} page={undefined} content="" isUnknown />));
  const list = writeList(pages);
  files.set('index.md', list);
  files.set('llms.txt', list);
  files.set('llms-full.txt', pages.map(({ page }) => files.get(`${page}.md`) as string).join('\n'));
  return files;
}

const document = (view: Parameters<typeof renderToString>[0]): string => `<!doctype html>\n${renderToString(view)}\n`;

function writePage(
  page: DocsPage,
  { frame, links, pictures }: { readonly frame: DocsFrame; readonly links: DocsLinks; readonly pictures: ReadonlyMap<string, string> },
): string {
  const picture = (target: string): string | undefined => {
    const file = pictures.get(posix.join(posix.dirname(page.source), target));
    return file && relativeUrl(page.page, file);
  };
  const { html } = renderBlocks(page.blocks, { link: (target) => links.resolve(page, target, '.html'), picture });
  return document(<DocsDocument frame={frame} page={page} content={html} />);
}

/** The Markdown of a page, with links to the Markdown of other pages. A link to a file that the site does not have is only its text. */
function writeMarkdown(page: DocsPage, links: DocsLinks): string {
  const pieces = page.text.replaceAll(/<!--[^>]*-->\n?/g, '').split(/(^```[^`]*^```$)/m);
  const written = pieces.map((piece, at) =>
    at % 2 === 1
      ? piece
      : piece.replaceAll(/(!?)\[([^\]]*)\]\(([^)\s]+)\)/g, (_, mark: string, word: string, target: string) => {
          const found = mark === '' ? links.resolve(page, target, '.md') : undefined;
          return found === undefined ? word : `[${word}](${found.url})`;
        }),
  );
  return `${written.join('').trimEnd()}\n`;
}

/** The list of all pages with a line each, in the form that llmstxt.org describes. */
function writeList(pages: readonly DocsPage[]): string {
  const sections = docsSections.map((section) => {
    const rows = pages.filter((page) => page.section === section).map(({ title, page, about }) => `- [${title}](${page}.md): ${about}`);
    return [`## ${section}`, '', ...rows].join('\n');
  });
  return [
    '# Serac',
    '> The Avalanche X-Chain as one program: a local chain for developers and test suites, a node that joins networks, and self-hosted Data and Metrics APIs.',
    'Every page is also HTML (`.html` in place of `.md`). All pages in one file: [llms-full.txt](llms-full.txt). A running node serves these files at `/docs/`.',
    ...sections,
    '',
  ].join('\n\n');
}
