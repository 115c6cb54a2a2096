/** A small seeded random number generator (mulberry32): the same seed gives the same run, so failures can be reproduced. */
export function createRandom(seed: number) {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (t ^ (t >>> 14)) >>> 0;
  };
  /** An integer from 0 to below `end`. */
  const below = (end: number): number => next() % end;
  const pick = <T>(items: readonly T[]): T => items[below(items.length)] as T;
  const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, () => below(256));
  return { next, below, pick, bytes };
}

export type Random = ReturnType<typeof createRandom>;

/** `.ci/run` sets it: every case of a test that has many of one kind. */
export const isLong = process.env.SERAC_LONG === '1';

/** Cases of one kind, such as random chains or widths of a window: all in `.ci/run`, a quarter of them in `npm test`, so that it stays short. */
export const someOf = <T>(all: readonly T[]): T[] => (isLong ? [...all] : all.slice(0, Math.ceil(all.length / 4)));

/** Number of hostile inputs for a test with this share of the total, which is 20,000 or SERAC_HOSTILE_ROUNDS. */
export const hostileRounds = (share: number): number => Math.ceil(Number(process.env.SERAC_HOSTILE_ROUNDS ?? 20_000) * share);

/** Test timeout for them in milliseconds. */
export const hostileTimeout = 300_000 + hostileRounds(1);

/** Makes one small change: a byte, a bit, a truncation, appended bytes, a repeated part, or a part of other bytes. */
export function mutate(random: Random, bytes: Uint8Array, others: readonly Uint8Array[]): Uint8Array {
  const out = Uint8Array.from(bytes);
  const at = random.below(Math.max(1, out.length));
  switch (random.below(6)) {
    case 0:
      out[at] = random.below(256);
      return out;
    case 1:
      out[at] = (out[at] ?? 0) ^ (1 << random.below(8));
      return out;
    case 2:
      return out.subarray(0, at);
    case 3:
      return Buffer.concat([out, random.bytes(1 + random.below(8))]);
    case 4:
      return Buffer.concat([out.subarray(0, at), out.subarray(random.below(at + 1))]);
    default:
      return Buffer.concat([out.subarray(0, at), random.pick(others).subarray(at)]);
  }
}
