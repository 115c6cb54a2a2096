import { isNamed, type StreamEvent } from './stream-events.ts';

/** The most addresses that are watched; the oldest are dropped. */
const maxWatched = 50;
const key = 'serac-watched';

/** Addresses whose transactions mark the title of the tab, in all tabs of this browser. */
export function watched(): readonly string[] {
  const list: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
  return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [];
}

export function watch(address: string, isOn: boolean): void {
  const others = watched().filter((one) => one !== address);
  localStorage.setItem(key, JSON.stringify(isOn ? [...others, address].slice(-maxWatched) : others));
}

let arrived = 0;

/** Counts a transaction of a watched address in the title, until the tab is looked at. */
export function markArrival(event: StreamEvent): void {
  if (event.kind !== 'tx') return;
  const wanted = watched();
  if (!wanted.some((address) => isNamed(address, event))) return;
  arrived++;
  document.title = `(${arrived}) ${plainTitle()}`;
}

/** Takes the mark away. */
export function clearArrivals(): void {
  arrived = 0;
  document.title = plainTitle();
}

const plainTitle = (): string => document.title.replace(/^\(\d+\) /, '');
