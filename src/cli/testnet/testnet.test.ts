import { expect, test } from 'bun:test';
import { createVirtualTiming } from '../../base/timing/virtual-timing.fixture.ts';
import { carryOut } from './carry-out.ts';
import type { Order } from './control.ts';
import { describeStatus, type NodeReading, type TestnetNode } from './node-status.ts';
import { splitOff } from './partition.ts';
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
      block: async ({ number }, others) => void lines.push(`${number} refuses ${others.map((other) => other.number).join()}`),
      read: async ({ number }) => readings.get(number),
      timers: timing,
      now: timing.now,
      random: () => 1,
      onStatus: ({ number }, status) => lines.push(`${number}: ${describeStatus(status)}`),
    },
  );
  return { testnet, running, readings, lines, until };
}

test('Serac nodes start when the AvalancheGo nodes are bootstrapped', async () => {
  const { testnet, running, readings, until } = start(['AvalancheGo', 'Serac']);
  await until(() => running.has(1));
  readings.set(1, { height: 0n, peers: 0, isBootstrapped: false });
  await until(() => testnet.statuses()[0]?.state === 'running');
  expect(running.has(2)).toBe(false);
  expect(testnet.statuses()[1]).toEqual({ state: 'waiting' });
  readings.set(1, { height: 0n, peers: 0, isBootstrapped: true });
  await until(() => running.has(2));
  await testnet.close();
});

test('a node that exits is started again, later each time; the others go on', async () => {
  const { testnet, running, readings, lines, until } = start(['Serac', 'Serac']);
  await until(() => running.size === 2);
  for (const number of [1, 2]) readings.set(number, { height: 3n, peers: 1, isBootstrapped: true });
  await until(() => testnet.statuses().every(({ state }) => state === 'running'));
  const first = testnet.pids();
  running.get(1)?.end('SIGKILL');
  await until(() => testnet.statuses()[0]?.state === 'down');
  await until(() => testnet.statuses()[0]?.state === 'running');
  expect(testnet.pids()[0]).not.toBe(first[0]);
  expect(testnet.pids()[1]).toBe(first[1]);
  running.get(1)?.end('exit code 1');
  await until(() => testnet.statuses()[0]?.state === 'down');
  expect(lines).toEqual([
    '1: starting',
    '2: starting',
    '1: height 3, 1 peer',
    '2: height 3, 1 peer',
    '1: down (SIGKILL), starts again in 1.0 s',
    '1: starting',
    '1: height 3, 1 peer',
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
  expect(testnet.pids()).toEqual([undefined, undefined, undefined]);
});

test('a killed node stays down, a frozen one is woken, and a partition is told to nodes that start later', async () => {
  const { testnet, running, readings, lines, until } = start(['AvalancheGo', 'Serac', 'Serac']);
  const stateOf = (number: number) => testnet.statuses()[number - 1]?.state;
  for (const number of [1, 2, 3]) readings.set(number, { height: 3n, peers: 2, isBootstrapped: true });
  await until(() => [1, 2, 3].every((number) => stateOf(number) === 'running'));
  const nodes = (['AvalancheGo', 'Serac', 'Serac'] as const).map((kind, i) => createNode(i + 1, kind));
  const pause = async (): Promise<void> => void (await until(() => true));

  expect(await carryOut({ kind: 'freeze', nodes: [2] }, testnet, nodes, pause)).toEqual({ text: expect.stringContaining('froze node 2') });
  expect([stateOf(2), lines.at(-2)]).toEqual(['frozen', '2 SIGSTOP']);
  expect(await carryOut({ kind: 'freeze', nodes: [2] }, testnet, nodes, pause)).toEqual({ refused: 'node 2 does not run: frozen' });
  testnet.heal(1);
  await until(() => stateOf(2) === 'running');
  expect(lines).toContain('2 SIGCONT');

  const before = testnet.pids()[2];
  testnet.kill(2);
  await until(() => stateOf(3) === 'killed');
  testnet.partition(splitOff([3], nodes));
  await until(() => lines.includes('2 refuses 3'));
  expect([testnet.pids()[2], testnet.isPartitioned()]).toEqual([undefined, true]);
  testnet.partition(splitOff([3], nodes));
  // Healing joins it to the others again; a new partition holds for it from its start on.
  testnet.heal(2);
  testnet.partition(splitOff([3], nodes));
  await until(() => lines.includes('3 refuses 1,2'));
  expect(testnet.pids()[2]).not.toBe(before);
  expect(running.size).toBe(3);
  for (const at of [0, 1, 2]) testnet.heal(at);
  await until(() => lines.includes('2 refuses ') && lines.includes('3 refuses '));
  await testnet.close();
});

test('an order that is not carried out after ten seconds says so', async () => {
  const { testnet, readings, until } = start(['Serac', 'Serac', 'Serac']);
  const nodes = [1, 2, 3].map((number) => createNode(number, 'Serac'));
  for (const number of [1, 2]) readings.set(number, { height: 3n, peers: 2, isBootstrapped: true });
  await until(() => testnet.statuses()[1]?.state === 'running');
  let waited = 0;
  const heal = await carryOut({ kind: 'heal', nodes: [3] }, testnet, nodes, async (milliseconds) => {
    waited += milliseconds;
  });
  expect([heal, waited]).toEqual([{ text: 'node 3 can start and connect again, but not all run yet' }, 10_000]);
  await testnet.close();
});

test('orders that cannot be carried out say why', async () => {
  const { testnet } = start(['AvalancheGo', 'AvalancheGo', 'Serac']);
  const nodes = (['AvalancheGo', 'AvalancheGo', 'Serac'] as const).map((kind, i) => createNode(i + 1, kind));
  const refusal = async (kind: Order['kind'], ...numbers: number[]) =>
    (await carryOut({ kind, nodes: numbers }, testnet, nodes, async () => {})) as { refused?: string };
  expect((await refusal('kill', 4)).refused).toBe('there is no node 4; the nodes are 1 to 3');
  expect((await refusal('partition', 1, 2, 3)).refused).toContain('all nodes would be on one side');
  expect((await refusal('partition', 1)).refused).toContain('only Serac nodes can refuse a peer');
  expect((await refusal('freeze', 3)).refused).toContain('does not run');
  await testnet.close();
});
