/** Height and lag of a node at one time. `at`: seconds of a clock that never jumps. */
export type SyncSample = { readonly at: number; readonly height: number; readonly lagBlocks: number };

/** Samples that the rate is measured over: one minute, as pages load every five seconds. */
const maxSamples = 12;

/** Adds a sample and drops the oldest ones. A lower height or an earlier time than the last one removes all others. */
export function addSample(samples: readonly SyncSample[], sample: SyncSample): readonly SyncSample[] {
  const last = samples.at(-1);
  if (last !== undefined && (sample.height < last.height || sample.at <= last.at)) return [sample];
  return [...samples, sample].slice(-maxSamples);
}

/**
 * Blocks per second, and seconds until the lag is gone at the rate at which it shrinks. Undefined if they are unknown: the samples are less than
 * a second apart, or the lag does not shrink.
 */
export function syncRate(samples: readonly SyncSample[]): { readonly rate: number | undefined; readonly left: number | undefined } {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined || last.at - first.at < 1) return { rate: undefined, left: undefined };
  const seconds = last.at - first.at;
  const closing = (first.lagBlocks - last.lagBlocks) / seconds;
  return { rate: (last.height - first.height) / seconds, left: closing > 0 ? last.lagBlocks / closing : undefined };
}
