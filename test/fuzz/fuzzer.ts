import { heapStats } from 'bun:jsc';
import { defaultCacheBytes, processCaches } from '../../src/base/cache/cache-budget.ts';
import { createRandom, type Random } from '../random.ts';
import type { FoundInput } from './corpus.ts';
import type { Coverage } from './coverage.ts';
import { type MutationSource, mutateInput } from './mutations.ts';
import { bytesOf, type FuzzTarget, type OpenedTarget } from './target.ts';

/** Runs inputs of a target: crashes, wrong answers, blocked time and retained memory are failures. */

type FuzzOptions = {
  readonly seed: number;
  readonly inputs: readonly Uint8Array[];
  /** Without it inputs are mutated blindly. */
  readonly coverage?: Coverage | undefined;
  readonly rounds?: number;
  readonly seconds?: number;
};

type FuzzReport = {
  readonly rounds: number;
  /** Counters that were hit, and all of the loaded modules. */
  readonly covered: number;
  readonly counters: number;
  /** The fewest bytes that cover the same. */
  readonly inputs: readonly Uint8Array[];
  readonly failures: readonly FoundInput[];
};

/** An input that took too long. */
class BlockedError extends Error {}

const [defaultBytes, defaultCpu, defaultRetained] = [16_384, 60, 6_000_000];
/** Different failures that are collected before a run ends. */
const maxFailures = 8;
const roundsPerHeapCheck = 5000;
const maxTrims = 48;
const smallCaches = 2_000_000;

/** CPU milliseconds of work that takes 2 ms on the machine of the reference. */
function calibrate(): number {
  const text = JSON.stringify(Array.from({ length: 2000 }, (_, i) => ({ i, name: `row ${i}` })));
  return Math.min(
    ...Array.from({ length: 5 }, () => {
      const before = process.cpuUsage();
      for (let i = 0; i < 6; i++) JSON.parse(text);
      return cpuSince(before);
    }),
  );
}
const calibratedCpu = 2;

const cpuSince = (before: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
};

/** Runs single inputs and measures them. */
function createRunner(target: FuzzTarget, opened: OpenedTarget) {
  const unhandled: unknown[] = [];
  const onUnhandled = (error: unknown): void => void unhandled.push(error);
  process.on('unhandledRejection', onUnhandled);
  process.on('uncaughtException', onUnhandled);
  const maxCpu = (target.maxCpu ?? defaultCpu) * Math.max(1, calibrate() / calibratedCpu);
  const runOnce = async (input: Uint8Array): Promise<number> => {
    const before = process.cpuUsage();
    const pending = opened.run(input);
    if (pending !== undefined) await pending;
    if (unhandled.length > 0) throw unhandled.splice(0)[0];
    return cpuSince(before);
  };
  return {
    /** Throws what the target throws, and a BlockedError if the input took too long five times: other programs and a collection disturb one. */
    run: async (input: Uint8Array): Promise<void> => {
      let cpu = await runOnce(input);
      for (let again = 0; cpu > maxCpu && again < 4; again++) cpu = Math.min(cpu, await runOnce(input));
      if (cpu > maxCpu) throw new BlockedError(`takes ${cpu.toFixed(0)} ms of CPU; at most ${maxCpu.toFixed(0)} are allowed`);
    },
    close: (): void => {
      process.off('unhandledRejection', onUnhandled);
      process.off('uncaughtException', onUnhandled);
    },
  };
}

/** Heap in bytes after a collection. */
async function readHeap(): Promise<number> {
  for (let round = 0; round < 3; round++) {
    Bun.gc(true);
    await Bun.sleep(1);
  }
  const { heapSize, extraMemorySize } = heapStats();
  return Math.max(heapSize, extraMemorySize);
}

