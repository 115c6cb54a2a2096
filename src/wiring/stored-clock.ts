import type { Store } from '../store/store.ts';
import type { ChainClock, ClockState } from '../timing/chain-clock.ts';

/**
 * Keeps the state of the chain clock in the store. The writer process restores it at start and after a revert, and stores every change. A
 * reader process reads it at each use, so that it never has another time than the writer.
 */
export function connectStoredClock(store: Store, clock: ChainClock): void {
  const select = store.db.prepare<{ value: string }>(`SELECT value FROM meta WHERE name = 'clock'`);
  const load = (): string | undefined => select.get()?.value;
  if (store.readonly) {
    clock.loadFrom(load);
    return;
  }
  const restore = (): void => {
    const text = load();
    clock.restore(text === undefined ? {} : (JSON.parse(text) as ClockState));
  };
  const replace = store.db.prepare(`INSERT OR REPLACE INTO meta VALUES ('clock', ?)`);
  restore();
  store.onRevert(restore);
  clock.onChange(() => store.write(() => replace.run(JSON.stringify(clock.save()))));
}
