import type { DocsPage } from './docs-pages.ts';
import type { Block, TableBlock } from './markdown-blocks.ts';
import { plainText } from './markdown-html.ts';

/** What the search of the site reads: pages, their sections with all words, and rows of flags and codes. The browser loads it when somebody searches. */
export type DocsIndex = {
  /** `weight` is smaller for pages about how Serac is made than for those about its use. */
  readonly pages: readonly { readonly url: string; readonly title: string; readonly weight: number }[];
  readonly entries: readonly DocsEntry[];
};

export type DocsEntry = readonly [page: number, heading: string, anchor: string, text: string];

export const makeIndex = (pages: readonly DocsPage[]): DocsIndex => ({
  pages: pages.map(({ page, title, section }) => ({
    url: `${page}.html`,
    title,
    weight: section === 'Understand' ? 0.4 : 1,
  })),
  entries: pages.flatMap((page, at) => entriesOf(page, at)),
});

function entriesOf({ title, blocks, about }: DocsPage, page: number): DocsEntry[] {
  const entries: { heading: string; anchor: string; texts: string[] }[] = [{ heading: title, anchor: '', texts: [about] }];
  const rows: typeof entries = [];
  for (const block of blocks)
    if (block.kind === 'table' && block.rowIds.length > 0) rows.push(...rowEntries(block));
    else if (block.kind !== 'heading') entries.at(-1)?.texts.push(...textsOf(block));
    else if (block.level > 1) entries.push({ heading: plainText(block.text), anchor: block.id, texts: [] });
  return [...entries, ...rows].map(({ heading, anchor, texts }) => [page, heading, anchor, texts.join(' ').replaceAll(/\s+/g, ' ')]);
}

/** An entry for each flag or code of a table. */
const rowEntries = ({ rows, rowIds }: TableBlock): { heading: string; anchor: string; texts: string[] }[] =>
  rows.map(([name = '', ...cells], at) => ({ heading: plainText(name), anchor: rowIds[at] as string, texts: cells.map(plainText) }));

/** The words of a block. Answers of examples are left out: they are long, and nobody searches for their IDs. */
function textsOf(block: Block): string[] {
  switch (block.kind) {
    case 'heading':
    case 'paragraph':
      return [plainText(block.text)];
    case 'code':
      return block.language === 'json' ? [] : [block.text];
    case 'table':
      return [block.head, ...block.rows].map((row) => row.map(plainText).join(' '));
    case 'list':
      return block.items.flatMap((item) => item.flatMap(textsOf));
  }
}
