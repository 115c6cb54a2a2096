import { dateText, isoText, timeText } from './text-format.ts';

/**
 * Times in the zone that the reader has chosen: the browser's own, or UTC. The server renders UTC; the browser calls `setZone` before it renders.
 */
export type Zone = 'utc' | 'local';

/** How a time is shown: with the day and the zone, with the day, or as the time of the day. */
export type TimeForm = 'full' | 'day' | 'clock';

let zone: Zone = 'utc';

export const setZone = (chosen: Zone): void => {
  zone = chosen;
};

/** The last millisecond that a `Date` can have. */
const lastMillisecond = 8.64e15;

/** Seconds that the chosen zone is ahead of UTC, at that time: a zone may have a summer time. */
export const zoneOffset = (unix: number): number =>
  // biome-ignore lint/style/noRestrictedGlobals: asks for the zone, not for the time
  zone === 'utc' || unix * 1000 > lastMillisecond ? 0 : -60 * new Date(unix * 1000).getTimezoneOffset();

/** A time of the chain, in Unix seconds: `15 Dec 2026 15:11:06 UTC+5:30`. */
export function zonedText(unix: number, form: TimeForm): string {
  const offset = zoneOffset(unix);
  const shown = Math.max(0, unix + offset);
  if (form === 'clock') return timeText(shown);
  const text = `${dateText(shown)} ${timeText(shown)}`.trimEnd();
  return form === 'day' || isoText(unix) === undefined ? text : `${text} UTC${offsetText(offset)}`;
}

/** The same in UTC, whatever the reader has chosen, and for programs: `15 Dec 2026 09:41:06 UTC, 2026-12-15T09:41:06Z`. */
export function utcTexts(unix: number): string {
  const iso = isoText(unix);
  return iso === undefined ? dateText(unix) : `${dateText(unix)} ${timeText(unix)} UTC, ${iso}`;
}

/** `UTC`, or the reader's own zone: `Asia/Kolkata`. */
export const zoneName = (): string => (zone === 'utc' ? 'UTC' : new Intl.DateTimeFormat().resolvedOptions().timeZone);

/** `+5:30`, `−3`; empty for UTC. */
export function offsetText(offset: number): string {
  if (offset === 0) return '';
  const minutes = Math.abs(offset) / 60;
  const rest = minutes % 60 === 0 ? '' : `:${String(minutes % 60).padStart(2, '0')}`;
  return `${offset < 0 ? '−' : '+'}${Math.floor(minutes / 60)}${rest}`;
}
