import { afterAll, expect, test } from 'bun:test';
import { recordProof } from '../proofs/proof.ts';
import { createFakeWorld } from './fake-world.ts';
import { createRealWorld } from './real-world.ts';
import type { Scenario } from './scenario.ts';
import { runSimulation } from './simulation.ts';

/**
 * Networks of whole nodes on a virtual clock, each run from a seed: delays, losses, crashes and restarts, partitions, lying voters and
 * proposers. No two honest nodes may accept different blocks at a height, and in the end all transactions must be accepted.
 *
 * SERAC_SIMULATION_SEED=n replays one seed; SERAC_SIMULATION_SEEDS=n runs so many, from SERAC_SIMULATION_FIRST on; SERAC_SIMULATION_NODES=n sets
 * the number of nodes.
 */
const worlds = { small: createFakeWorld, real: createRealWorld } as const;
const numberOf = (name: string): number | undefined => (process.env[name] === undefined ? undefined : Number(process.env[name]));
const onlySeed = numberOf('SERAC_SIMULATION_SEED');
const seeds = onlySeed !== undefined ? 1 : Number(process.env.SERAC_SIMULATION_SEEDS ?? 8);
const realSeeds = Math.ceil(seeds / 40);
const smallSeeds = onlySeed === undefined ? seeds - realSeeds : 1;
const first = onlySeed ?? numberOf('SERAC_SIMULATION_FIRST') ?? 1;
const nodes = numberOf('SERAC_SIMULATION_NODES');
/** Every node polls many others, so the time grows with the square of their number. */
const slowness = Math.max(1, ((nodes ?? 20) / 20) ** 2);

const done = { networks: 0, blocks: 0, messages: 0 };
const failures: string[] = [];
afterAll(() => recordProof('networks', seeds, { 'first seed': first, ...done }, failures));

async function runSeeds(kind: keyof typeof worlds, count: number): Promise<{ height: number; events: number }> {
  const totals = { height: 0, events: 0 };
  for (let seed = first; seed < first + count; seed++) {
    const result = await runSimulation(seed, worlds[kind], nodes);
    const { failure, height, events } = result;
    const text = JSON.stringify(result, (_, value) => (typeof value === 'bigint' ? Number(value) : value));
    if (failure !== undefined) {
      failures.push(`${kind} chain, seed ${seed}: ${failure}`);
      throw new Error(`${kind} chain, seed ${seed}: ${failure}\nreplay with SERAC_SIMULATION_SEED=${seed}: ${text}`);
    }
    if (onlySeed !== undefined) console.log(text);
    totals.height += height;
    totals.events += events;
    done.networks++;
    done.blocks += height;
    done.messages += events;
  }
  return totals;
}

test(
  `${smallSeeds} networks with a small chain agree and accept all transactions`,
  async () => {
    const { height } = await runSeeds('small', smallSeeds);
    expect(height).toBeGreaterThan(smallSeeds);
  },
  90_000 + 5000 * smallSeeds * slowness,
);

test(
  `${realSeeds} networks with the real chain agree and accept all transactions`,
  async () => {
    const { height } = await runSeeds('real', realSeeds);
    expect(height).toBeGreaterThan(realSeeds);
  },
  60_000 + 20_000 * realSeeds * slowness,
);

test('a seed replays exactly', async () => {
  for (const seed of [3, 11]) {
    const [a, b] = [await runSimulation(seed, createFakeWorld), await runSimulation(seed, createFakeWorld)];
    expect([seed, b.fingerprint, b.events]).toEqual([seed, a.fingerprint, a.events]);
  }
});

test('finds disagreement if polls are too small to be safe', async () => {
  const weaken = (scenario: Scenario): Scenario => ({
    ...scenario,
    rivals: 1,
    byzantine: 3,
    maxDelay: 200,
    parameters: { ...scenario.parameters, k: 3, alphaPreference: 2, alphaConfidence: 2, beta: 1 },
  });
  const failures: string[] = [];
  for (let seed = 1; seed <= 20 && failures.length === 0; seed++) {
    const { failure } = await runSimulation(seed, createFakeWorld, 10, weaken);
    if (failure?.includes('another node')) failures.push(failure);
  }
  expect(failures).toHaveLength(1);
});
