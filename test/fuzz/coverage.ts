import { counterArray, instrument } from './instrument.ts';

/*
 * Loads the modules of `src/` with counters. Must be imported before them: `bun --preload ./test/fuzz/coverage.ts`. Counters are numbered in the
 * order in which modules are loaded.
 */

const maxCounters = 65_536;
// A clamped array stays at 255.
const counters = new Uint8ClampedArray(maxCounters);
Object.assign(globalThis, { [counterArray]: counters });

let used = 0;
const transpilers = {
  ts: new Bun.Transpiler({ loader: 'ts', target: 'bun' }),
  js: new Bun.Transpiler({ loader: 'js', target: 'bun' }),
};

Bun.plugin({
  name: 'coverage of src/',
  setup: (build) => {
    build.onLoad({ filter: /\/src\/(?!.*\.(?:test|fixture)\.).*\.ts$/ }, async ({ path }) => {
      const plain = transpilers.ts.transformSync(await Bun.file(path).text());
      const contents = instrument(plain, () => used++);
      if (used > maxCounters) throw new Error(`more than ${maxCounters} counters`);
      // Throws if the result is no valid JavaScript.
      transpilers.js.scan(contents);
      return { contents, loader: 'js' };
    });
  },
});

export type Coverage = {
  /** Sets all counters to zero. */
  readonly clear: () => void;
  /** Calls `onHit` with each counter that is not zero and about how often it was hit: 0 for once, up to 6. */
  readonly visit: (onHit: (counter: number, size: number) => void) => void;
  /** The number of counters in all modules that were loaded. */
  readonly total: () => number;
};

/** A counter in a loop is hit often: numbers of hits are distinguished by their power of two, up to 64. */
const sizeOf = Uint8Array.from({ length: 256 }, (_, hits) => Math.min(6, Math.floor(Math.log2(Math.max(1, hits)))));
const words = new Uint32Array(counters.buffer);

const coverage: Coverage = {
  clear: () => void counters.fill(0, 0, used),
  visit: (onHit) => {
    const end = (used + 3) >> 2;
    for (let word = 0; word < end; word++) {
      if (words[word] === 0) continue;
      for (let at = 4 * word; at < 4 * word + 4; at++) {
        const hits = counters[at] as number;
        if (hits > 0) onHit(at, sizeOf[hits] as number);
      }
    }
  },
  total: () => used,
};

// A program that runs with and without counters finds them here.
Object.assign(globalThis, { __fuzzCoverage: coverage });
