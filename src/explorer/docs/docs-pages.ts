import { Fault } from '../../base/fault.ts';
import { type DocsRow, decisionsFolder, docsTable } from './docs-table.ts';
import { anchorOf, type Block, parseMarkdown } from './markdown-blocks.ts';
import { plainText } from './markdown-html.ts';

/** The Markdown files of the repository by their paths, such as `docs/guides/join.md`. */
export type DocsSources = ReadonlyMap<string, string>;

/** A page of the site, before it is rendered. */
export type DocsPage = DocsRow & {
  /** Its Markdown, with the links of the source. */
  readonly text: string;
  readonly blocks: readonly Block[];
  /** The anchors of its source that lead to the page; empty for one that is its beginning. */
  readonly anchors: ReadonlyMap<string, string>;
};

/** All pages in the order of the navigation. Throws if a source of the table is missing, or one of its sections. */
export const makePages = (sources: DocsSources): DocsPage[] =>
  [...docsTable.flatMap((row) => (row.source === `${decisionsFolder}README.md` ? [row, ...decisionRows(row, sources)] : [row]))].map(
    (row) => makePage(row, sources),
  );

function makePage(row: DocsRow, sources: DocsSources): DocsPage {
  const source = readSource(sources, row.source);
  const { parts, title } = row;
  const text = parts === undefined ? source : selectParts(row, parts, splitSections(source));
  const blocks = parseMarkdown(text);
  const [first, ...others] = blocks;
  if (first?.kind !== 'heading' || first.level !== 1)
    throw new DocsError(`${row.source} does not begin with a heading of level 1`, { code: 'DOCS_NO_TITLE', source: row.source });
  const anchors = new Map<string, string>(
    others.flatMap((block) => (block.kind === 'heading' ? [[block.id, `#${block.id}`] as const] : [])),
  );
  anchors.set(anchorOf(title), anchors.get(anchorOf(title)) ?? '');
  if (parts?.length === 1) anchors.set(parts[0] as string, '');
  return { ...row, text, blocks, anchors };
}

function readSource(sources: DocsSources, path: string): string {
  const text = sources.get(path);
  if (text === undefined)
    throw new DocsError(`${path} is in the table of pages and does not exist`, { code: 'DOCS_NO_SOURCE', source: path });
  return text;
}

/** The decisions in the order of their list, each with its sentence there. */
function decisionRows({ source, section }: DocsRow, sources: DocsSources): DocsRow[] {
  const listed = [...readSource(sources, source).matchAll(/^\| \[[^\]]*\]\(([\w-]+)\.md\) \| (.*) \|$/gm)];
  return listed.map(([, name = '', about = '']) => {
    const file = `${decisionsFolder}${name}.md`;
    const [, title = name] = /^# (.*)$/m.exec(readSource(sources, file)) ?? [];
    return { page: `understand/decisions/${name}`, title: plainText(title), section, source: file, about: `${plainText(about)}.` };
  });
}

/** A level-2 section of a file with its heading; `intro` is what is above the first. */
type Section = { readonly anchor: string; readonly lines: readonly string[] };

export function splitSections(text: string): Section[] {
  const sections: { anchor: string; lines: string[] }[] = [{ anchor: 'intro', lines: [] }];
  let isCode = false;
  for (const line of text.split('\n')) {
    if (line.startsWith('```')) isCode = !isCode;
    if (!isCode && line.startsWith('## ')) sections.push({ anchor: anchorOf(line.slice(3)), lines: [] });
    sections.at(-1)?.lines.push(line);
  }
  return sections;
}

/** A page of only one section has its title in place of the section's heading, and its headings one level higher. */
function selectParts({ source, title }: DocsRow, parts: readonly string[], sections: readonly Section[]): string {
  const chosen = parts.map((anchor) => {
    const found = sections.find((section) => section.anchor === anchor);
    if (found === undefined)
      throw new DocsError(`${source} has no section ${anchor}, which the table of pages names`, { code: 'DOCS_NO_PART', source, anchor });
    return found.lines;
  });
  const [only, ...others] = chosen;
  const lines = others.length > 0 ? chosen.flat() : raiseHeadings(only?.slice(1) ?? []);
  return [`# ${title}`, '', ...lines.filter((line) => !line.startsWith('# '))].join('\n');
}

function raiseHeadings(lines: readonly string[]): string[] {
  let isCode = false;
  return lines.map((line) => {
    if (line.startsWith('```')) isCode = !isCode;
    return !isCode && line.startsWith('###') ? line.slice(1) : line;
  });
}

type DocsFault =
  | { code: 'DOCS_NO_SOURCE'; source: string }
  | { code: 'DOCS_NO_TITLE'; source: string }
  | { code: 'DOCS_NO_PART'; source: string; anchor: string }
  | { code: 'DOCS_BROKEN_LINK'; source: string; target: string };
/** The documentation cannot be built. */
export class DocsError extends Fault<DocsFault> {}
