import { parseRfc3339 } from '../../base/bytes/rfc3339.ts';

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const pattern = /^(?:(\d{4})-(\d{1,2})-(\d{1,2})|(\d{1,2}) ([a-z]{3,9}) (\d{4}))(?:[T ](\d{1,2}):(\d\d)(?::(\d\d))?)?(?: ?(?:UTC|Z))?$/i;

/** The first Unix second of a day, minute or second that a reader typed, and the first one after it. */
type TypedTime = { readonly start: number; readonly end: number };

/**
 * The day, minute or second that a reader typed, in UTC: `2026-12-15`, `15 Dec 2026`, `2026-12-15 09:41`,
 * `2026-12-15T09:41:07Z`. Undefined if the text is no such date.
 */
export function parseTypedTime(text: string): TypedTime | undefined {
  const [, isoYear, isoMonth, isoDay, day, word = '', year, hour, minute = '00', second] = pattern.exec(text.trim()) ?? [];
  const month = isoMonth ?? String(months.indexOf(word.slice(0, 3).toLowerCase()) + 1);
  const pad = (part: string | undefined): string => (part ?? '').padStart(2, '0');
  const date = `${isoYear ?? year}-${pad(month)}-${pad(isoDay ?? day)}`;
  const start = parseRfc3339(`${date}T${pad(hour)}:${minute}:${second ?? '00'}Z`);
  if (start === undefined) return undefined;
  const length = hour === undefined ? 86_400 : second === undefined ? 60 : 1;
  return { start: Number(start), end: Number(start) + length };
}

/** The first Unix second after the typed time; undefined if the text is no such date. */
export const endOfTypedTime = (text: string): number | undefined => parseTypedTime(text)?.end;
