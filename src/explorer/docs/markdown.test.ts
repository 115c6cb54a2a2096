import { describe, expect, test } from 'bun:test';
import { anchorOf, parseMarkdown } from './markdown-blocks.ts';
import { plainText, type Resolvers, renderBlocks } from './markdown-html.ts';

const resolvers: Resolvers = {
  link: (target) => (target.startsWith('gone') || /^(?!https?:)[a-z]+:/.test(target) ? undefined : { url: target, title: 'The <title>' }),
  picture: (target) => (target === 'here.png' ? 'assets/here.png' : undefined),
};
const render = (text: string): string => renderBlocks(parseMarkdown(text), resolvers).html;

test.each([
  ['a `<b>` & "c"', '<p>a <code>&lt;b&gt;</code> &amp; &quot;c&quot;</p>'],
  ['<script>alert(1)</script>', '<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>'],
  ['**bold `code`** and *this*, 2 * 3 * 4', '<p><b>bold <code>code</code></b> and <em>this</em>, 2 * 3 * 4</p>'],
  ['[words](page.html#x)', '<p><a href="page.html#x">words</a></p>'],
  ['[docs/guides/join.md](join.md)', '<p><a href="join.md">The &lt;title&gt;</a></p>'],
  ['[`src/`](gone/src/)', '<p><span class="in-repository"><code>src/</code></span></p>'],
  ['[x](javascript:alert(1))', '<p><span class="in-repository">x</span>)</p>'],
  ['[x](a"onclick="b)', '<p><a href="a&quot;onclick=&quot;b">x</a></p>'],
  ['![a "picture"](here.png)', '<p><img src="assets/here.png" alt="a &quot;picture&quot;" loading="lazy"></p>'],
  ['![the page](other.png)', '<p><span class="no-picture">the page</span></p>'],
  ['``a ` b`` and \\*not\\*', '<p><code>a ` b</code> and *not*</p>'],
  ['<!-- from the tables: begin -->\ntext', '<p>text</p>'],
])('%s', (text, html) => expect(render(text)).toBe(html));

test('headings have the anchors of GitHub, numbered if they repeat', () => {
  expect(anchorOf('Access to `/ext/dev` (local)')).toBe('access-to-extdev-local');
  expect(parseMarkdown('## Limits\n## Limits').map((block) => block.kind === 'heading' && block.id)).toEqual(['limits', 'limits-1']);
});

test('a bar in code or after a backslash does not end a cell', () => {
  expect(parseMarkdown('| a | b |\n|---|---|\n| `x|y` | c \\| d |\n| | e |')).toEqual([
    {
      kind: 'table',
      head: ['a', 'b'],
      rows: [
        ['`x|y`', 'c | d'],
        ['', 'e'],
      ],
      rowIds: [],
    },
  ]);
});

describe('lists', () => {
  test('items go on in the next lines, and contain lists and code', () => {
    expect(render('- one\n  more\n- two\n\n  - inner\n\ntext')).toBe(
      '<ul><li>one\nmore</li><li><p>two</p>\n<ul><li>inner</li></ul></li></ul>\n<p>text</p>',
    );
    expect(render('1. a\n   ```sh\n   ls\n   ```\n2. b')).toContain('<ol><li><p>a</p>\n<div class="code code-sh">');
  });
});

test('code is text, with its comments, quoted texts and commands marked', () => {
  expect(render('```sh\ncurl -d \'{"a":1}\' # <ask>\n```')).toBe(
    '<div class="code code-sh"><pre tabindex="0"><code><span class="w">curl</span> -d <span class="s">&#39;{&quot;a&quot;:1}&#39;</span> <span class="c"># &lt;ask&gt;</span></code></pre></div>',
  );
  expect(render('```\n</code><b>\n# no heading\n```')).toContain('&lt;/code&gt;&lt;b&gt;\n# no heading');
});

test('every text ends, whatever it contains', () => {
  const pieces = ['|', '`', '```', '\n', '- ', '1. ', '[', '](', ')', '**', '*', '<!--', '-->', '#', ' ', 'a', '|---|', '\\'];
  let seed = 7;
  const next = (): number => (seed = (seed * 48_271) % 2_147_483_647);
  for (let round = 0; round < 3000; round++) {
    const text = Array.from({ length: 30 }, () => pieces[next() % pieces.length]).join('');
    expect(render(text)).not.toMatch(/<!--|<a(?! (?:href|class)=)/);
    plainText(text);
  }
});
