import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseId } from '../src/base/bytes/id.ts';
import { createClient } from './http.ts';
import {
  createLanes,
  expectSameChains,
  heightOf,
  isBootstrapped,
  issueTo,
  type NetworkNode,
  nodeIDOf,
  peersOf,
  untilAcceptedBy,
} from './network-nodes.ts';
import { eventually } from './processes.ts';
import { runProgram } from './program.ts';
import { isLong } from './random.ts';
import { startTestnet, untilUp } from './testnet-program.ts';

const folder = mkdtempSync(join(tmpdir(), 'serac-testnets-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

// Five nodes in `.ci/run` only: they take a core for ten seconds, and show the same as three.
for (const count of isLong ? [3, 5] : [3])
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
  });

test('faults and commands: killed, frozen and cut off by serac testnet, money by serac send', async () => {
  const dataDir = join(folder, 'faults');
  const testnet = await startTestnet('4', `--data-dir=${dataDir}`, '--min-block-delay=0s', '--network-initial-reconnect-delay=200ms');
  const order = (...words: string[]) => runProgram('testnet', ...words, `--data-dir=${dataDir}`);
  const stateOf = (number: number) => testnet.lines.findLast(({ node }) => node === number)?.state;
  const { nodes, banner } = testnet;
  const [first, second, third, fourth] = nodes as [NetworkNode, NetworkNode, NetworkNode, NetworkNode];
  /** Sends to account 1 from account 0, or as `flags` say, through a node. */
  const send = async (amount: string, at = 0, ...flags: string[]) => {
    const url = (banner[at] as { url: string }).url;
    const { code, out, err } = await runProgram('send', accounts[1] as string, amount, '--json', '--url', url, ...flags);
    const { txID, status } = JSON.parse(out) as { txID: string; status: string };
    sent.push(status);
    // A slow machine may not accept it within the ten seconds that the command waits.
    expect([err, code]).toEqual(['', status === 'Accepted' ? 0 : 1]);
    return parseId(txID);
  };
  let accounts: string[] = [];
  const sent: string[] = [];
  try {
    await untilUp(nodes, 3);
    const listed = await runProgram('accounts', '--json', '--url', (banner[0] as { url: string }).url);
    accounts = (JSON.parse(listed.out) as { accounts: { address: string }[] }).accounts.map(({ address }) => address);
    const accepted = await eventually(
      () => send('1.5'),
      () => sent.at(-1) === 'Accepted',
    );
    await untilAcceptedBy(nodes, accepted);

    expect((await order('kill', '4')).out).toContain('killed node 4');
    expect(stateOf(4)).toBe('killed');
    await untilAcceptedBy([first, second, third], await send('2'));
    expect((await order('freeze', '3')).out).toContain('froze node 3');
    expect(stateOf(3)).toBe('frozen');
    expect((await order('heal')).out).toContain('healed all nodes');
    await untilUp(nodes, 3);

    expect((await order('partition', '4')).out).toContain('cut node 4 off');
    await eventually(
      async () => Promise.all(nodes.map(async (node) => (await peersOf(node)).length)),
      (counts) => counts.join() === '2,2,2,0',
    );
    // The other side decides nothing, so its chain stays the same one, and its transaction waits until the sides are connected again.
    const waiting = await send('0.5', 3, '--from=1');
    expect(sent.at(-1)).toBe('Processing');
    const alone = await send('3');
    await untilAcceptedBy([first, second, third], alone);
    expect(await heightOf(fourth)).toBe((await heightOf(first)) - 1n);
    expect((await order('heal', '4')).code).toBe(0);
    await untilUp(nodes, 3);
    await untilAcceptedBy(nodes, alone);
    await untilAcceptedBy(nodes, waiting);
    await expectSameChains(nodes);
    // What the others say to node 4 takes 400 ms longer, so it cannot accept a transaction of node 1 earlier than that.
    expect((await order('latency', '400ms', '4')).out).toContain('messages between node 4 and the others arrive 400 ms later');
    const started = performance.now();
    const { result } = await first.client.call('/ext/dev', 'dev.send', { from: 0, to: accounts[1], amount: '0.25 AVAX' });
    const slow = parseId((result as unknown as { txID: string }).txID);
    await untilAcceptedBy([fourth], slow);
    expect(performance.now() - started).toBeGreaterThan(399);
    await untilAcceptedBy(nodes, slow);
    expect((await order('heal')).out).toContain('healed all nodes');

    // A further node follows the validators, sends to them, and is gone when it is removed.
    const { added } = JSON.parse((await order('add', '--json')).out) as { added: { node: number; url: string } };
    expect(added.node).toBe(5);
    const client = createClient(Number(new URL(added.url).port));
    const fifth: NetworkNode = { name: 'node 5', client };
    await eventually(
      () => isBootstrapped(fifth).catch(() => false),
      (isDone) => isDone,
      60_000,
    );
    await untilAcceptedBy([fifth], slow);
    const shown = await runProgram('send', accounts[1] as string, '0.125', '--json', '--url', added.url);
    await untilAcceptedBy([...nodes, fifth], parseId((JSON.parse(shown.out) as { txID: string }).txID));
    expect((await order('logs', '5')).out).toContain('at the tip of the network');
    expect((await order('remove', '5')).out).toContain('removed node 5');
    await expect(heightOf(fifth)).rejects.toThrow();
    client.close();
    expect((await order('logs', '7')).err).toContain('there is no log of node 7');
    const healthy = testnet.lines.findLast(({ node, state }) => node === 1 && state === 'running') as { health?: string };
    expect(healthy.health).toBeDefined();

    const wrong = await order('kill', '9');
    expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining('there is no node 9; the nodes are 1 to 4')]);
  } finally {
    expect(await testnet.stop()).toBe(0);
  }
  const ended = await order('heal');
  expect([ended.code, ended.err]).toEqual([1, expect.stringContaining('no testnet runs in')]);
});

const binary = process.env.AVALANCHEGO;
const hasSetpriv = Bun.spawnSync(['sh', '-c', 'setpriv --pdeathsig TERM true'], { stdout: 'ignore', stderr: 'ignore' }).exitCode === 0;

test.skipIf(binary === undefined || !hasSetpriv)('nodes of both kinds stop when serac testnet is killed', async () => {
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
});
