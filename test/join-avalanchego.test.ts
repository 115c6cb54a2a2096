import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startAvalancheGo } from './avalanchego.ts';
import {
  createLanes,
  expectSameChains,
  heightOf,
  isAccepted,
  isBootstrapped,
  issueTo,
  type NetworkNode,
  nodeIDOf,
  peersOf,
  startJoined,
  untilAcceptedBy,
  versionOf,
} from './network-nodes.ts';
import { eventually } from './processes.ts';
import type { Program } from './program.ts';

/** `serac join` beside one AvalancheGo without sybil protection: each must agree with the other, so every block needs both. */
const binary = process.env.AVALANCHEGO;
const folder = mkdtempSync(join(tmpdir(), 'serac-join-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const joinFlags = (beacon: string, beaconID: string, dataDir: string): string[] => [
  'join',
  '--network-id=local',
  '--sybil-protection-enabled=false',
  `--bootstrap-ips=${beacon}`,
  `--bootstrap-ids=${beaconID}`,
  '--staking-host=127.0.0.1',
  '--staking-port=0',
  `--data-dir=${dataDir}`,
  '--health-check-frequency=1s',
];

/** Milliseconds that a node does not answer: many polls, but less than the 30 s after which it would be disconnected. */
const silence = 8000;

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;

/** Issues transactions to the nodes in turn. Returns the milliseconds until both had accepted each. */
async function issueInTurn(nodes: readonly NetworkNode[], next: () => ReturnType<ReturnType<typeof createLanes>['next']>, count: number) {
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    const tx = next();
    await issueTo(nodes[i % nodes.length] as NetworkNode, tx);
    times.push(Math.max(...(await untilAcceptedBy(nodes, tx.id))));
  }
  return times;
}

