import { Mark, SearchGlyph, ThemeButton } from '../views/frame-parts.tsx';
import { Key } from '../views/parts.tsx';
import { relativeUrl } from './docs-links.ts';
import type { DocsPage } from './docs-pages.ts';
import { docsSections } from './docs-table.ts';
import { plainText, renderBlocks } from './markdown-html.ts';

/** What all pages of the site share. */
export type DocsFrame = {
  readonly pages: readonly DocsPage[];
  /** Paths of the files by their names. */
  readonly assets: { readonly [name in 'docs.js' | 'theme.js' | 'docs.css' | 'mark.svg' | 'search']: string };
  readonly version: string;
  readonly isServed: boolean;
};

type PageProps = { readonly frame: DocsFrame; readonly page: DocsPage | undefined };

type DocumentProps = PageProps & {
  /** The rendered Markdown. */
  readonly content: string;
  /** Whether it is the page that is sent for an address without a page. */
  readonly isUnknown?: boolean;
};

/** A page of the documentation as a document. Without `page` it is the home page. */
export function DocsDocument({ frame, page, content, isUnknown = false }: DocumentProps) {
  const { assets } = frame;
  const url = (file: string): string => relativeUrl(page?.page ?? 'index', file);
  const title = isUnknown ? 'Page not found · Serac' : page === undefined ? 'Serac documentation' : `${page.title} · Serac`;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{title}</title>
        <meta name="description" content={page?.about ?? 'Documentation of Serac, the Avalanche X-Chain as one program.'} />
        <link rel="icon" href={url(assets['mark.svg'])} />
        <link rel="stylesheet" href={url(assets['docs.css'])} />
        <link rel="alternate" type="text/markdown" href={url(`${page?.page ?? 'index'}.md`)} />
        <script src={url(assets['theme.js'])} />
        <script
          src={url(assets['docs.js'])}
          defer
          data-index={url(assets.search)}
          data-root={url('index.html').replace(/index\.html$/, '') || './'}
        />
      </head>
      <body class="docs">
        <a class="skip" href="#main">
          Skip to the content
        </a>
        <DocsBar frame={frame} url={url} />
        <div class="docs-columns">
          <DocsNav frame={frame} page={page} url={url} />
          <main id="main" tabIndex={-1}>
            {isUnknown ? (
              <Unknown frame={frame} url={url} />
            ) : page === undefined ? (
              <Home frame={frame} url={url} />
            ) : (
              <Article page={page} content={content} frame={frame} url={url} />
            )}
          </main>
          {page !== undefined && <Contents page={page} />}
        </div>
        <footer class="foot">
          <span>Serac {frame.version}</span>
          <a href={url('llms.txt')}>llms.txt</a>
          <span class="foot-right">{page !== undefined && <a href={url(`${page.page}.md`)}>This page as Markdown</a>}</span>
        </footer>
      </body>
    </html>
  );
}

type UrlOf = (file: string) => string;

const DocsBar = ({ frame: { isServed }, url }: { frame: DocsFrame; url: UrlOf }) => (
  <header class="top-bar">
    <div class="bar">
      <a class="brand" href={url('index.html')} aria-label="Serac documentation, home">
        <Mark /> <span class="brand-name">Serac</span>
      </a>
      <span class="network">Docs</span>
      <search>
        <form class="search" role="presentation">
          <SearchGlyph />
          <input
            type="search"
            placeholder="Search the documentation"
            aria-label="Search the documentation"
            autocomplete="off"
            spellcheck={false}
          />
          <Key letter="/" />
        </form>
      </search>
      <a class="button menu-button" href="#pages">
        Pages
      </a>
      {isServed && (
        <span class="bar-links">
          <a href="/">Explorer</a>
          <a href="/api">API</a>
        </span>
      )}
      <ThemeButton />
    </div>
  </header>
);

