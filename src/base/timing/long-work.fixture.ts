import { createLongWork } from './long-work.ts';

/** Long work with the clock and the event loop of the test process. */
export const longWork = createLongWork({ now: () => performance.now(), soon: (run) => void setImmediate(run) });
