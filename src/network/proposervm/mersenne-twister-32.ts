import type { RandomSource } from './mersenne-twister.ts';

/**
 * The 32-bit Mersenne Twister MT19937 of Matsumoto and Nishimura, which ordered proposers before Durango. Two numbers make one of 64 bits, the
 * upper half first; only the low 32 bits of the seed count. AvalancheGo: vms/proposervm/proposer/windower.go, Proposers.
 */
export function createMersenneTwister32(seed: bigint): RandomSource {
  const state = new Uint32Array(size);
  let index = 0;
  state[0] = Number(seed & 0xffffffffn);
  for (let i = 1; i < size; i++) {
    const previous = state[i - 1] as number;
    state[i] = Math.imul(previous ^ (previous >>> 30), 1_812_433_253) + i;
  }

  /** Computes one word of the next block of state from itself, its successor and the word in the middle. */
  const twist = (i: number): void => {
    const mixed = ((state[i] as number) & 0x80000000) | ((state[(i + 1) % size] as number) & 0x7fffffff);
    state[i] = (state[(i + middle) % size] as number) ^ (mixed >>> 1) ^ ((mixed & 1) !== 0 ? 0x9908b0df : 0);
  };
  const next32 = (): number => {
    if (index >= size) index = 0;
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

const size = 624;
const middle = 397;