/** All pages; of the decisions only their list, unless the page is one of them. */
const DocsNav = ({ frame, page, url }: PageProps & { url: UrlOf }) => (
  <nav id="pages" class="docs-nav" aria-label="Pages">
    <a class="button close-menu" href="#main">
      Close
    </a>
    {docsSections.map((section) => (
      <section>
        <h2>{section}</h2>
        <ul>
          {frame.pages
            .filter((one) => one.section === section && (!isDecision(one) || page?.section === section))
            .map((one) => (
              <li class={isDecision(one) ? 'inner' : undefined}>
                <a href={url(`${one.page}.html`)} aria-current={one === page ? 'page' : undefined}>
                  {one.title}
                </a>
              </li>
            ))}
        </ul>
      </section>
    ))}
  </nav>
);

const isDecision = ({ page }: DocsPage): boolean => page.startsWith('understand/decisions/') && page !== 'understand/decisions/index';

function Article({ page, content, frame: { pages }, url }: { page: DocsPage; content: string; frame: DocsFrame; url: UrlOf }) {
  const at = pages.indexOf(page);
  const [before, after] = [pages[at - 1], pages[at + 1]];
  return (
    <>
      <p class="docs-section">{page.section}</p>
      {/* HTML without escaping: rendered from Markdown, which escapes every text (markdown-html.ts). */}
      <article dangerouslySetInnerHTML={{ __html: content }} />
      <nav class="docs-next" aria-label="Previous and next page">
        {before !== undefined && (
          <a rel="prev" href={url(`${before.page}.html`)}>
            <small>Previous</small> {before.title}
          </a>
        )}
        {after !== undefined && (
          <a rel="next" href={url(`${after.page}.html`)}>
            <small>Next</small> {after.title}
          </a>
        )}
      </nav>
    </>
  );
}

/** The headings of a page; those of level 3 only if they are few enough to be an overview. */
function Contents({ page: { blocks } }: { page: DocsPage }) {
  const headings = blocks.flatMap((block) => (block.kind === 'heading' && (block.level === 2 || block.level === 3) ? [block] : []));
  if (headings.length < 2) return <aside class="docs-contents" />;
  return (
    <aside class="docs-contents">
      <nav aria-label="On this page">
        <h2>On this page</h2>
        <ul>
          {headings.map(({ level, id, text }) => (
            <li class={level === 3 ? 'inner' : undefined}>
              <a href={`#${id}`}>{plainText(text)}</a>
            </li>
          ))}
        </ul>
      </nav>
    </aside>
  );
}

/** The server puts the nearest pages into `#nearest` (docs-handler.ts). */
const Unknown = ({ frame, url }: { frame: DocsFrame; url: UrlOf }) => (
  <div class="docs-home">
    <h1>Page not found</h1>
    <p class="lead">
      This version of the documentation has no page at this address. Search for a word, a flag, a method or an error code with{' '}
      <Key letter="/" />, or choose a page.
    </p>
    <div id="nearest" />
    <DocsCards frame={frame} url={url} />
  </div>
);

const firstCommand = renderBlocks([{ kind: 'code', language: 'sh', text: 'npm ci && npm start      # in a fresh clone: runs the node' }], {
  link: () => undefined,
  picture: () => undefined,
}).html;

const Home = ({ frame, url }: { frame: DocsFrame; url: UrlOf }) => (
  <div class="docs-home">
    <h1>Serac documentation</h1>
    <p class="lead">
      The Avalanche X-Chain as one program: a local chain for developers and test suites, a node that joins networks, and your own Data and
      Metrics APIs.
    </p>
    {/* HTML without escaping: a text of this file. */}
    <div dangerouslySetInnerHTML={{ __html: firstCommand }} />
    <DocsCards frame={frame} url={url} />
  </div>
);

/** All pages but single decisions, by section, with a line each. */
const DocsCards = ({ frame: { pages }, url }: { frame: DocsFrame; url: UrlOf }) => (
  <>
    {docsSections.map((section) => (
      <section>
        <h2>{section}</h2>
        <ul class="docs-cards">
          {pages
            .filter((page) => page.section === section && !isDecision(page))
            .map(({ page, title, about }) => (
              <li>
                <a href={url(`${page}.html`)}>{title}</a>
                <p>{about}</p>
              </li>
            ))}
        </ul>
      </section>
    ))}
  </>
);
