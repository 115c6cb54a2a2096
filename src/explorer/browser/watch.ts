import { maxWatched } from '../load/load-watch.ts';
import type { SeenHeights } from '../views/actions.ts';
import { isNamed, type StreamEvent } from './stream-events.ts';

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

/** What the reader has seen of watched addresses: on the visits before (`since`), and until now (`seen`, at `time`). */
type Visit = { readonly time: number; readonly since: SeenHeights; readonly seen: SeenHeights };
const visitKey = 'serac-watch-seen';
/** Milliseconds without a look at the page after which a look is another visit. */
const visitGap = 600_000;

/** The heights that were seen before this visit. `shown` is what the page shows now, and is kept. */
export function seenHeights(shown: SeenHeights): SeenHeights {
  // biome-ignore lint/style/noRestrictedGlobals: the reader's own clock, on the page only
  const visit = nextVisit(readVisit(), shown, Date.now());
  localStorage.setItem(visitKey, JSON.stringify(visit));
  return visit.since;
}

function readVisit(): Visit {
  try {
    const { time, since, seen } = JSON.parse(localStorage.getItem(visitKey) ?? '{}') as Partial<Visit>;
    return { time: Number(time) || 0, since: since ?? {}, seen: seen ?? {} };
  } catch {
    return { time: 0, since: {}, seen: {} };
  }
}

/** An address that is shown for the first time has nothing new; one that is no longer shown is forgotten. */
export function nextVisit(last: Visit, shown: SeenHeights, now: number): Visit {
  const before = now - last.time > visitGap ? last.seen : last.since;
  return {
    time: now,
    since: Object.fromEntries(Object.entries(shown).map(([address, height]) => [address, before[address] ?? height])),
    seen: shown,
  };
}
