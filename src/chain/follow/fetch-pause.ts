import { createBackoff } from '../../base/timing/backoff.ts';
import type { Timing } from './timing.ts';

/** Milliseconds. */
export const backoffLimits = { first: 50, max: 2000 } as const;

/** The pause after a failed request. All requests make it together, so that a failing node does not get sixteen retries at once. */
export function createFetchPause(timing: Timing, onOver: () => void) {
  const backoff = createBackoff(backoffLimits, timing.random);
  let isOn = false;
  let cancel = () => {};
  return {
    isOn: () => isOn,
    begin: (): void => {
      if (isOn) return;
      isOn = true;
      cancel = timing.after(backoff.next(), () => {
        isOn = false;
        onOver();
      });
    },
    /** The next pause is short again. */
    reset: backoff.reset,
    cancel: () => cancel(),
  };
}
