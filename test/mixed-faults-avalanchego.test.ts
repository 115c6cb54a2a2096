import { expect, test } from 'bun:test';
import { parseBlock } from '../src/avm/tx/block.ts';
import { parseHex } from '../src/base/bytes/hex.ts';
import { type Id, idText } from '../src/base/bytes/id.ts';
import { createFaultMaker, watchHealth } from './network-faults.ts';
import { percentile, runLoad } from './network-load.ts';
import { createLanes, expectSameChains, issueTo, type NetworkNode, untilAcceptedBy } from './network-nodes.ts';
import { nodesWithin } from './node-timeout.ts';
import { recordProof } from './proofs/proof.ts';
import { createRandom } from './random.ts';
import { startStakerNetwork, untilBootstrapped } from './staker-network.ts';

/**
 * 3 AvalancheGo and 2 Serac stakers under load, with a random kill, freeze or partition every minute: in the end equal blocks and outputs, nothing
 * lost, and no Serac node that was healthy while it was behind.
 *
 * SERAC_FAULTS_SECONDS: how long; SERAC_FAULTS_RATE: transactions per second; SERAC_FAULTS_INTERVAL: seconds from one fault to the next;
 * SERAC_FAULTS_SEED: which faults.
 */
const binary = process.env.AVALANCHEGO;
const keys = process.env.AVALANCHEGO_STAKING_KEYS;
const seconds = Number(process.env.SERAC_FAULTS_SECONDS ?? 90);
const rate = Number(process.env.SERAC_FAULTS_RATE ?? 10);
const interval = Number(process.env.SERAC_FAULTS_INTERVAL ?? 30);
const seed = Number(process.env.SERAC_FAULTS_SEED ?? 1);

/** Milliseconds that a node may be behind and healthy: the limit of its check, and what reading takes on a busy machine. */
const maxBehind = 10_000 + 3000;

/**
 * A transaction of this many outputs is just below the 64 KiB that a mempool takes. Blocks come seconds apart while a proposer is away, so a
 * hundred transactions per second need several hundred that wait at the same time.
 */
const maxLanes = 750;

/** The transactions in the blocks of a node. */
async function txsOf({ name, client }: NetworkNode, height: bigint): Promise<Set<Id>> {
  const ids = new Set<Id>();
  for (let at = 1n; at <= height; at++) {
    const { result, error } = await client.call('/ext/bc/X', 'avm.getBlockByHeight', { height: `${at}`, encoding: 'hex' });
    if (error !== undefined) throw new Error(`${name}: block ${at}: ${error.message}`);
    for (const tx of parseBlock(parseHex('hex', (result as unknown as { block: string }).block)).txs) ids.add(tx.id);
  }
  return ids;
}

if (binary === undefined || keys === undefined)
  console.log('skipped: a mixed network with faults; set AVALANCHEGO and AVALANCHEGO_STAKING_KEYS');
else
  test(
    `3 AvalancheGo and 2 Serac stakers: ${rate} transactions per second for ${seconds} s, a fault every ${interval} s`,
    async () => {
      const { nodes, stop } = await startStakerNetwork(binary, keys, {
        avalancheGo: 3,
        serac: 2,
        flags: [
          '--network-initial-reconnect-delay=200ms',
          '--network-max-reconnect-delay=2s',
          // With 15 of 20 votes, four of five nodes decide a block only once in a hundred polls; then nobody is ever far behind.
          '--snow-quorum-size=13',
        ],
      });
      try {
        const lanes = createLanes(Math.min(maxLanes, Math.max(20, 8 * rate)));
        await issueTo(nodes[0] as NetworkNode, lanes.first);
        await untilAcceptedBy(nodes, lanes.first.id);
        const faults = createFaultMaker(nodes, createRandom(seed), { min: 5, max: Math.max(6, Math.min(25, interval - 10)) });
        const watch = watchHealth(nodes, maxBehind);
        const end = performance.now() + 1000 * seconds;
        const makeFaults = async (): Promise<string[]> => {
          const made: string[] = [];
          for (let at = performance.now() + 5000; at < end - 20_000; at += 1000 * interval) {
            if (at > performance.now()) await Bun.sleep(at - performance.now());
            made.push(await faults.happen());
            console.log(`${new Date().toISOString().slice(11, 19)} ${made.at(-1)}`);
          }
          return made;
        };
        const load = runLoad({
          nodes: () => nodesWithin(faults.wholeNodes(), 5000),
          lanes,
          seconds,
          rate,
          acceptTimeout: 240_000,
          reissueAfter: 5000,
        });
        const [made, { accepted, latencies, failures }] = await Promise.all([makeFaults(), load]);
        await untilBootstrapped(nodes, 240_000);
        const { readings, healthyBehind, longestBehind } = await watch.stop();
        console.log(
          `${accepted.length} transactions in ${seconds} s, ${made.length} faults; accepted after ${Math.round(percentile(latencies, 0.5))} ms (median), ` +
            `${Math.round(percentile(latencies, 0.99))} ms (99 %), ${Math.round(percentile(latencies, 1))} ms (longest); ${failures.length} calls repeated`,
        );
        console.log(`${readings} readings; longest time behind: ${JSON.stringify(longestBehind)}`);
        console.log(`healthy while behind: ${healthyBehind.length}\n${healthyBehind.slice(0, 40).join('\n')}`);

        const height = await expectSameChains(nodes, 240_000);
        const inBlocks = await txsOf(nodes[3] as NetworkNode, height);
        const lost = accepted.filter((id) => !inBlocks.has(id));
        const wronglyHealthy = healthyBehind.filter((line) => line.includes('(Serac)'));
        recordProof(
          'mixed-network',
          seconds,
          { seed, seconds, faults: made.length, transactions: accepted.length, height: Number(height), 'readings of health': readings },
          [...lost.map((id) => `lost ${idText(id)}`), ...wronglyHealthy],
        );
        expect(lost).toEqual([]);
        console.log(`equal blocks and outputs at height ${height}`);
        expect(accepted.length).toBeGreaterThan(0.3 * seconds * rate);
        expect(made.length).toBeGreaterThan(0);
        expect(wronglyHealthy).toEqual([]);
      } finally {
        await stop();
      }
    },
    1_200_000 + 2000 * seconds,
  );
