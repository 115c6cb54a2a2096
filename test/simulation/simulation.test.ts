import { expect, test } from 'bun:test';
import { createFakeWorld } from './fake-world.ts';
import { runSimulation } from './simulation.ts';

/**
 * Networks of whole nodes on a virtual clock, each run from a seed: delays, losses, crashes and restarts, partitions, lying voters and
 * proposers. No two honest nodes may accept different blocks at a height, and in the end all transactions must be accepted.
 *
 * SERAC_SIMULATION_SEED=n replays one seed; SERAC_SIMULATION_SEEDS=n runs so many; SERAC_SIMULATION_NODES=n sets the number of nodes.
 */
const numberOf = (name: string): number | undefined => (process.env[name] === undefined ? undefined : Number(process.env[name]));
const onlySeed = numberOf('SERAC_SIMULATION_SEED');
const seeds = onlySeed !== undefined ? 1 : (numberOf('SERAC_SIMULATION_SEEDS') ?? 200);
const first = onlySeed ?? 1;
const nodes = numberOf('SERAC_SIMULATION_NODES');

test(
  `${seeds} networks agree and accept all transactions`,
  async () => {
    const totals = { height: 0, events: 0 };
    for (let seed = first; seed < first + seeds; seed++) {
      const { failure, scenario, height, events, duration } = await runSimulation(seed, createFakeWorld, nodes);
      if (failure !== undefined) {
        const text = JSON.stringify(scenario, (_, value) => (typeof value === 'bigint' ? Number(value) : value));
        throw new Error(`seed ${seed}: ${failure}\nscenario: ${text}\nreplay it with SERAC_SIMULATION_SEED=${seed}`);
      }
      if (onlySeed !== undefined) console.log({ scenario, height, events, duration });
      totals.height += height;
      totals.events += events;
    }
    if (seeds >= 200) expect(totals.height).toBeGreaterThan(2 * seeds);
  },
  90_000 + 5000 * seeds,
);

test('a seed replays exactly', async () => {
  for (const seed of [3, 11]) {
    const [a, b] = [await runSimulation(seed, createFakeWorld), await runSimulation(seed, createFakeWorld)];
    expect([seed, b.fingerprint, b.events]).toEqual([seed, a.fingerprint, a.events]);
  }
}, 60_000);
