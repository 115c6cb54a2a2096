import { expect, test } from 'bun:test';
import type { Order } from '../../app/processes/testnet-control.ts';
import { createVirtualTiming } from '../../base/timing/virtual-timing.fixture.ts';
import { carryOut } from './carry-out.ts';
import { splitOff } from './links.ts';
import { describeStatus, type NodeReading, type TestnetNode } from './node-status.ts';
import { type NodeProcess, startTestnet } from './testnet.ts';

const createNode = (number: number, kind: TestnetNode['kind']): TestnetNode => ({
  number,
  kind,
  nodeID: `N${number}`,
  url: '',
  stakingAddress: '',
  folder: '',
  command: [],
});

/** A testnet of processes that only exist in this test. */
function start(kinds: readonly TestnetNode['kind'][]) {
  const { timing, until } = createVirtualTiming();
  const running = new Map<number, { readonly process: NodeProcess; readonly end: (how: string) => void }>();
  const readings = new Map<number, NodeReading>();
  const lines: string[] = [];
  let pid = 100;
  const testnet = startTestnet(
    kinds.map((kind, i) => createNode(i + 1, kind)),
    {
      spawn: async ({ number }) => {
        const { promise, resolve } = Promise.withResolvers<string>();
        const process = {
          pid: pid++,
          exited: promise,
          kill: (signal: string) =>
            signal === 'SIGSTOP' || signal === 'SIGCONT' ? void lines.push(`${number} ${signal}`) : resolve(signal),
        };
        running.set(number, { process, end: resolve });
        return process;
      },
      link: async ({ number }, { refused, delayed }) => {
        lines.push(`${number} refuses ${refused.map((other) => other.number).join()}`);
        for (const [other, ms] of delayed) lines.push(`${number} sends to ${other.number} after ${ms} ms`);
      },
      read: async ({ number }) => readings.get(number),
      timers: timing,
      now: timing.now,
      random: () => 1,
      onStatus: ({ number }, status) => lines.push(`${number}: ${describeStatus(status)}`),
    },
  );
  const passTime = async (milliseconds: number): Promise<void> => {
    let isOver = false;
    timing.after(milliseconds, () => {
      isOver = true;
    });
    await until(() => isOver);
  };
  const order = (kind: Order['kind'], nodes: readonly number[], milliseconds = 0, pause = passTime) =>
    carryOut({ kind, nodes, milliseconds }, { testnet, pause, planNode: async (number) => createNode(number, 'Serac') });
  const stateOf = (number: number) => testnet.statusOf(number)?.state;
  return { testnet, running, readings, lines, until, order, stateOf };
}

const upReading: NodeReading = { height: 3n, peers: 1, isBootstrapped: true, failing: new Map() };

test('Serac nodes start when the AvalancheGo nodes are bootstrapped', async () => {
  const { testnet, running, readings, until, stateOf } = start(['AvalancheGo', 'Serac']);
  await until(() => running.has(1));
  readings.set(1, { ...upReading, isBootstrapped: false });
  await until(() => stateOf(1) === 'running');
  expect(running.has(2)).toBe(false);
  expect(testnet.statusOf(2)).toEqual({ state: 'waiting' });
  readings.set(1, upReading);
  await until(() => running.has(2));
  await testnet.close();
});

test('a node that exits is started again, later each time; the others go on', async () => {
  const { testnet, running, readings, lines, until, stateOf } = start(['Serac', 'Serac']);
  await until(() => running.size === 2);
  readings.set(1, upReading);
  readings.set(2, { ...upReading, failing: new Map([['X', 'behind by 7 blocks']]) });
  await until(() => stateOf(1) === 'running' && stateOf(2) === 'running');
  const first = [1, 2].map(testnet.pidOf);
  running.get(1)?.end('SIGKILL');
  await until(() => stateOf(1) === 'down');
  await until(() => stateOf(1) === 'running');
  expect(testnet.pidOf(1)).not.toBe(first[0]);
  expect(testnet.pidOf(2)).toBe(first[1]);
  running.get(1)?.end('exit code 1');
  await until(() => stateOf(1) === 'down');
  expect(lines).toEqual([
    '1: starting',
    '2: starting',
    '1: height 3, 1 peer, healthy',
    '2: height 3, 1 peer, unhealthy: X',
    '1: down (SIGKILL), starts again in 1.0 s',
    '1: starting',
    '1: height 3, 1 peer, healthy',
    '1: down (exit code 1), starts again in 2.0 s',
  ]);
  await testnet.close();
});

test('close stops all nodes and starts none again', async () => {
  const { testnet, running, until } = start(['Serac', 'Serac', 'Serac']);
  await until(() => running.size === 3);
  const ended = Promise.all([...running.values()].map(({ process }) => process.exited));
  await Promise.all([testnet.close(), testnet.close()]);
  expect(await ended).toEqual(['SIGTERM', 'SIGTERM', 'SIGTERM']);
  expect([1, 2, 3].map(testnet.pidOf)).toEqual([undefined, undefined, undefined]);
});

