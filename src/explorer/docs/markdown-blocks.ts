/** The part of Markdown that docs/ uses, as blocks. Anything else is text. */
export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly text: string; readonly id: string }
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'code'; readonly language: string; readonly text: string }
  | TableBlock
  | { readonly kind: 'list'; readonly isOrdered: boolean; readonly items: readonly (readonly Block[])[] };

export type TableBlock = {
  readonly kind: 'table';
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** The anchor of each row of a table of flags or codes, so that a search leads to the row; empty for other tables. */
  readonly rowIds: readonly string[];
};

/** Tables whose first column has this title get an anchor for each row. */
const namedColumns = /^(flag|code)$/;

const headingLine = /^(#{1,6}) (.*)$/;
const fenceLine = /^(`{3,})(\w*)$/;
const itemLine = /^([-*]|\d+\.) +(.*)$/;
const tableRule = /^\|(?: ?:?-+:? ?\|)+$/;

/** Reads a page. Headings get the anchors that GitHub gives them. */
export function parseMarkdown(text: string): Block[] {
  const used = new Map<string, number>();
  const idOf = (heading: string): string => {
    const id = anchorOf(heading);
    const before = used.get(id) ?? 0;
    used.set(id, before + 1);
    return before === 0 ? id : `${id}-${before}`;
  };
  return parseLines(text.replaceAll('\r\n', '\n').split('\n'), idOf);
}

/** The anchor of a heading, by GitHub's rule. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');

function parseLines(lines: readonly string[], idOf: (heading: string) => string): Block[] {
  const blocks: Block[] = [];
  let at = 0;
  const take = (isPart: (line: string) => boolean): string[] => {
    const from = at;
    while (at < lines.length && isPart(lines[at] as string)) at++;
    return lines.slice(from, at);
  };
  while (at < lines.length) {
    const line = lines[at] as string;
    const heading = headingLine.exec(line);
    const fence = fenceLine.exec(line);
    if (line.trim() === '') at++;
    else if (line.startsWith('<!--')) {
      take((one) => !one.includes('-->'));
      at++;
    } else if (heading !== null) {
      const [, marks = '', text = ''] = heading;
      blocks.push({ kind: 'heading', level: marks.length, text, id: idOf(text) });
      at++;
    } else if (fence !== null) {
      const [, mark, language = ''] = fence;
      at++;
      blocks.push({ kind: 'code', language, text: take((one) => one !== mark).join('\n') });
      at++;
    } else if (line.startsWith('|') && tableRule.test(lines[at + 1] ?? '')) {
      const [head = [], , ...rows] = take((one) => one.startsWith('|')).map(cellsOf);
      const rowIds = namedColumns.test(head[0] ?? '') ? rows.map(([name = '']) => idOf(rowName(name))) : [];
      blocks.push({ kind: 'table', head, rows, rowIds });
    } else if (itemLine.test(line)) blocks.push(parseList(take, idOf, () => lines[at]));
    else blocks.push({ kind: 'paragraph', text: takeParagraph(take) });
  }
  return blocks;
}

/** `--http-port` of "`--http-port N`, `-p`". */
const rowName = (cell: string): string => /`([^`\s]+)/.exec(cell)?.[1] ?? cell;

type Take = (isPart: (line: string) => boolean) => string[];

/** The first line belongs to the paragraph whatever it is, so that every line is read. */
function takeParagraph(take: Take): string {
  let isFirst = true;
  return take((line) => {
    const isPart = isFirst || (line.trim() !== '' && !startsBlock(line));
    isFirst = false;
    return isPart;
  }).join('\n');
}

const startsBlock = (line: string): boolean =>
  headingLine.test(line) || fenceLine.test(line) || itemLine.test(line) || line.startsWith('|') || line.startsWith('<!--');

/** An item goes on with indented lines and, until an empty line, with lines that begin no other block. */
function parseList(take: Take, idOf: (heading: string) => string, next: () => string | undefined): Block {
  const isOrdered = /^\d/.test(next() as string);
  const items: Block[][] = [];
  while (true) {
    const [, mark, first] = itemLine.exec(next() ?? '') ?? [];
    if (mark === undefined || first === undefined || /^\d/.test(mark) !== isOrdered) break;
    let isFirst = true;
    let wasEmpty = false;
    const [, ...rest] = take((line) => {
      const isPart = isFirst || line.startsWith('  ') || (line.trim() === '' ? !wasEmpty : !wasEmpty && !startsBlock(line));
      isFirst = false;
      wasEmpty = line.trim() === '';
      return isPart;
    });
    items.push(parseLines([first, ...rest.map((line) => line.replace(/^ {1,4}/, ''))], idOf));
  }
  return { kind: 'list', isOrdered, items };
}

/** The cells of a row of a table: `\|` and a bar inside code do not end a cell. */
function cellsOf(row: string): string[] {
  const cells = [''];
  for (const [part] of row
    .trim()
    .slice(1, -1)
    .matchAll(/`[^`]*`|\\\||\||[^`\\|]+|[`\\]/g))
    if (part === '|') cells.push('');
    else cells[cells.length - 1] += part === '\\|' ? '|' : part;
  return cells.map((cell) => cell.trim());
}
