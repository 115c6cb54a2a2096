import { afterAll, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { acceptsFlag, flagTable } from '../src/app/config/flag-table.ts';
import { camelCase } from '../src/sdk/options-config.ts';
import { readOuterBlock } from './outer-blocks.ts';
import { eventually } from './processes.ts';

/** `createTestnet` of the library: faults as methods, and nothing left of it however its program ends. */

const library = new URL('../src/sdk/index.ts', import.meta.url).pathname;
const { createTestnet } = await import(library);

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

const killed: number[] = [];
afterAll(() => {
  for (const pid of killed) if (isRunning(pid)) process.kill(pid, 'SIGKILL');
});

test('a testnet goes on without a node that is killed, delays its messages, grows and shrinks, and leaves nothing', async () => {
  const testnet = await createTestnet(3, { flags: ['--network-initial-reconnect-delay=200ms'] });
  try {
    const [first, , third] = testnet.nodes;
    const { accounts } = await first.dev.accounts();
    const send = async (): Promise<string> => (await first.dev.send({ from: 0, to: accounts[1].address, amount: '1.5 AVAX' })).txID;
    await testnet.kill(3);
    expect(third.status().state).toBe('killed');
    const missed = await send();
    await testnet.accepted(missed, 1, 2);
    await testnet.heal(3);
    await testnet.accepted(missed, 3);
    await testnet.latency(50, 1, 2);
    await testnet.accepted(await send());
    const added = await testnet.add();
    expect([added.number, testnet.nodes.length]).toEqual([4, 4]);
    await testnet.accepted(missed, 4);
    expect(added.status().height).toBe(2n);
    await testnet.remove(4);
    expect(testnet.nodes.map(({ number }: { number: number }) => number)).toEqual([1, 2, 3]);
    await testnet.heal();
    await testnet.ready();
    expect(() => testnet.kill()).toThrow('needs the number of a node');
    await expect(testnet.kill(9)).rejects.toThrow('there is no node 9; the nodes are 1 to 3');
  } finally {
    await testnet.close();
  }
  expect(existsSync(testnet.folder)).toBe(false);
  await expect(testnet.heal()).rejects.toThrow('the testnet is closed');
});

/** A testnet that is ready before its upgrade, however slow the machine is. */
async function startBeforeUpgrade(): Promise<{ readonly testnet: Awaited<ReturnType<typeof createTestnet>>; readonly upgradeAt: number }> {
  for (let seconds = 20; ; seconds *= 3) {
    const upgradeAt = Date.now() + 1000 * seconds;
    const testnet = await createTestnet(3, { networkId: 1337, upgradeAt: `granite=${seconds}s` });
    if (Date.now() < upgradeAt - 5000) return { testnet, upgradeAt };
    await testnet.close();
  }
}

test('a testnet crosses the time of an upgrade', async () => {
  const { testnet, upgradeAt } = await startBeforeUpgrade();
  try {
    const [first] = testnet.nodes;
    const { accounts } = await first.dev.accounts();
    const send = async (i: number): Promise<bigint> => {
      const { txID } = await testnet.nodes[i % 3].dev.send({ from: 0, to: accounts[1].address, amount: '1 AVAX' });
      await testnet.accepted(txID);
      return BigInt((await first.avm.getHeight()).height);
    };
    const epochsAt = (height: bigint) => [1, 2, 3].map((n) => readOuterBlock(`${testnet.folder}/node-${n}`, height).epoch?.number);
    await send(0);
    const isOfUpgrade = (): boolean => Date.now() > upgradeAt + 2000;
    let sent = 1;
    for (; !isOfUpgrade(); sent++) {
      await send(sent);
      await Bun.sleep(1000);
    }
    const last = await send(sent);
    // Granite gives each block an epoch.
    expect([epochsAt(1n), epochsAt(last)]).toEqual([
      [undefined, undefined, undefined],
      [1n, 1n, 1n],
    ]);
    await testnet.ready();
  } finally {
    await testnet.close();
  }
});

test('a testnet ends when its program is killed', async () => {
  const script = `import { createTestnet } from ${JSON.stringify(library)};
    const { folder, nodes } = await createTestnet(2);
    console.log(JSON.stringify({ folder, urls: nodes.map(({ url }) => url) }));
    setInterval(() => {}, 1000);`;
  const program = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe', stderr: 'inherit' });
  killed.push(program.pid);
  const { value } = await program.stdout.getReader().read();
  const { folder, urls } = JSON.parse(Buffer.from(value as Uint8Array).toString()) as { folder: string; urls: string[] };
  expect((await fetch(`${urls[0]}/ext/health`)).status).toBe(200);
  program.kill('SIGKILL');
  await program.exited;
  await eventually(
    () => existsSync(folder),
    (isThere) => !isThere,
    60_000,
  );
  for (const url of urls) await expect(fetch(url)).rejects.toThrow();
});

test('what cannot start says why', async () => {
  await expect(createTestnet(0)).rejects.toThrow('is not a number of nodes from 1 to 50');
  await expect(createTestnet(1, { upgradeAt: '30s' })).rejects.toThrow('name a custom network');
});

test('the options are flags of serac testnet', async () => {
  const source = await Bun.file(new URL('../src/sdk/testnet-options.ts', import.meta.url)).text();
  const options = [...source.matchAll(/^ {2}readonly (\w+)\?/gm)].map(([, name = '']) => name);
  const flags = Object.entries(flagTable).flatMap(([name, flag]) => (acceptsFlag('testnet', flag) ? [camelCase(name)] : []));
  expect(options.length).toBeGreaterThan(10);
  expect(options.filter((name) => !flags.includes(name))).toEqual(['flags', 'timeout']);
});
