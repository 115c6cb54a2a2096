import { setZone, type TimeForm, type Zone, zonedText } from '../text/zone-time.ts';

const key = 'serac-times';

/** The zone that the reader has chosen; the browser's own without a choice. */
export const keptZone = (): Zone => (localStorage.getItem(key) === 'utc' ? 'utc' : 'local');

/** Shows times in UTC from now on, or in the reader's zone again. The choice is kept. */
export function changeZone(): void {
  const zone = keptZone() === 'utc' ? 'local' : 'utc';
  localStorage.setItem(key, zone);
  setZone(zone);
}

/** Shows all times of the document in the chosen zone, as the views do when they render. */
export function showTimes(): void {
  for (const { dataset, firstChild } of document.querySelectorAll<HTMLElement>('time[data-form]')) {
    if (!(firstChild instanceof Text)) continue;
    const text = zonedText(Number(dataset.time), dataset.form as TimeForm);
    if (firstChild.data !== text) firstChild.data = text;
  }
}
