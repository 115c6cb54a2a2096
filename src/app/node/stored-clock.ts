import type { ChainClock, ClockState } from '../../base/timing/chain-clock.ts';
import type { RevertiblePart } from '../../ledger/snapshot/snapshots.ts';
import type { Store } from '../../ledger/store/store.ts';

const realClock = '{}';

/**
 * Keeps the state of the chain clock in the store: restores it at start and, in the writer process, after a revert, and stores every change.
 * A reader process learns of later changes by a message of the writer (see app/processes/messages.ts), since reading it for every call is slow.
 */
export function connectStoredClock(store: Store, clock: ChainClock): void {
  const select = store.db.prepare<{ value: string }>(`SELECT value FROM meta WHERE name = 'clock'`);
  let stored = realClock;
  const restore = (): void => {
    stored = select.get()?.value ?? realClock;
    clock.restore(JSON.parse(stored) as ClockState);
  };
  restore();
  if (store.readonly) return;
  const replace = createClockWriter(store);
  store.onReverted(restore);
  clock.onChange(() => {
    const text = JSON.stringify(clock.save());
    if (text === stored) return;
    store.write(() => replace(text));
    stored = text;
  });
}

/** The chain's clock as part of snapshots, with its offset to the real time. It is restored from the store after the revert, see above. */
export const createClockPart = (store: Store, clock: ChainClock) => {
  const replace = createClockWriter(store);
  return {
    name: 'clock',
    save: () => JSON.stringify(clock.save()),
    restoreRows: replace,
    resetRows: () => replace(realClock),
  } satisfies RevertiblePart;
};

const createClockWriter = (store: Store): ((text: string) => void) => {
  const replace = store.db.prepare(`INSERT OR REPLACE INTO meta VALUES ('clock', ?)`);
  return (text) => void replace.run(text);
};
