import { describe, expect, test } from 'bun:test';
import { formatInput, parseInput } from './corpus.ts';
import { createHeapCheck, fuzz } from './fuzzer.ts';
import { instrument } from './instrument.ts';
import type { FuzzTarget } from './target.ts';

/** Runs code with counters and returns its result and the hits of each. */
function runCounted<T>(source: string, ...args: unknown[]): { readonly result: T; readonly hits: readonly number[] } {
  let used = 0;
  const printed = new Bun.Transpiler({ loader: 'ts' }).transformSync(source);
  const code = instrument(printed, () => used++);
  const hits = new Uint8ClampedArray(used);
  const result = new Function('__fuzzCounters', `${code.replace('export function', 'return function')}`)(hits)(...args) as T;
  return { result, hits: [...hits] };
}

describe('counters', () => {
  const source = `export function run(x: number, y?: { z: string[] }): string {
    const name = x > 1 ? (x > 2 ? \`big \${x > 9 ? 'huge' : x}\` : 'two') : y?.z[0] ?? 'none';
    switch (x) { case 0: case 1: return name + '/'.replace(/[/}]{1,2}/g, ':'); case 2: { if (!y) return name; else break; } default: }
    let n = 0;
    for (const a of y?.z ?? []) if (a && a !== 'b' || n) n += ((b: string) => b.length / 2)(a); else n++;
    const { q = () => ({ k: 1 }) } = {} as { q?: () => { k: number } };
    try { if (n > 50) throw new Error('x'); } catch { n = -1; }
    return [name, n, q().k, class { static v = n ? 1 : 0; }.v].join();
  }`;
  const plain = new Function(
    new Bun.Transpiler({ loader: 'ts' }).transformSync(source).replace('export function', 'return function'),
  )() as (...args: unknown[]) => string;
  const inputs: readonly (readonly unknown[])[] = [
    [0],
    [1, { z: ['q'] }],
    [2],
    [2, { z: ['b', 'cc'] }],
    [7, { z: ['', 'x'.repeat(200)] }],
    [12],
  ];

  test('do not change what code does', () => {
    for (const input of inputs) expect(runCounted<string>(source, ...input).result).toBe(plain(...input));
  });

  test('each path has hits of its own', () => {
    const paths = inputs.map((input) =>
      runCounted(source, ...input)
        .hits.map((count) => (count > 0 ? 1 : 0))
        .join(''),
    );
    expect(new Set(paths).size).toBe(inputs.length);
  });
});

/** A target whose branches count as coverage. */
function createTarget(run: (input: Uint8Array, hit: (counter: number) => void) => void, more: Partial<FuzzTarget> = {}) {
  const hits = new Set<number>();
  const target: FuzzTarget = {
    name: 'test',
    seeds: () => ['seed'],
    open: () => ({ run: (input) => run(input, (counter) => hits.add(counter)) }),
    ...more,
  };
  const coverage = {
    clear: () => hits.clear(),
    visit: (onHit: (counter: number, size: number) => void) => {
      for (const hit of hits) onHit(hit, 0);
    },
    total: () => 10,
  };
  return { target, coverage };
}

test('an input whose new coverage does not come again is not kept', async () => {
  const known = new Set<string>();
  let runs = 0;
  const { target, coverage } = createTarget((input, hit) => {
    runs++;
    const key = Buffer.from(input).toString('latin1');
    if (known.has(key)) return;
    known.add(key);
    hit(1);
  });
  const rounds = 200;
  const { inputs } = await fuzz(target, { seed: 1, coverage, rounds, inputs: [] });
  expect(inputs.length).toBeLessThan(2);
  // One run, and one more where it looked new; trimming each would take dozens.
  expect(runs).toBeLessThan(3 * rounds);
});

describe('failures', () => {
  const word = Buffer.from('mag');
  const { target, coverage } = createTarget((input, hit) => {
    for (let at = 0; at < word.length; at++) {
      if (input[at] !== word[at]) return;
      hit(at);
    }
    throw new Error('found it');
  });

  test('coverage finds three bytes in a row that blind mutations do not, and the input is shortened', async () => {
    const guided = await fuzz(target, { seed: 2, inputs: [], coverage, rounds: 60_000 });
    expect(guided.failures.map(({ input, reason }) => [Buffer.from(input).toString(), reason])).toEqual([['mag', 'Error: found it']]);
    expect(guided.covered).toBe(2);
    expect((await fuzz(target, { seed: 2, inputs: [], rounds: 60_000 })).failures).toEqual([]);
  });

  test('an input that blocks is one', async () => {
    const slow = createTarget(
      (input) => {
        // CPU time and not time, so that a busy machine does not make it look fast.
        const spent = () => {
          const { user, system } = process.cpuUsage();
          return (user + system) / 1000;
        };
        for (const end = spent() + (input.includes(0x21) ? 100 : 0); spent() < end; );
      },
      { maxCpu: 5, seeds: () => ['fast', 'slow!'] },
    );
    const { failures } = await fuzz(slow.target, { seed: 1, inputs: [], rounds: 1 });
    expect(failures.map(({ input, reason }) => [Buffer.from(input).toString(), reason])).toEqual([
      ['!', expect.stringContaining('ms of CPU')],
    ]);
  });

  test('heap that grows with the inputs is one; heap that grows once is not', async () => {
    const kept: unknown[] = [];
    const leak = () => kept.push(...Array.from({ length: 40_000 }, (_, i) => ({ i })));
    const growing = await createHeapCheck(1_000_000, async () => void leak());
    leak();
    expect(await growing.findGrowth()).toContain('bytes of heap for each input');
    const warm = await createHeapCheck(1_000_000, async () => {});
    leak();
    expect(await warm.findGrowth()).toBeUndefined();
    expect(kept.length).toBeGreaterThan(0);
  });
});

test('a kept input is read as it was written', () => {
  for (const bytes of [Buffer.from('a "text"\n\u00e9'), Buffer.from([0, 255, 10]), Buffer.alloc(0), Buffer.from('# found: x')])
    expect(Buffer.from(parseInput(formatInput(bytes))).equals(bytes)).toBe(true);
});
