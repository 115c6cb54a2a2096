import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLanes, expectSameChains, issueTo, type NetworkNode, nodeIDOf, untilAcceptedBy } from './network-nodes.ts';
import { eventually } from './processes.ts';
import { startTestnet, untilUp } from './testnet-program.ts';

const folder = mkdtempSync(join(tmpdir(), 'serac-testnets-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

for (const count of [3, 5])
  test(`serac testnet ${count}: a killed node comes back, the others go on, and all have the same chain`, async () => {
    const dataDir = join(folder, `nodes-${count}`);
    const flags = [`${count}`, `--data-dir=${dataDir}`, '--min-block-delay=0s', '--network-initial-reconnect-delay=200ms'];
    const lanes = createLanes(count);
    const testnet = await startTestnet(...flags);
    const identities = testnet.banner.map(({ nodeID }) => nodeID);
    try {
      const { nodes } = testnet;
      await untilUp(nodes, count - 1);
      expect(await Promise.all(nodes.map(nodeIDOf))).toEqual(identities);
      await issueTo(nodes[0] as NetworkNode, lanes.first);
      await untilAcceptedBy(nodes, lanes.first.id);
      for (const [i, node] of nodes.entries()) {
        const tx = lanes.next(i);
        await issueTo(node, tx);
        await untilAcceptedBy(nodes, tx.id);
      }

      const victim = count;
      const pid = testnet.pidOf(victim);
      process.kill(pid, 'SIGKILL');
      const others = nodes.slice(0, -1);
      for (let i = 0; i < 5; i++) {
        const tx = lanes.next(i % (count - 1));
        await issueTo(others[i % others.length] as NetworkNode, tx);
        await untilAcceptedBy(others, tx.id);
      }
      await eventually(
        () => testnet.lines.some(({ node, state }) => node === victim && state === 'down'),
        (isDown) => isDown,
      );
      await untilUp(nodes, count - 1);
      await eventually(
        () => testnet.pidOf(victim),
        (current) => current !== pid,
      );
      const tx = lanes.next(victim - 1);
      await issueTo(nodes[victim - 1] as NetworkNode, tx);
      await untilAcceptedBy(nodes, tx.id);
      await expectSameChains(nodes);
    } finally {
      expect(await testnet.stop()).toBe(0);
    }
    if (count > 3) return;
    // The same folder: the same identities and the same chain.
    const again = await startTestnet(...flags);
    try {
      expect(again.banner.map(({ nodeID }) => nodeID)).toEqual(identities);
      await untilUp(again.nodes, count - 1);
      await untilAcceptedBy(again.nodes, lanes.first.id);
      await expectSameChains(again.nodes);
    } finally {
      await again.stop();
    }
  }, 180_000);

const binary = process.env.AVALANCHEGO;
const hasSetpriv = Bun.spawnSync(['sh', '-c', 'setpriv --pdeathsig TERM true'], { stdout: 'ignore', stderr: 'ignore' }).exitCode === 0;

test.skipIf(binary === undefined || !hasSetpriv)(
  'nodes of both kinds stop when serac testnet is killed',
  async () => {
    const testnet = await startTestnet('1', `--avalanchego=${binary}`, '--avalanchego-nodes=1', `--data-dir=${join(folder, 'killed')}`);
    const isRunning = (pid: number): boolean => {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    };
    let pids: number[] = [];
    try {
      await untilUp(testnet.nodes, 1, 120_000);
      pids = await eventually(
        () => [testnet.pidOf(1), testnet.pidOf(2)],
        (found) => found.every((pid) => pid !== undefined),
      );
      expect(pids.map(isRunning)).toEqual([true, true]);
    } finally {
      await testnet.kill();
    }
    const left = await eventually(
      () => pids.filter(isRunning),
      ({ length }) => length === 0,
      30_000,
    );
    expect(left).toEqual([]);
  },
  200_000,
);
