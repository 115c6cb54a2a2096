import { openOnUse } from '../../base/cache/memoize.ts';
import type { DocsEntry, DocsIndex } from '../docs/docs-search.ts';
import { findEntries, wordsOf } from '../docs/find-entries.ts';
import { listMatches } from './match-list.ts';
import { changeTheme, copyText } from './page-tools.ts';
import { findCalls, isCallName, type ListedCall } from './reference-list.ts';

/** The script of the documentation: search, copy buttons, the theme, and the mark at the section that is read. The text needs no script. */

declare global {
  /** Set by the search index, which is loaded when somebody searches. */
  var seracDocs: DocsIndex | undefined;
}

/** Matches that are listed. */
const maxMatches = 10;
/** Characters of text around a match. */
const snippetLength = 110;

const { index = '', root = '' } = (document.currentScript as HTMLScriptElement).dataset;

const searchIndex = openOnUse(
  () =>
    new Promise<void>((resolve, reject) => {
      const script = Object.assign(document.createElement('script'), { src: index });
      script.addEventListener('load', () => resolve());
      script.addEventListener('error', () => reject(new TypeError('the search index cannot be loaded')));
      document.head.append(script);
    }),
);

async function find(text: string): Promise<HTMLAnchorElement[]> {
  const [found] = await Promise.all([findCalls(text), searchIndex.get()]);
  const words = wordsOf(text);
  const calls = found.map((call) => callLink(call, words));
  const best = findEntries(globalThis.seracDocs as DocsIndex, words, maxMatches - calls.length);
  const pages = best.map(({ entry, title }) => linkOf(entry, title, words));
  if (pages.length + calls.length === 0) return [noMatch(text)];
  // Only a section about the call itself comes before it.
  const sections = best.filter(({ entry: [, heading] }) => heading.toLowerCase() === text.toLowerCase());
  return pages.toSpliced(isCallName(text) ? sections.length : pages.length, 0, ...calls);
}

/** A method or route of the server that has this documentation. */
function callLink({ name, summary, href }: ListedCall, words: readonly string[]): HTMLAnchorElement {
  const link = Object.assign(document.createElement('a'), { href });
  const [word, place, about] = ['b', 'small', 'span'].map((tag) => document.createElement(tag)) as [HTMLElement, HTMLElement, HTMLElement];
  word.append(...marked(name, words));
  place.textContent = 'API';
  about.textContent = summary;
  link.append(word, place, about);
  return link;
}

function linkOf([page, heading, anchor, text]: DocsEntry, title: string, words: readonly string[]): HTMLAnchorElement {
  const url = `${root}${globalThis.seracDocs?.pages[page]?.url}${anchor === '' ? '' : `#${anchor}`}`;
  const link = Object.assign(document.createElement('a'), { href: url });
  const [name, place, snippet] = ['b', 'small', 'span'].map((tag) => document.createElement(tag)) as [
    HTMLElement,
    HTMLElement,
    HTMLElement,
  ];
  name.append(...marked(heading, words));
  place.textContent = anchor === '' ? '' : title;
  const at = Math.max(0, Math.min(...words.map((word) => text.toLowerCase().indexOf(word)).filter((found) => found >= 0)) - 30);
  const from = Number.isFinite(at) ? at : 0;
  snippet.append(...marked((from > 0 ? '…' : '') + text.slice(from, from + snippetLength), words));
  link.append(name, place, snippet);
  return link;
}

/** A text with its searched words in `mark` elements. */
function marked(text: string, words: readonly string[]): (string | HTMLElement)[] {
  const escaped = words.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return text.split(new RegExp(`(${escaped.join('|')})`, 'i')).map((part, at) => {
    if (at % 2 === 0) return part;
    return Object.assign(document.createElement('mark'), { textContent: part });
  });
}

function noMatch(text: string): HTMLAnchorElement {
  const link = document.createElement('a');
  link.textContent = `No page contains “${text}”.`;
  return link;
}

function addCopyButtons(): void {
  // Not for the answer of a command.
  for (const code of document.querySelectorAll<HTMLElement>('.code:not(.code-sh + .code-json)')) {
    const button = Object.assign(document.createElement('button'), { type: 'button', className: 'copy-code', textContent: 'Copy' });
    button.dataset.copy = code.textContent?.trimEnd() ?? '';
    code.append(button);
  }
}

/** Marks the link of the section that is read in the list of headings. */
function followHeadings(): void {
  const links = new Map([...document.querySelectorAll<HTMLAnchorElement>('.docs-contents a')].map((link) => [link.hash.slice(1), link]));
  const headings = [...links.keys()].flatMap((id) => document.getElementById(id) ?? []);
  if (headings.length === 0) return;
  let current: HTMLAnchorElement | undefined;
  const update = (): void => {
    const read = headings.findLast((heading) => heading.getBoundingClientRect().top < 96) ?? headings[0];
    const next = links.get(read?.id ?? '');
    if (next === current) return;
    current?.removeAttribute('aria-current');
    next?.setAttribute('aria-current', 'location');
    next?.scrollIntoView({ block: 'nearest' });
    current = next;
  };
  let isPending = false;
  addEventListener(
    'scroll',
    () => {
      if (isPending) return;
      isPending = true;
      requestAnimationFrame(() => {
        isPending = false;
        update();
      });
    },
    { passive: true },
  );
  update();
}

const input = document.querySelector<HTMLInputElement>('.search input');
input?.addEventListener('input', () => listMatches(input, find), { once: true });
input?.form?.addEventListener('submit', (event) => {
  event.preventDefault();
  input.form?.querySelector<HTMLAnchorElement>('.suggestions a[href]')?.click();
});
document.addEventListener('click', ({ target }) => {
  const element = target instanceof Element ? target : undefined;
  if (element?.closest('[data-theme-button]')) changeTheme();
  const copy = element?.closest<HTMLElement>('[data-copy]');
  if (copy) void copyText(copy);
});
document.addEventListener('keydown', (event) => {
  const target = event.target instanceof HTMLElement ? event.target : document.body;
  if (event.key === 'Escape') {
    target.blur();
    // The list of pages on a narrow screen.
    if (location.hash === '#pages') location.hash = '#main';
  }
  if (event.key !== '/' || target.matches('input') || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  input?.focus();
});
document.querySelector('.docs-nav [aria-current]')?.scrollIntoView({ block: 'nearest' });
addCopyButtons();
followHeadings();