export async function fuzz(target: FuzzTarget, { seed, inputs, coverage, rounds = Number.POSITIVE_INFINITY, seconds = 1e9 }: FuzzOptions) {
  const opened = await target.open();
  // Small caches are full soon: what grows afterwards is no cache.
  processCaches.resize(smallCaches);
  const runner = createRunner(target, opened);
  try {
    const random = createRandom(seed);
    const pool = createPool(random, coverage);
    const failures = new Map<string, FoundInput>();
    const source: { -readonly [K in keyof MutationSource]: MutationSource[K] } = {
      words: (target.words ?? []).map((word) => Buffer.from(word)),
      others: [],
      maxBytes: target.maxBytes ?? defaultBytes,
    };
    const tryInput = async (input: Uint8Array, isFirst: boolean): Promise<void> => {
      coverage?.clear();
      try {
        await runner.run(input);
        if (!pool.isNew(isFirst)) return;
        // Without coverage there is nothing to compare: first inputs are kept as they are.
        if (coverage === undefined) return pool.add(input);
        if (!isFirst && !(await repeats(input))) return;
        const trimmed = isFirst ? input : await trim(input);
        const kept = (await repeats(trimmed)) ? trimmed : input;
        if (isFirst || kept === trimmed || (await repeats(kept))) pool.add(kept);
      } catch (error) {
        const reason = `${error}`.split('\n', 1)[0] as string;
        const kind = reason.replace(/[\d.]+|"[^"]*"/g, '#').slice(0, 120);
        if (!failures.has(kind)) failures.set(kind, { input: await shrink(input, kind), reason: reason.slice(0, 160) });
      }
    };
    /** Whether an input that ran before covers something new again: what runs only for a new input, such as the miss of a cache, would never be known. */
    const repeats = async (input: Uint8Array): Promise<boolean> => {
      coverage?.clear();
      await runner.run(input);
      return pool.hasNew();
    };
    /** A shorter input with the same new coverage. */
    const trim = (input: Uint8Array): Promise<Uint8Array> =>
      shorten(input, maxTrims, async (shorter) => {
        coverage?.clear();
        await runner.run(shorter);
        return pool.hasNew();
      });
    const shrink = (input: Uint8Array, kind: string): Promise<Uint8Array> =>
      shorten(input, 400, async (shorter) => {
        try {
          await runner.run(shorter);
          return false;
        } catch (error) {
          return (`${error}`.split('\n', 1)[0] as string).replace(/[\d.]+|"[^"]*"/g, '#').slice(0, 120) === kind;
        }
      });

    let done = 0;
    const end = performance.now() + 1000 * seconds;
    const isOver = (): boolean => done >= rounds || failures.size >= maxFailures || performance.now() > end;
    const runBatch = async (isEnd: () => boolean): Promise<void> => {
      for (let left = roundsPerHeapCheck; left > 0 && !isEnd(); left--, done++) {
        source.others = pool.inputs();
        await tryInput(mutateInput(random, pool.pick(), source), false);
      }
    };
    for (const input of [...inputs, ...target.seeds().map(bytesOf)]) await tryInput(input, true);
    // The first batch fills caches and lets functions be compiled.
    await runBatch(isOver);
    // Opened only if another batch follows: it collects the whole heap.
    const heap = isOver() ? undefined : await createHeapCheck(target.maxRetained ?? defaultRetained, () => runBatch(() => false));
    while (heap !== undefined && !isOver()) {
      await runBatch(isOver);
      const reason = await heap.findGrowth();
      if (reason === undefined) continue;
      failures.set('heap', { input: new Uint8Array(), reason });
      break;
    }
    return {
      rounds: done,
      ...(await pool.report((input) => runner.run(input).catch(() => {}))),
      failures: [...failures.values()],
    } satisfies FuzzReport;
  } finally {
    runner.close();
    processCaches.resize(defaultCacheBytes);
    await opened.close?.();
  }
}

/** Finds heap that grows with the inputs. It may also grow once, by code and caches: then that is the new baseline. */
export async function createHeapCheck(maxRetained: number, runBatch: () => Promise<void>) {
  let [before, batches] = [await readHeap(), 0];
  return {
    /** To be called after each batch. */
    findGrowth: async (): Promise<string | undefined> => {
      batches++;
      const after = await readHeap();
      if (after - before <= maxRetained) return undefined;
      const perBatch = (after - before) / batches;
      await runBatch();
      await runBatch();
      const again = await readHeap();
      const grown = again - after;
      [before, batches] = [again, 0];
      if (grown < perBatch) return undefined;
      return `retains ${Math.round(grown / 2 / roundsPerHeapCheck)} bytes of heap for each input`;
    },
  };
}

/** Removes parts while `isSame` holds. */
async function shorten(input: Uint8Array, maxTries: number, isSame: (shorter: Uint8Array) => Promise<boolean>): Promise<Uint8Array> {
  let best = Buffer.from(input);
  let tries = 0;
  for (let size = best.length >> 1; size >= 1 && tries < maxTries; size >>= 1)
    for (let at = 0; at < best.length && tries < maxTries; ) {
      const shorter = Buffer.concat([best.subarray(0, at), best.subarray(at + size)]);
      tries++;
      if (await isSame(shorter).catch(() => false)) best = shorter;
      else at += size;
    }
  return best;
}

/** The inputs that each cover something that no earlier one does; blind without `coverage`. */
function createPool(random: Random, coverage: Coverage | undefined) {
  /** For each counter the sizes that were seen, as bits. */
  const seen = new Uint8Array(65_536);
  const inputs: Uint8Array[] = [];
  /** Whether the input that ran last has hit something that is not in `bits`; adds it if `isAdded`. */
  const hasNew = (bits: Uint8Array, isAdded: boolean): boolean => {
    let isNew = false;
    coverage?.visit((counter, size) => {
      const old = bits[counter] as number;
      if ((old & (1 << size)) !== 0) return;
      isNew = true;
      if (isAdded) bits[counter] = old | (1 << size);
    });
    return isNew;
  };
  return {
    hasNew: (): boolean => hasNew(seen, false),
    isNew: (isFirst: boolean): boolean => (coverage === undefined ? isFirst : hasNew(seen, false)),
    /** Adds the input that ran last. */
    add: (input: Uint8Array): void => {
      hasNew(seen, true);
      inputs.push(input);
    },
    inputs: (): readonly Uint8Array[] => inputs,
    /** Newer inputs more often. */
    pick: (): Uint8Array =>
      inputs[random.below(3) === 0 ? Math.max(0, inputs.length - 1 - random.below(16)) : random.below(Math.max(1, inputs.length))] ??
      new Uint8Array(),
    /** What was covered, and inputs that cover it: the shortest first, without those that add nothing. */
    report: async (run: (input: Uint8Array) => Promise<void>) => {
      const few = new Uint8Array(seen.length);
      const kept: Uint8Array[] = [];
      for (const input of coverage === undefined ? [] : inputs.toSorted((a, b) => a.length - b.length)) {
        coverage?.clear();
        await run(input);
        if (hasNew(few, true)) kept.push(input);
      }
      return { covered: seen.reduce((sum, bits) => sum + (bits > 0 ? 1 : 0), 0), counters: coverage?.total() ?? 0, inputs: kept };
    },
  };
}
