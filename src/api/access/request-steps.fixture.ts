import fc from 'fast-check';
import type { Limits } from './rate-limit.ts';

/** Bursts, pauses of about a minute and about a day, and lengths in between. */
const gap = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 400 }) },
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 5_000 }) },
  { weight: 2, arbitrary: fc.integer({ min: 55_000, max: 65_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 7_200_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 86_000_000, max: 87_000_000 }) },
);

/** Requests; `gap` is the milliseconds after the one before. */
export const anySteps = fc.array(fc.record({ gap, weight: fc.integer({ min: 0, max: 4 }) }), { minLength: 1, maxLength: 120, size: 'max' });

export const anyLimits: fc.Arbitrary<Limits> = fc.record({
  perMinute: fc.integer({ min: 4, max: 30 }),
  perDay: fc.integer({ min: 4, max: 80 }),
});

/** Any start time, not only the start of a bucket. Milliseconds. */
export const anyStart = fc.integer({ min: 1_700_000_000_000, max: 1_800_000_000_000 });
