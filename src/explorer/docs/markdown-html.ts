import { type Html, html } from '../../api/rest/html.ts';
import { highlightCode } from './highlight-code.ts';
import type { Block, TableBlock } from './markdown-blocks.ts';

/** Where links and pictures of a page lead on the site; undefined: to a file that the site does not have. */
export type Resolvers = {
  /** `title` is that of the page: it replaces a text that is the name of a file. */
  readonly link: (target: string) => { readonly url: string; readonly title?: string | undefined } | undefined;
  readonly picture: (target: string) => string | undefined;
};

/** Renders the blocks of a page. Everything in them is text: HTML in the source is shown, not executed. */
export const renderBlocks = (blocks: readonly Block[], resolvers: Resolvers): Html =>
  joinHtml(blocks.map((block) => renderBlock(block, resolvers)));

const joinHtml = (parts: readonly Html[]): Html => ({ html: parts.map((part) => part.html).join('\n') });

function renderBlock(block: Block, resolvers: Resolvers): Html {
  const inline = (text: string): Html => renderInline(text, resolvers);
  switch (block.kind) {
    case 'heading':
      return renderHeading(block, inline);
    case 'paragraph':
      return html`<p>${inline(block.text)}</p>`;
    case 'code': {
      const { language, text } = block;
      // Focusable, because a long line is scrolled with the arrow keys.
      return html`<div class="code code-${language || 'text'}"><pre tabindex="0"><code>${highlightCode(language, text)}</code></pre></div>`;
    }
    case 'table':
      return renderTable(block, inline);
    case 'list': {
      const items = block.items.map((item) => {
        const [only, ...others] = item;
        return html`<li>${only?.kind === 'paragraph' && others.length === 0 ? inline(only.text) : renderBlocks(item, resolvers)}</li>`;
      });
      return block.isOrdered ? html`<ol>${items}</ol>` : html`<ul>${items}</ul>`;
    }
  }
}

function renderTable({ head, rows, rowIds }: TableBlock, inline: (text: string) => Html): Html {
  const titles = head.map((cell) => (cell === '' ? html`<td></td>` : html`<th scope="col">${inline(cell)}</th>`));
  const lines = rows.map((row, at) => {
    const cells = row.map((cell) => html`<td>${inline(cell)}</td>`);
    return rowIds[at] === undefined ? html`<tr>${cells}</tr>` : html`<tr id="${rowIds[at]}">${cells}</tr>`;
  });
  return html`<div class="scroll" tabindex="0"><table><thead><tr>${titles}</tr></thead><tbody>${lines}</tbody></table></div>`;
}

function renderHeading({ level, text, id }: Extract<Block, { kind: 'heading' }>, inline: (text: string) => Html): Html {
  if (level === 1) return html`<h1>${inline(text)}</h1>`;
  const link = html`<a class="anchor" href="#${id}" aria-label="Link to this section">#</a>`;
  if (level === 2) return html`<h2 id="${id}">${inline(text)} ${link}</h2>`;
  return level === 3 ? html`<h3 id="${id}">${inline(text)} ${link}</h3>` : html`<h4 id="${id}">${inline(text)} ${link}</h4>`;
}

/** Code, pictures, links, bold and emphasis, in this order; an escaped character is itself. */
const inlinePattern =
  /(`+)(?<code>.+?)\1(?!`)|!\[(?<alt>[^\]]*)\]\((?<picture>[^)\s]+)\)|\[(?<word>(?:[^[\]`]|`[^`]*`)+)\]\((?<target>[^)\s]+)\)|\*\*(?<bold>.+?)\*\*|(?<![*\w])\*(?<emphasis>[^*\s](?:[^*]*[^*\s])?)\*(?![*\w])|\\(?<escaped>[\\`*_[\]|<>#-])/gs;

function renderInline(text: string, resolvers: Resolvers): Html {
  const parts: Html[] = [];
  let end = 0;
  for (const match of text.matchAll(inlinePattern)) {
    parts.push(html`${text.slice(end, match.index)}`, renderMatch(match.groups ?? {}, resolvers));
    end = match.index + match[0].length;
  }
  parts.push(html`${text.slice(end)}`);
  return { html: parts.map((part) => part.html).join('') };
}

function renderMatch(groups: Readonly<Record<string, string | undefined>>, resolvers: Resolvers): Html {
  const { code, alt = '', picture, word, target, bold, emphasis, escaped } = groups;
  const inline = (text: string): Html => renderInline(text, resolvers);
  if (code !== undefined) return renderCode(code);
  if (picture !== undefined) {
    const source = resolvers.picture(picture);
    return source === undefined ? html`<span class="no-picture">${alt}</span>` : html`<img src="${source}" alt="${alt}" loading="lazy">`;
  }
  if (word !== undefined && target !== undefined) {
    const found = resolvers.link(target);
    if (found === undefined) return html`<span class="in-repository">${inline(word)}</span>`;
    const shown = /^[\w./-]+\.md$/.test(word) ? (found.title ?? word) : word;
    return html`<a href="${found.url}">${inline(shown)}</a>`;
  }
  if (bold !== undefined) return html`<b>${inline(bold)}</b>`;
  if (emphasis !== undefined) return html`<em>${inline(emphasis)}</em>`;
  return html`${escaped}`;
}

/** Characters of code that stay on one line. Longer code is broken, preferably after a slash. */
const unbrokenLength = 32;

function renderCode(code: string): Html {
  if (code.length <= unbrokenLength) return html`<code>${code}</code>`;
  const parts = code.split(/(?<=\/)/).map((part) => html`${part}`.html);
  return html`<code class="long">${{ html: parts.join('<wbr>') }}</code>`;
}

/** The text of a line without marks, for the search index and titles. */
export const plainText = (text: string): string =>
  text.replaceAll(inlinePattern, (...match) => {
    const { code, alt, word, bold, emphasis, escaped } = match.at(-1) as Readonly<Record<string, string | undefined>>;
    const inner = word ?? bold ?? emphasis;
    return inner === undefined ? (code ?? alt ?? escaped ?? '') : plainText(inner);
  });
