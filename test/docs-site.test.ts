import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join, posix, resolve } from 'node:path';
import { Glob } from 'bun';
import { services } from '../src/api/contract/services.ts';
import { errorAdvice } from '../src/app/advice/error-advice.ts';
import { flagTable } from '../src/app/config/flag-table.ts';
import { buildDocs } from '../src/app/platform/docs-build.ts';
import { createEnv } from '../src/app/platform/runtime-env.ts';
import { splitSections } from '../src/explorer/docs/docs-pages.ts';
import type { DocsIndex } from '../src/explorer/docs/docs-search.ts';
import { docsSections, docsTable } from '../src/explorer/docs/docs-table.ts';
import { findEntries, wordsOf } from '../src/explorer/docs/find-entries.ts';
import { movedPages } from '../src/explorer/docs/moved-pages.ts';
import { eventually } from './processes.ts';
import { type Program, startProgram } from './program.ts';

/** The documentation site: what it is made from, its links, and how a node serves it. */

const root = resolve(import.meta.dir, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const table = 'src/explorer/docs/docs-table.ts';

describe('the table of pages', () => {
  test('has a row for every page of docs/, and one row for each page', () => {
    const names = docsTable.map(({ page }) => page);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
    const rows = new Set(docsTable.map(({ source }) => source));
    const missing = [...new Glob('docs/*/*.md').scanSync({ cwd: root })].filter((page) => !rows.has(page));
    if (missing.length > 0) throw new Error(`${missing.join(', ')}: add a row for it in ${table} (page, title, section, source, about)`);
  });

  test('has every section of a file that is split into pages, once', () => {
    for (const source of new Set(docsTable.filter(({ parts }) => parts !== undefined).map((row) => row.source))) {
      const used = docsTable.filter((row) => row.source === source).flatMap(({ parts = [] }) => parts);
      const found = splitSections(read(source)).map(({ anchor }) => anchor);
      const left = found.filter((anchor) => anchor !== 'intro' && !used.includes(anchor));
      if (left.length > 0)
        throw new Error(`${source}: no page has the sections ${left.join(', ')}; add them to \`parts\` of a row in ${table}`);
      expect(used).toEqual([...new Set(used)]);
    }
  });

  test('is in the order of its sections, with a line about every page', () => {
    const order = docsTable.map(({ section }) => docsSections.indexOf(section));
    expect(order).toEqual([...order].sort((a, b) => a - b));
    for (const { page, about } of docsTable) expect([page, about]).toEqual([page, expect.stringMatching(/^.{20,}\.$/)]);
  });

  test('the package, a git installation and the image are built from all of its sources', () => {
    const tops = new Set(docsTable.map(({ source }) => source.split('/')[0] as string));
    for (const file of ['bin/prepare.js', 'Dockerfile', '.dockerignore'])
      expect([file, [...tops].filter((name) => !read(file).includes(name))]).toEqual([file, []]);
  });
});

describe.each([{ isServed: false }, { isServed: true }])('the built site (%p)', ({ isServed }) => {
  let files: ReadonlyMap<string, string | Uint8Array>;
  const text = (path: string): string => Buffer.from(files.get(path) as string).toString('utf8');
  const pagesOf = (ending: string): string[] => [...files.keys()].filter((path) => path.endsWith(ending));
  beforeAll(async () => {
    files = await buildDocs({ isServed });
  });

  test('every link, script, style and picture is a file of the site, every anchor a heading, and all links are relative', () => {
    const wrong: string[] = [];
    let count = 0;
    for (const page of pagesOf('.html'))
      for (const [, target = ''] of text(page).matchAll(/ (?:href|src|data-index)="([^"]*)"/g)) {
        count++;
        if (/^https?:/.test(target) || (isServed && /^\/(api)?$/.test(target))) continue;
        const [path = '', anchor] = target.split('#');
        const file = path === '' ? page : posix.join(posix.dirname(page), path);
        const isFound = !target.startsWith('/') && files.has(file) && (anchor === undefined || text(file).includes(` id="${anchor}"`));
        if (!isFound) wrong.push(`${page}: ${target}`);
      }
    expect(wrong).toEqual([]);
    expect(count).toBeGreaterThan(3000);
  });

  test('links of the Markdown files lead to files of the site', () => {
    const wrong: string[] = [];
    for (const page of [...pagesOf('.md'), 'llms.txt'])
      for (const [, target = ''] of text(page)
        .replaceAll(/```[\s\S]*?```|`[^`\n]*`/g, '')
        .matchAll(/\]\(([^)\s]+)\)/g)) {
        const [path = ''] = target.split('#');
        if (!/^https?:/.test(target) && !files.has(path === '' ? page : posix.join(posix.dirname(page), path)))
          wrong.push(`${page}: ${target}`);
      }
    expect(wrong).toEqual([]);
  });

  test('llms.txt has a line for every page, llms-full.txt the text of all', () => {
    const listed = [...text('llms.txt').matchAll(/^- \[.*\]\((.*)\): .*\.$/gm)].map(([, page]) => page);
    expect(listed.sort()).toEqual(
      pagesOf('.md')
        .filter((page) => page !== 'index.md')
        .sort(),
    );
    for (const { page } of docsTable) expect(text('llms-full.txt')).toContain(text(`${page}.md`));
  });

  test('no page has a script, a style or a handler of its own: the policy forbids them', () => {
    for (const page of pagesOf('.html')) {
      expect(text(page)).not.toMatch(/<style|<script(?![^>]* src=)|<[^>]* (?:style|on[a-z]+)=|javascript:/);
      expect(text(page).match(/<h1/g)?.length).toBe(1);
    }
  });
});

describe('the search', () => {
  test.each([
    ['--reorg-depth', 'reference/flags.html#--reorg-depth'],
    ['--state', 'reference/flags.html#--state'],
    ['--port', 'reference/flags.html#--http-port'],
    ['avm.getUTXOs', 'reference/node-rpc.html#avmgetutxos'],
    ['DEV_BAD_AMOUNT', 'reference/errors.html#dev_bad_amount'],
    ['EVENTS_LOST', 'reference/errors.html#events_lost'],
    ['-32602', 'reference/errors.html#-32602'],
    ['getUtxosByAddresses', 'reference/data-api.html#getutxosbyaddresses'],
    ['follow a node', 'guides/follow.html'],
  ])('%s leads to %s first', async (text, target) => {
    const index = await indexOfSite();
    const [first] = findEntries(index, wordsOf(text), 10);
    const [page = -1, , anchor = ''] = first?.entry ?? [];
    expect(`${index.pages[page]?.url}${anchor === '' ? '' : `#${anchor}`}`).toBe(target);
  });

  test('finds every flag, method and error code first', async () => {
    const index = await indexOfSite();
    const methods = Object.values(services).flatMap(({ prefix, methods }) => Object.keys(methods).map((name) => prefix + name));
    const names = [...Object.keys(flagTable).map((name) => `--${name}`), ...methods, ...errorAdvice.keys()];
    const wrong = names.filter((name) => !isNamed(findEntries(index, wordsOf(name), 1)[0]?.entry[1] ?? '', name));
    expect(wrong).toEqual([]);
    expect(names.length).toBeGreaterThan(300);
  });

  const isNamed = (heading: string, name: string): boolean => heading.split(/[,\s]+/).includes(name);
  const indexOfSite = async (): Promise<DocsIndex> => {
    const [, script] = [...(await buildDocs({ isServed: true }))].find(([path]) => path.endsWith('-search.js')) ?? [];
    return JSON.parse(/=(.*);/s.exec(String(script))?.[1] ?? '') as DocsIndex;
  };
});

test('the plain files have pictures, the site of a node has none', async () => {
  const pictures = async (isServed: boolean) =>
    [...(await buildDocs({ isServed })).keys()].filter((path) => /\.(png|webp)$/.test(path)).length;
  expect([await pictures(false), await pictures(true)]).toEqual([3, 0]);
});

test('in a clone, a node builds the site while it answers other requests', async () => {
  const { loadDocs } = createEnv({ version: '', log: { info: () => {}, warn: () => {}, error: () => {}, debug: () => {} } as never });
  /** The longest turn of the event loop while the site is built, in milliseconds. */
  const longestTurn = async (): Promise<number> => {
    let [longest, isBuilt] = [0, false];
    const built = loadDocs().finally(() => {
      isBuilt = true;
    });
    for (let began = performance.now(); !isBuilt; ) {
      await new Promise((resolve) => setImmediate(resolve));
      const now = performance.now();
      longest = Math.max(longest, now - began);
      began = now;
    }
    expect([...(await built)].map(([path, content]) => [path, content.length])).toContainEqual(['llms.txt', expect.any(Number)]);
    return longest;
  };
  // Building takes about 400 ms of CPU. The machine may do something else, so the best of some attempts counts.
  expect(await eventually(longestTurn, (longest) => longest < 100)).toBeLessThan(100);
});

describe('a node', () => {
  let node: Program;
  beforeAll(async () => {
    node = await startProgram();
  });
  afterAll(() => node.stop());
  const get = (path: string, headers: Record<string, string> = {}) => fetch(node.url + path, { headers, redirect: 'manual' });

  test('serves the home page, pages, Markdown and llms.txt, and redirects short forms', async () => {
    expect([(await get('/docs')).status, (await get('/docs')).headers.get('location')]).toEqual([302, '/docs/']);
    expect((await get('/docs/guides/join')).headers.get('location')).toBe('/docs/guides/join.html');
    const home = await get('/docs/');
    expect([home.status, home.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(await (await get('/docs/guides/join.html')).text()).toContain('<h1>Join a network</h1>');
    expect(await (await get('/docs/guides/join.md')).text()).toStartWith('# Join a network\n');
    expect(await (await get('/docs/llms.txt')).text()).toStartWith('# Serac\n');
    expect((await get('/docs/understand/decisions/')).status).toBe(200);
    expect((await get('/docs/../package.json')).status).toBe(404);
    expect((await fetch(`${node.url}/docs/`, { method: 'POST' })).status).toBe(404);
  });

  test('an address without a page gets the frame, a search and the nearest pages, all links of which exist', async () => {
    for (const [path, nearest] of [
      ['/docs/nothing', undefined],
      ['/docs/guides/webhook', 'guides/webhooks'],
      ['/docs/flag.html', 'reference/flags'],
      ['/docs/guides/deep/er/folow', 'guides/follow'],
      ['/docs/%3Cimg%20src=x%3E', undefined],
    ] as const) {
      const answer = await get(path);
      expect([path, answer.status, answer.headers.get('content-type')]).toEqual([path, 404, 'text/html; charset=utf-8']);
      expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
      const text = await answer.text();
      expect(text).toContain('<h1>Page not found</h1>');
      expect(text).toContain('type="search"');
      expect(text).not.toContain('<img');
      const [, list = ''] = /<section id="nearest">(.*?)<\/section>/s.exec(text) ?? [];
      const near = [...list.matchAll(/href="([^"]*)"/g)].map(([, target = '']) => posix.join(posix.dirname(path), target));
      expect(near.length).toBe(5);
      // The search adds the address of a page to this one.
      const [, top = ''] = / data-root="([^"]*)"/.exec(text) ?? [];
      expect(posix.join(posix.dirname(path), top, 'index.html')).toBe('/docs/index.html');
      if (nearest !== undefined) expect(near[0]).toBe(`/docs/${nearest}.html`);
      const assets = [...text.matchAll(/ (?:src|data-index)="([^"]*)"/g)].map(([, target = '']) => posix.join(posix.dirname(path), target));
      for (const target of [...near, ...assets]) expect([target, (await get(target)).status]).toEqual([target, 200]);
    }
    const file = await get('/docs/nothing.md');
    expect([file.status, file.headers.get('content-type')]).toEqual([404, 'text/plain; charset=utf-8']);
  });

  test('redirects every page that has moved, as HTML, as Markdown and without an ending', async () => {
    const old = [
      ...Object.entries(movedPages),
      ['decisions/bun', 'understand/decisions/bun'] as const,
      ['decisions/chain-counters', 'understand/decisions/lean-ledger'] as const,
      ['decisions/one-balance', 'understand/decisions/lean-ledger'] as const,
      ['performance-how', 'operate/performance'] as const,
    ];
    for (const [before, now] of old)
      for (const ending of ['.html', '.md', '']) {
        const location = (await get(`/docs/${before}${ending}`)).headers.get('location');
        expect([before, location]).toEqual([before, `/docs/${now}${ending === '' ? '.html' : ending}`]);
      }
    for (const now of Object.values(movedPages)) expect([now, (await get(`/docs/${now}.html`)).status]).toEqual([now, 200]);
  });

  test('has the policy of the explorer; an unchanged page is 304, an asset never asked for again', async () => {
    const page = await get('/docs/start/first-hour.html');
    const policy = (await get('/', { accept: 'text/html' })).headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'");
    expect(page.headers.get('content-security-policy')).toBe(policy);
    expect(page.headers.get('cache-control')).toBe('no-cache');
    const etag = page.headers.get('etag') ?? '';
    const again = await get('/docs/start/first-hour.html', { 'if-none-match': `W/${etag}` });
    expect([again.status, await again.text()]).toEqual([304, '']);
    expect((await get('/docs/start/first-hour.html', { 'if-none-match': '"other"' })).status).toBe(200);
    const [asset = ''] = /assets\/[\w-]+docs\.css/.exec(await page.text()) ?? [];
    expect((await get(`/docs/${asset}`)).headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  });

  test('sends at most 60 kB for the first page that somebody opens, whichever it is', async () => {
    const bytes = async (path: string): Promise<number> => {
      const response = await fetch(node.url + path, { headers: { 'accept-encoding': 'br' }, decompress: false } as RequestInit);
      expect([path, response.status]).toEqual([path, 200]);
      return (await response.arrayBuffer()).byteLength;
    };
    const sizes: number[] = [];
    for (const { page } of docsTable) {
      const text = await (await get(`/docs/${page}.html`)).text();
      const files = [...text.matchAll(/ (?:href|src)="((?:\.\.\/)*assets\/[^"]*)"/g)].map(([, file = '']) =>
        posix.join('/docs', posix.dirname(page), file),
      );
      expect(files.length).toBe(4);
      sizes.push((await Promise.all([`/docs/${page}.html`, ...files].map(bytes))).reduce((sum, size) => sum + size));
    }
    expect(Math.max(...sizes)).toBeLessThan(60_000);
    expect(Math.min(...sizes)).toBeGreaterThan(5_000);
  });
});