test('a killed node stays down, a frozen one is woken, and a partition is told to nodes that start later', async () => {
  const { testnet, running, readings, lines, until, order, stateOf } = start(['AvalancheGo', 'Serac', 'Serac']);
  for (const number of [1, 2, 3]) readings.set(number, upReading);
  await until(() => [1, 2, 3].every((number) => stateOf(number) === 'running'));

  expect(await order('freeze', [2])).toEqual({ text: expect.stringContaining('froze node 2') });
  expect([stateOf(2), lines.at(-2)]).toEqual(['frozen', '2 SIGSTOP']);
  expect(await order('freeze', [2])).toEqual({ refused: 'node 2 does not run: frozen' });
  testnet.heal(2);
  await until(() => stateOf(2) === 'running');
  expect(lines).toContain('2 SIGCONT');

  const before = testnet.pidOf(3);
  testnet.kill(3);
  await until(() => stateOf(3) === 'killed');
  const split = () => testnet.setLinks({ sides: splitOff([3], testnet.nodes()) });
  split();
  await until(() => lines.includes('2 refuses 3'));
  expect([testnet.pidOf(3), testnet.isLinked()]).toEqual([undefined, true]);
  // Healing joins it to the others again; a new partition holds for it from its start on.
  testnet.heal(3);
  split();
  await until(() => lines.includes('3 refuses 1,2'));
  expect(testnet.pidOf(3)).not.toBe(before);
  expect(running.size).toBe(3);
  for (const number of [1, 2, 3]) testnet.heal(number);
  await until(() => lines.includes('2 refuses ') && lines.includes('3 refuses '));
  await testnet.close();
});

test('latency holds between the named nodes, for a node that starts again too, and heal ends it', async () => {
  const { testnet, running, readings, lines, until, order, stateOf } = start(['AvalancheGo', 'Serac', 'Serac']);
  for (const number of [1, 2, 3]) readings.set(number, upReading);
  await until(() => [1, 2, 3].every((number) => stateOf(number) === 'running'));
  expect(await order('latency', [2, 3], 100)).toEqual({
    text: 'messages between nodes 2, 3 arrive 100 ms later; serac testnet heal ends that',
  });
  expect(lines.filter((line) => line.includes('sends')).sort()).toEqual(['2 sends to 3 after 100 ms', '3 sends to 2 after 100 ms']);
  await order('latency', [1], 50);
  expect(lines.slice(-3).concat(lines.slice(-6, -3))).toContain('2 sends to 1 after 50 ms');
  lines.length = 0;
  running.get(2)?.end('SIGKILL');
  await until(() => lines.includes('2 sends to 3 after 100 ms') && lines.includes('2 sends to 1 after 50 ms'));
  lines.length = 0;
  expect(await order('heal', [])).toEqual({ text: 'healed all nodes' });
  expect(testnet.links().delays.size).toBe(0);
  expect(lines.filter((line) => line.includes('sends'))).toEqual([]);
  await testnet.close();
});

test('a node is added with the next number and removed for good, also while it waits for a restart', async () => {
  const { testnet, running, readings, lines, until, order, stateOf } = start(['Serac', 'Serac']);
  for (const number of [1, 2, 3]) readings.set(number, upReading);
  await until(() => stateOf(2) === 'running');
  expect(await order('add', [])).toEqual({ text: 'added node 3 at ; it runs', added: expect.objectContaining({ node: 3, nodeID: 'N3' }) });
  expect(testnet.nodes().map(({ number }) => number)).toEqual([1, 2, 3]);
  running.get(2)?.end('exit code 1');
  await until(() => stateOf(2) === 'down');
  expect(await order('remove', [2])).toEqual({ text: expect.stringContaining('removed node 2') });
  expect(await order('remove', [3])).toEqual({ text: expect.stringContaining('removed node 3') });
  expect(await running.get(3)?.process.exited).toBe('SIGTERM');
  expect(await order('remove', [1])).toEqual({ refused: expect.stringContaining('a testnet needs a node') });
  expect((await order('kill', [2])) as object).toEqual({ refused: 'there is no node 2; the nodes are 1' });
  expect(lines.filter((line) => line === '2: starting')).toHaveLength(1);
  await testnet.close();
});

test('an order that is not carried out after ten seconds says so', async () => {
  const { testnet, readings, until, order, stateOf } = start(['Serac', 'Serac', 'Serac']);
  for (const number of [1, 2]) readings.set(number, upReading);
  await until(() => stateOf(2) === 'running');
  let waited = 0;
  const heal = await order('heal', [3], 0, async (milliseconds) => {
    waited += milliseconds;
  });
  expect([heal, waited]).toEqual([{ text: 'node 3 can start and connect again, but not all run yet' }, 10_000]);
  await testnet.close();
});

test('orders that cannot be carried out say why', async () => {
  const { testnet, order } = start(['AvalancheGo', 'AvalancheGo', 'Serac']);
  const refusal = async (kind: Order['kind'], ...numbers: number[]) => ((await order(kind, numbers, 100)) as { refused?: string }).refused;
  expect(await refusal('kill', 4)).toBe('there is no node 4; the nodes are 1 to 3');
  expect(await refusal('partition', 1, 2, 3)).toContain('all nodes would be on one side');
  expect(await refusal('partition', 1)).toContain('only Serac nodes can refuse a peer');
  expect(await refusal('latency')).toContain('between two AvalancheGo nodes cannot be delayed');
  expect(await refusal('freeze', 3)).toContain('does not run');
  await testnet.close();
});
