import { placeNames } from '../load/list-place.ts';
import { isoText, plainNumber } from '../text/text-format.ts';
import { zoneName } from '../text/zone-time.ts';
import { getText } from './payload.ts';

/** The most rows that are saved at once. */
const maxRows = 100_000;

/** A cell: its text, and the unit of an amount. */
type Cell = { readonly text: string; readonly unit?: string | undefined };
type Sheet = { readonly head: readonly string[]; readonly rows: readonly (readonly Cell[])[] };

/**
 * All rows of a list as CSV: those of the pages behind it too, from the first page on. Times are ISO 8601, numbers are plain, and the unit of an amount
 * has a column of its own. `onRows` is told how many rows have been read. Undefined if a page cannot be read.
 */
export async function csvOf(name: string, onRows: (count: number) => void): Promise<string | undefined> {
  const selector = `[data-csv="${CSS.escape(name)}"]`;
  const nextOf = (page: Document): string | null | undefined =>
    page.querySelector(`a[rel=next][data-list="${CSS.escape(name)}"]`)?.getAttribute('href');
  const asked = new URLSearchParams(location.search);
  const isPaged = nextOf(document) != null || placeNames.some((place) => asked.has(place));
  const sheets: Sheet[] = [];
  const add = (page: Document): void => {
    const list = page.querySelector<HTMLElement>(selector);
    if (list !== null) sheets.push(readSheet(list));
    onRows(countRows());
  };
  const countRows = (): number => sheets.reduce((sum, { rows }) => sum + rows.length, 0);
  if (!isPaged) add(document);
  for (let path: string | null | undefined = isPaged ? firstPage() : undefined; path && countRows() < maxRows; ) {
    const text: string | undefined = await getText(path);
    if (text === undefined) return undefined;
    const page = new DOMParser().parseFromString(text, 'text/html');
    add(page);
    path = nextOf(page);
  }
  return writeCsv(sheets);
}

/** The first page of this URL, with its filters. */
function firstPage(): string {
  const url = new URL(location.href);
  for (const name of placeNames) url.searchParams.delete(name);
  url.searchParams.set('rows', '100');
  return url.pathname + url.search;
}

/** Times of a sheet are in UTC, whatever zone the page shows. */
function readSheet(list: HTMLElement): Sheet {
  if (list.dataset.head !== undefined)
    return {
      head: list.dataset.head.split(','),
      rows: [...list.querySelectorAll('li')].map((row) => [...row.querySelectorAll('.index, .owner > p, .sum')].map(readCell)),
    };
  const rows = [...list.querySelectorAll('tr')].map((row) => [...row.children].map(readCell));
  const hasHead = list.querySelector('thead') !== null;
  return { head: hasHead ? (rows[0] ?? []).map(({ text }) => text.replace(zoneName(), 'UTC')) : [], rows: hasHead ? rows.slice(1) : rows };
}

const isNumber = /^[−+-]?\d{1,3}(,\d{3})*(\.\d+)?$/;

function readCell(element: Element): Cell {
  const age = element.getAttribute('data-age') ?? element.querySelector('[data-age]')?.getAttribute('data-age');
  if (age != null) return { text: isoText(Number(age)) ?? '' };
  const amounts = [...element.querySelectorAll<HTMLElement>('[data-amount]')];
  if (amounts.length > 0)
    return {
      text: amounts.map(({ dataset }) => dataset.amount).join('; '),
      unit: amounts.map(({ dataset }) => dataset.unit).join('; '),
    };
  const copy = element.cloneNode(true) as Element;
  for (const mark of copy.querySelectorAll('[aria-hidden=true]')) mark.remove();
  for (const time of copy.querySelectorAll('time')) time.textContent = time.dateTime;
  // IDs and addresses are shortened on the page; an amount is a quiet link to its asset.
  for (const link of copy.querySelectorAll('a[title]:is(.mono, .address, :not(.plain))')) link.textContent = link.getAttribute('title');
  const text = (element.getAttribute('title') ?? copy.textContent ?? '').trim();
  return { text: isNumber.test(text) ? plainNumber(text) : text };
}

/** Columns with amounts are followed by one with their units. */
function writeCsv(sheets: readonly Sheet[]): string {
  const rows = sheets.flatMap((sheet) => sheet.rows);
  const hasUnit = new Set(rows.flatMap((row) => row.flatMap(({ unit }, at) => (unit === undefined ? [] : [at]))));
  const spread = (cells: readonly Cell[]): string[] =>
    cells.flatMap(({ text, unit }, at) => (hasUnit.has(at) ? [text, unit ?? ''] : [text]));
  const head = (sheets[0]?.head ?? []).map((text, at): Cell => ({ text, unit: hasUnit.has(at) ? `${text} unit` : undefined }));
  const lines = [...(head.length === 0 ? [] : [spread(head)]), ...rows.map(spread)];
  return lines.map((line) => line.map(quote).join(',')).join('\n');
}

/** Cells that a spreadsheet would run as a formula get an apostrophe. */
const quote = (text: string): string =>
  `"${(/^[=+@-]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text).replaceAll('"', '""')}"`;
