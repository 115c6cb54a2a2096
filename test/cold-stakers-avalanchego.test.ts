import { expect, test } from 'bun:test';
import { createLanes, expectSameChains, issueTo, type NetworkNode, untilAcceptedBy } from './network-nodes.ts';
import { eventually } from './processes.ts';
import { startStakerNetwork } from './staker-network.ts';

/**
 * A network of stakers that is started all at once. The P API of AvalancheGo answers when its X-Chain has 75 % of the stake, so four of the five
 * nodes must have met before a Serac node can be told its validators: until then it uses those of the genesis.
 */
const binary = process.env.AVALANCHEGO;
const keys = process.env.AVALANCHEGO_STAKING_KEYS;

if (binary === undefined || keys === undefined)
  console.log('skipped: a cold network of AvalancheGo and Serac stakers; set AVALANCHEGO and AVALANCHEGO_STAKING_KEYS');
else
  test('3 AvalancheGo and 2 Serac stakers that start together come up and decide blocks of all of them', async () => {
    const start = performance.now();
    const { nodes, stop } = await startStakerNetwork(binary, keys, {
      avalancheGo: 3,
      serac: 2,
      seracFlags: ['--health-check-frequency=1s'],
    });
    try {
      console.log(`all bootstrapped after ${((performance.now() - start) / 1000).toFixed(1)} s`);
      const lanes = createLanes(5);
      await issueTo(nodes[4] as NetworkNode, lanes.first);
      await untilAcceptedBy(nodes, lanes.first.id);
      for (const [lane, node] of nodes.entries()) {
        const tx = lanes.next(lane);
        await issueTo(node, tx);
        await untilAcceptedBy(nodes, tx.id);
      }
      await expectSameChains(nodes);
      // All checks pass on every node, the P- and C-Chain of AvalancheGo included.
      for (const { name, client } of nodes)
        await eventually(
          async () => ({ name, health: await client.send('GET', '/ext/health') }),
          ({ health }) => health.status === 200,
          120_000,
        );
      for (const { kind, client } of nodes.slice(3)) {
        const { checks } = JSON.parse((await client.send('GET', '/ext/health')).text);
        expect([kind, checks['trusted-validators'].error]).toEqual(['Serac', undefined]);
      }
    } finally {
      await stop();
    }
  }, 600_000);
