import type { Store } from '../store/store.ts';
import type { ChainClock, ClockState } from '../timing/chain-clock.ts';

/**
 * Keeps the state of the chain clock in the store: restores it at start and, in the writer process, after a revert, and stores every change.
 * A reader process learns of later changes by a message of the writer (see workers/messages.ts), since reading it for every call is slow.
 */
export function connectStoredClock(store: Store, clock: ChainClock): void {
  const select = store.db.prepare<{ value: string }>(`SELECT value FROM meta WHERE name = 'clock'`);
  const load = (): string | undefined => select.get()?.value;
  const restore = (): void => {
    const text = load();
    clock.restore(text === undefined ? {} : (JSON.parse(text) as ClockState));
  };
  restore();
  if (store.readonly) return;
  const replace = store.db.prepare(`INSERT OR REPLACE INTO meta VALUES ('clock', ?)`);
  store.onRevert(restore);
  clock.onChange(() => store.write(() => replace.run(JSON.stringify(clock.save()))));
}
