/** What draws random units from a seed: the same on every node. */
export type RandomSource = { readonly next: () => bigint };

/**
 * The 64-bit Mersenne Twister MT19937-64 of Nishimura and Matsumoto, which decides who proposes. A word is two numbers of 32 bits: it runs
 * about ten times faster than with bigint, and a validator tries hundreds of seeds to find its next slot.
 */
export function createMersenneTwister(seed: bigint): RandomSource {
  const high = new Uint32Array(size);
  const low = new Uint32Array(size);
  let index = size;

  high[0] = Number((seed >> 32n) & 0xffffffffn);
  low[0] = Number(seed & 0xffffffffn);
  for (let i = 1; i < size; i++) {
    const previousHigh = high[i - 1] as number;
    const previousLow = low[i - 1] as number;
    // previous ^ (previous >> 62), times 6364136223846793005, plus i.
    const mixedLow = (previousLow ^ (previousHigh >>> 30)) >>> 0;
    const productLow = Math.imul(mixedLow, multiplierLow) >>> 0;
    const sum = productLow + i;
    low[i] = sum;
    high[i] =
      multiplyHigh(mixedLow, multiplierLow) +
      Math.imul(previousHigh, multiplierLow) +
      Math.imul(mixedLow, multiplierHigh) +
      (sum > 0xffffffff ? 1 : 0);
  }

  /** Computes one word of the next block of state from itself, its successor and the word in the middle. */
  const twist = (i: number): void => {
    const after = (i + 1) % size;
    const far = (i + middle) % size;
    // The top 33 bits of one word and the low 31 of the next.
    const mixedHigh = high[i] as number;
    const mixedLow = ((low[i] as number) & 0x80000000) | ((low[after] as number) & 0x7fffffff);
    const isOdd = (mixedLow & 1) !== 0;
    high[i] = (high[far] as number) ^ (mixedHigh >>> 1) ^ (isOdd ? matrixHigh : 0);
    low[i] = (low[far] as number) ^ ((mixedLow >>> 1) | (mixedHigh << 31)) ^ (isOdd ? matrixLow : 0);
  };

  return {
    next: () => {
      if (index >= size) index = 0;
      twist(index);
      let h = high[index] as number;
      let l = low[index] as number;
      index++;
      // x ^= (x >> 29) & 0x5555555555555555
      l ^= ((l >>> 29) | (h << 3)) & 0x55555555;
      h ^= (h >>> 29) & 0x55555555;
      // x ^= (x << 17) & 0x71d67fffeda60000
      h ^= ((h << 17) | (l >>> 15)) & 0x71d67fff;
      l ^= (l << 17) & 0xeda60000;
      // x ^= (x << 37) & 0xfff7eee000000000
      h ^= (l << 5) & 0xfff7eee0;
      // x ^= x >> 43
      l ^= h >>> 11;
      return (BigInt(h >>> 0) << 32n) | BigInt(l >>> 0);
    },
  };
}

const size = 312;
const middle = 156;
const multiplierHigh = 0x5851f42d;
const multiplierLow = 0x4c957f2d;
const matrixHigh = 0xb5026f5a;
const matrixLow = 0xa96619e9;

/** The upper 32 bits of the product of two 32-bit numbers. */
function multiplyHigh(a: number, b: number): number {
  const aHigh = a >>> 16;
  const aLow = a & 0xffff;
  const bHigh = b >>> 16;
  const bLow = b & 0xffff;
  const cross = aHigh * bLow + ((aLow * bLow) >>> 16);
  return aHigh * bHigh + Math.floor(cross / 0x10000) + Math.floor(((cross % 0x10000) + aLow * bHigh) / 0x10000);
}

/**
 * The 32-bit Mersenne Twister MT19937 of Matsumoto and Nishimura, which ordered proposers before Durango. Two numbers make one of 64 bits, the
 * upper half first; only the low 32 bits of the seed count. AvalancheGo: vms/proposervm/proposer/windower.go, Proposers.
 */
export function createMersenneTwister32(seed: bigint): RandomSource {
  const state = new Uint32Array(size32);
  let index = 0;
  state[0] = Number(seed & 0xffffffffn);
  for (let i = 1; i < size32; i++) {
    const previous = state[i - 1] as number;
    state[i] = Math.imul(previous ^ (previous >>> 30), 1_812_433_253) + i;
  }

  /** Computes one word of the next block of state from itself, its successor and the word in the middle. */
  const twist = (i: number): void => {
    const mixed = ((state[i] as number) & 0x80000000) | ((state[(i + 1) % size32] as number) & 0x7fffffff);
    state[i] = (state[(i + middle32) % size32] as number) ^ (mixed >>> 1) ^ ((mixed & 1) !== 0 ? 0x9908b0df : 0);
  };
  const next32 = (): number => {
    if (index >= size32) index = 0;
    twist(index);
    let word = state[index] as number;
    index++;
    word ^= word >>> 11;
    word ^= (word << 7) & 0x9d2c5680;
    word ^= (word << 15) & 0xefc60000;
    word ^= word >>> 18;
    return word >>> 0;
  };

  return { next: () => (BigInt(next32()) << 32n) | BigInt(next32()) };
}

const size32 = 624;
const middle32 = 397;