if (binary === undefined) console.log('skipped: joining AvalancheGo; set AVALANCHEGO to the path of its binary');
else {
  for (const { delay, limit } of [
    { delay: '0s', limit: 300 },
    { delay: '1s', limit: 2000 },
  ])
    test(`transactions issued on either side are accepted on both, with a block delay of ${delay}`, async () => {
      const go = await startAvalancheGo(binary, { flags: [`--proposervm-min-block-delay=${delay}`] });
      const goNode = { name: 'AvalancheGo', client: go.client };
      const dataDir = join(folder, `node-${delay}`);
      const flags = [...joinFlags(`127.0.0.1:${go.stakingPort}`, await nodeIDOf(goNode), dataDir), `--proposervm-min-block-delay=${delay}`];
      const lanes = createLanes(2);
      let program: Program | undefined;
      try {
        // Before Serac joins, AvalancheGo decides alone: Serac bootstraps over these blocks.
        await issueTo(goNode, lanes.first);
        await untilAcceptedBy([goNode], lanes.first.id);
        for (let i = 0; i < 3; i++) {
          const tx = lanes.next(0);
          await issueTo(goNode, tx);
          await untilAcceptedBy([goNode], tx.id);
        }
        const started = await startJoined(...flags);
        program = started.program;
        const nodes = [goNode, started.node];
        expect(await heightOf(started.node)).toBe(await heightOf(goNode));

        const [ours = '', theirs = ''] = await Promise.all(nodes.map(nodeIDOf));
        expect((await peersOf(goNode)).map(({ nodeID, version }) => [nodeID, version])).toEqual([[theirs, await versionOf(started.node)]]);
        expect((await peersOf(started.node)).map(({ nodeID, version }) => [nodeID, version])).toEqual([[ours, 'avalanchego/1.14.2']]);

        const times = await issueInTurn(nodes, () => lanes.next(0), 10);
        console.log(`block delay ${delay}: accepted by both after ${times.map((ms) => Math.round(ms)).join(', ')} ms`);
        // The goal is `limit`; a busy machine may take longer, so the test allows more.
        expect(median(times)).toBeLessThan(4 * limit);
        await expectSameChains(nodes);

        // Killed while AvalancheGo has transactions: it restarts from what it has stored and catches up.
        await program.stop('SIGKILL');
        await eventually(
          () => peersOf(goNode),
          (peers) => peers.length === 0,
        );
        const missed = lanes.next(1);
        await issueTo(goNode, missed);
        await untilAcceptedBy([goNode], missed.id);
        const again = await startJoined(...flags);
        program = again.program;
        expect(await nodeIDOf(again.node)).toBe(theirs);
        await untilAcceptedBy([again.node], missed.id);
        await issueInTurn([goNode, again.node], () => lanes.next(1), 2);
        await expectSameChains([goNode, again.node]);

        const health = await eventually(
          async () => JSON.parse((await again.program.client.send('GET', '/ext/health')).text),
          ({ checks }) => checks.network.message.connectedPeers === 1,
        );
        expect(health.checks.X.message.networking).toEqual({ disconnectedValidators: [], percentConnected: 1 });
        expect(health.healthy).toBe(true);
        const metrics = (await again.program.client.send('GET', '/ext/metrics')).text;
        expect(metrics).toContain('avalanche_network_peers 1');
        const data = await again.program.client.send('GET', '/v1/networks/local/blockchains/x-chain/blocks?pageSize=1');
        expect(JSON.parse(data.text).blocks[0].blockNumber).toBe(`${await heightOf(goNode)}`);
      } finally {
        await program?.stop();
        await go.stop();
      }
    });

  test('a node decides nothing while the other is connected and does not answer, and goes on when it does', async () => {
    const go = await startAvalancheGo(binary);
    const goNode = { name: 'AvalancheGo', client: go.client };
    const lanes = createLanes(2);
    const { program, node: serac } = await startJoined(
      ...joinFlags(`127.0.0.1:${go.stakingPort}`, await nodeIDOf(goNode), join(folder, 'silent')),
      '--proposervm-min-block-delay=0s',
    );
    const nodes = [goNode, serac];
    try {
      await issueTo(goNode, lanes.first);
      await untilAcceptedBy(nodes, lanes.first.id);
      for (const [node, silent, pid] of [
        [goNode, serac, program.pid],
        [serac, goNode, go.pid()],
      ] as const) {
        // Before: a transaction is accepted at once.
        const before = lanes.next(0);
        await issueTo(node, before);
        await untilAcceptedBy(nodes, before.id, 10_000);
        const height = await heightOf(node);
        process.kill(pid, 'SIGSTOP');
        const tx = lanes.next(0);
        try {
          await issueTo(node, tx);
          await Bun.sleep(silence);
          expect([node.name, await isAccepted(node, tx.id), await heightOf(node)]).toEqual([node.name, false, height]);
          // It waits because of the silence: the other is still a peer, and so a validator.
          expect([node.name, (await peersOf(node)).length]).toEqual([node.name, 1]);
        } finally {
          process.kill(pid, 'SIGCONT');
        }
        await untilAcceptedBy(nodes, tx.id);
        expect([silent.name, await heightOf(silent)]).toEqual([silent.name, height + 1n]);
      }
      await expectSameChains(nodes);
    } finally {
      await program.stop();
      await go.stop();
    }
  });

  test('AvalancheGo bootstraps the X-Chain from Serac, which answers for the other chains; then both decide', async () => {
    const flags = ['join', '--network-id=local', '--sybil-protection-enabled=false', '--staking-host=127.0.0.1', '--staking-port=0'];
    // Alone without first peers: it decides alone, as AvalancheGo does.
    const { program, node: serac } = await startJoined(...flags, '--echo-other-chains', '--proposervm-min-block-delay=0s');
    const lanes = createLanes(2);
    try {
      await issueTo(serac, lanes.first);
      await untilAcceptedBy([serac], lanes.first.id);
      for (let i = 0; i < 5; i++) {
        const tx = lanes.next(0);
        await issueTo(serac, tx);
        await untilAcceptedBy([serac], tx.id);
      }
      const { ip } = (await serac.client.call('/ext/info', 'info.getNodeIP')).result as unknown as { ip: string };
      const go = await startAvalancheGo(binary, { flags: [`--bootstrap-ips=${ip}`, `--bootstrap-ids=${await nodeIDOf(serac)}`] });
      try {
        const goNode = { name: 'AvalancheGo', client: go.client };
        for (const chain of ['P', 'X', 'C']) expect([chain, await isBootstrapped(goNode, chain)]).toEqual([chain, true]);
        await untilAcceptedBy([goNode], lanes.first.id);
        await issueInTurn([goNode, serac], () => lanes.next(1), 4);
        await expectSameChains([goNode, serac]);
      } finally {
        await go.stop();
      }
      // AvalancheGo has left the set of validators: Serac decides alone again.
      const last = lanes.next(0);
      await issueTo(serac, last);
      await untilAcceptedBy([serac], last.id);
    } finally {
      await program.stop();
    }
  });
}
