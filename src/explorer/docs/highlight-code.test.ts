import { expect, test } from 'bun:test';
import { splitSections } from './docs-pages.ts';
import { makeIndex } from './docs-search.ts';
import { highlightCode } from './highlight-code.ts';
import { parseMarkdown } from './markdown-blocks.ts';

/** The marked parts of a text as `kind:text`. */
const marked = (language: string, text: string): string[] =>
  [...highlightCode(language, text).html.matchAll(/<span class="(\w)">(.*?)<\/span>/gs)].map(([, kind, part]) => `${kind}:${part}`);

test.each([
  ['sh', "npm start | grep 'a' # why", ['w:npm', 'w:grep', 's:&#39;a&#39;', 'c:# why']],
  ['ts', "const a = 'b'; // c", ['w:const', 's:&#39;b&#39;', 'c:// c']],
  ['js', 'fetch("http://a//b")', ['s:&quot;http://a//b&quot;']],
  ['json', '{"a": "b"}', ['s:&quot;a&quot;']],
  ['sql', "SELECT 'x' -- y", ['w:SELECT', 's:&#39;x&#39;', 'c:-- y']],
  ['ini', '[unit]\nkey=1\n# c', ['s:[unit]', 'w:key', 'c:# c']],
  ['yaml', "a: 'b' # c", ['w:a', 's:&#39;b&#39;', 'c:# c']],
])('%s is marked', (language, text, parts) => {
  const decoded = marked(language, text).map((part) => part.replaceAll('&#x27;', '&#39;').replaceAll('&#34;', '&quot;'));
  expect(decoded).toEqual(parts);
});

test('no part of the text is lost, and none becomes HTML', () => {
  const text = 'const a = "<b>" + `c`; // <d> & e\nlast';
  const { html } = highlightCode('ts', text);
  const plain = html.replaceAll(/<\/?span[^>]*>/g, '');
  expect(plain).toBe(highlightCode('unknown', text).html);
  expect(highlightCode('unknown', 'a < b').html).toBe(highlightCode('toString', 'a < b').html);
  expect(plain).not.toMatch(/<[bd]>/);
});

test('sections begin with headings of level 2, not with lines of code', () => {
  const text = '# T\nabout\n## First one\na\n```sh\n## no heading\n```\n### deeper\n## Second\nb';
  expect(splitSections(text).map(({ anchor, lines }) => [anchor, lines.length])).toEqual([
    ['intro', 2],
    ['first-one', 6],
    ['second', 2],
  ]);
});

test('the search index has pages, sections with their words, and rows of flags and codes', () => {
  const text = [
    ...['# Title', 'Some *words*.', '', '## Part `one`', '- item', '', '```sh', 'npm start', '```', '', '```json', '{"id": 1}', '```', ''],
    ...['| flag | what |', '|---|---|', '| `--a N` | counts |', '', '| other | x |', '|---|---|', '| cell | y |'],
  ];
  const page = { page: 'guides/a', title: 'Title', about: 'About it.', section: 'Guides', blocks: parseMarkdown(text.join('\n')) };
  const { pages, entries } = makeIndex([page, { ...page, page: 'understand/b', section: 'Understand', blocks: [] }] as never);
  expect(pages).toEqual([
    { url: 'guides/a.html', title: 'Title', weight: 1 },
    { url: 'understand/b.html', title: 'Title', weight: 0.4 },
  ]);
  expect(entries).toEqual([
    [0, 'Title', '', 'About it. Some words.'],
    [0, 'Part one', 'part-one', 'item npm start other x cell y'],
    [0, '--a N', '--a', 'counts'],
    [1, 'Title', '', 'About it.'],
  ]);
});
