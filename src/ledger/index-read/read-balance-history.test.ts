import { expect, test } from 'bun:test';
import type { LongWork } from '../../base/timing/long-work.ts';
import type { Holdings, PinnedBlock } from './index-reads.ts';
import type { IndexUnderTest } from './index-under-test.fixture.ts';
import type { BalancePoint } from './read-balance-history.ts';
import { openPostgresReads, openSqliteReads } from './reads-databases.fixture.ts';

/** Compares balance histories with the balances at every height of random chains. */

const pauseAlways: LongWork = { begin: () => () => new Promise((resolve) => void setImmediate(resolve)) };
const server = process.env.SERAC_TEST_POSTGRES;

contract('SQLite', openSqliteReads, 51);
contract('SQLite with pauses', (seed) => openSqliteReads(seed, pauseAlways), 52);
if (server === undefined) test.skip('PostgreSQL: skipped, SERAC_TEST_POSTGRES is not set', () => {});
else contract('PostgreSQL', (seed) => openPostgresReads(server, seed), 51);

function contract(name: string, open: (seed: number) => Promise<IndexUnderTest>, seed: number): void {
  test(`${name}: a history has the balance at every height`, async () => {
    const indexed = await open(seed);
    try {
      for (let i = 0; i < 60; i++) indexed.chains.step();
      await indexed.sync();
      await checkHistories(indexed);
    } finally {
      await indexed.close();
    }
  });
}

async function checkHistories({ chains: { oracle }, reads, explorer }: IndexUnderTest): Promise<void> {
  const { height: tip } = await reads.tip();
  const owners = [...new Set(oracle.allTxs.flatMap(({ emitted }) => emitted.flatMap(({ utxo }) => utxo.output.addresses)))].slice(0, 5);
  const pins = await Promise.all(Array.from({ length: tip + 1 }, (_, height) => reads.pinAtHeight(height)));
  let changes = 0;
  let sampled = 0;
  for (const address of owners) {
    const balances: (Holdings & { readonly pin: PinnedBlock })[] = [];
    for (const pin of pins as PinnedBlock[]) balances.push({ pin, ...(await reads.balances([address], pin, 0)) });
    for (const asset of oracle.assetIDs().slice(0, 4)) {
      const expected = balances.map(({ pin, singleOwner }): BalancePoint => {
        const sums = singleOwner.filter((one) => one.asset === asset);
        const [amount, nfts] = [sums.reduce((sum, one) => sum + one.amount, 0n), sums.reduce((sum, one) => sum + one.nfts, 0)];
        return { height: pin.height, time: pin.time, amount, nfts };
      });
      const read = (from: number | undefined, to: number, maxPoints: number) =>
        explorer.balanceHistory({ address, asset, from, to, maxPoints });
      /** The expected balances from a height on, without those that equal the one before. */
      const steps = (from: number, to: number): BalancePoint[] =>
        expected
          .slice(from, to + 1)
          .filter((one, at, all) => at === 0 || one.amount !== all[at - 1]?.amount || one.nfts !== all[at - 1]?.nfts);
      const all = await read(undefined, tip, 4000);
      const first = expected.findIndex(({ amount, nfts }) => amount > 0n || nfts > 0);
      expect(all).toEqual({ isSampled: false, points: first < 0 ? [] : steps(first, tip) });
      changes += all?.points.length ?? 0;
      if (first < 0) continue;
      const middle = Math.floor((first + tip) / 2);
      expect((await read(middle, tip, 4000))?.points).toEqual(steps(middle, tip));
      expect((await read(middle, tip - 2, 4000))?.points).toEqual(steps(middle, tip - 2));
      expect((await read(undefined, Math.max(0, first - 1), 4000))?.points).toEqual(first === 0 ? steps(0, 0) : []);
      const few = await read(undefined, tip, 3);
      if (few?.isSampled !== true) continue;
      sampled++;
      expect(few.points.length).toBeLessThanOrEqual(3);
      expect(few.points.every((point) => Bun.deepEquals(point, expected[point.height]))).toBe(true);
      expect(few.points[0]?.height).toBe(first);
      // The last point has the balance of the end: it is left out only if it equals the one before.
      expect(few.points.at(-1)?.amount).toBe(expected[tip]?.amount as bigint);
    }
  }
  expect(changes).toBeGreaterThan(8);
  expect(sampled).toBeGreaterThan(0);
}
