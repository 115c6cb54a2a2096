import { ageText, dateText, spanText, timeText } from '../text/text-format.ts';

/**
 * Updates all texts that depend on the time, in one pass. Only the data of text nodes changes, so that the next render finds its nodes; a view
 * renders such a text as one text node.
 */
export function tickAges(now: number): void {
  for (const element of document.querySelectorAll<HTMLElement>('[data-age]')) setText(element, ageText(now - Number(element.dataset.age)));
  for (const element of document.querySelectorAll<HTMLElement>('[data-until]'))
    setText(element, spanText(Math.max(0, Number(element.dataset.until) - now)));
  for (const element of document.querySelectorAll<HTMLElement>('[data-clock]')) setText(element, `${dateText(now)} ${timeText(now)}`);
}

/** Adds the reader's own time to times in UTC: beside them or as a tooltip. Nothing if the reader's time is UTC. */
export function addLocalTimes(): void {
  if (new Intl.DateTimeFormat().resolvedOptions().timeZone === 'UTC') return;
  for (const element of document.querySelectorAll<HTMLElement>('[data-local]')) element.title = localText(Number(element.dataset.local));
  for (const element of document.querySelectorAll<HTMLElement>('[data-local-beside]'))
    element.textContent = localText(Number(element.dataset.localBeside));
}

const clockFormat = { hour: '2-digit', minute: '2-digit', second: '2-digit', timeZoneName: 'short' } as const;
const dayFormat = { day: 'numeric', month: 'short' } as const;

/** `10:41:06 GMT+1`, with the day where it is another one than in UTC. */
function localText(unix: number): string {
  // The last millisecond that browsers can format.
  if (unix > 8.64e12) return '';
  const dayIn = (zone: object): string => new Intl.DateTimeFormat('en-GB', { ...dayFormat, ...zone }).format(unix * 1000);
  const format = dayIn({}) === dayIn({ timeZone: 'UTC' }) ? clockFormat : { ...clockFormat, ...dayFormat };
  return new Intl.DateTimeFormat('en-GB', format).format(unix * 1000);
}

function setText(element: HTMLElement, text: string): void {
  const node = element.firstChild;
  if (node instanceof Text && node.data !== text) node.data = text;
}
