import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { percentile, runLoad } from './network-load.ts';
import { createLanes, expectSameChains, isBootstrapped, issueTo, type NetworkNode, untilAcceptedBy } from './network-nodes.ts';
import { eventually } from './processes.ts';
import { startTestnet, untilUp } from './testnet-program.ts';

/** Three AvalancheGo and two Serac nodes under load: equal chains, and each node killed and restarted in turn. */
const binary = process.env.AVALANCHEGO;
const seconds = Number(process.env.SERAC_MIXED_SECONDS ?? 60);
const rate = Number(process.env.SERAC_MIXED_RATE ?? 20);

const folder = mkdtempSync(join(tmpdir(), 'serac-mixed-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

if (binary === undefined) console.log('skipped: a network of AvalancheGo and Serac nodes; set AVALANCHEGO to the path of its binary');
else
  test(
    `3 AvalancheGo and 2 Serac nodes: ${rate} transactions per second for ${seconds} s, then each is killed once`,
    async () => {
      const lanes = createLanes(Math.min(500, Math.max(20, 3 * rate)));
      const testnet = await startTestnet(
        '2',
        `--avalanchego=${binary}`,
        '--avalanchego-nodes=3',
        `--data-dir=${join(folder, 'nodes')}`,
        '--network-initial-reconnect-delay=200ms',
      );
      const { nodes } = testnet;
      try {
        await untilUp(nodes, 4, 120_000);
        await issueTo(nodes[0] as NetworkNode, lanes.first);
        await untilAcceptedBy(nodes, lanes.first.id);
        const { accepted, latencies, failures } = await runLoad({ nodes: () => nodes, lanes, seconds, rate });
        console.log(
          `${accepted.length} transactions in ${seconds} s; accepted by another node after ${Math.round(percentile(latencies, 0.5))} ms (median), ` +
            `${Math.round(percentile(latencies, 0.99))} ms (99 %); ${failures.length} refused and repeated`,
        );
        expect(accepted.length).toBeGreaterThan(0.5 * seconds * rate);
        const height = await expectSameChains(nodes, 120_000);
        console.log(`equal blocks and outputs at height ${height}`);

        for (const [i, killed] of nodes.entries()) {
          const pid = testnet.pidOf(i + 1);
          process.kill(pid, 'SIGKILL');
          const others = nodes.filter((node) => node !== killed);
          const tx = lanes.next(i);
          await issueTo(others[0] as NetworkNode, tx);
          await untilAcceptedBy(others, tx.id, 120_000);
          await eventually(
            () => testnet.pidOf(i + 1),
            (current) => current !== pid,
            60_000,
          );
          await eventually(
            () => isBootstrapped(killed),
            (isDone) => isDone,
            120_000,
          );
          await untilUp(nodes, 4, 120_000);
          await untilAcceptedBy([killed], tx.id, 60_000);
        }
        await expectSameChains(nodes, 120_000);
      } finally {
        await testnet.stop();
      }
    },
    900_000 + 1000 * seconds,
  );
