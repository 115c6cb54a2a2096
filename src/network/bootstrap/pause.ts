import type { Timers } from '../../base/timing/timers.ts';

export const pause = (timers: Timers, milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    timers.after(milliseconds, resolve);
  });
