import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLanes, heightOf, isBootstrapped, issueTo, type NetworkNode, nodeIDOf, untilAcceptedBy } from './network-nodes.ts';
import { eventually } from './processes.ts';
import { type Program, startProgram } from './program.ts';
import { startTrustedNode } from './trusted-node.ts';

/** A joined node whose trusted node is away: what it says, and that it starts. Two Serac nodes; the trusted nodes are stand-ins that only know the P-Chain's validators. */
const folder = mkdtempSync(join(tmpdir(), 'serac-outage-'));
const running: Program[] = [];
afterAll(async () => {
  await Promise.all(running.map((program) => program.stop('SIGKILL')));
  rmSync(folder, { recursive: true, force: true });
});

async function start(...flags: string[]): Promise<{ program: Program; node: NetworkNode; stakingAddress: string }> {
  const program = await startProgram(
    'join',
    '--network-id=local',
    '--staking-host=127.0.0.1',
    '--staking-port=0',
    '--health-check-frequency=1s',
    '--min-block-delay=0s',
    '--log-level=warn',
    ...flags,
  );
  running.push(program);
  return { program, node: { name: program.url, client: program.client }, stakingAddress: program.banner.peersAt as string };
}

test('while a node bootstraps, its chain answers 503 as AvalancheGo does', async () => {
  const flags = [
    '--sybil-protection-enabled=false',
    '--bootstrap-ips=127.0.0.1:1',
    '--bootstrap-ids=NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg',
  ];
  const [{ program }, { program: strict }] = await Promise.all([start(...flags), start(...flags, '--strict')]);
  // AvalancheGo's readiness knows no chains.
  const readiness = async ({ client }: Program) => Object.keys(JSON.parse((await client.send('GET', '/ext/health/readiness')).text).checks);
  expect([await readiness(program), await readiness(strict)]).toEqual([['X', 'bootstrapped'], ['bootstrapped']]);
  await strict.stop();
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'avm.getHeight', params: {} });
  for (const path of ['/ext/bc/X', '/ext/bc/X/wallet']) {
    const { status, text } = await program.client.send('POST', path, { 'content-type': 'application/json' }, body);
    expect([status, text]).toEqual([503, 'API call rejected because chain is not done bootstrapping\n']);
  }
  for (const path of ['/v1/networks/local/blockchains/x-chain/transactions', '/v2/chains/x-chain/metrics/txCount']) {
    const { status, text } = await program.client.send('GET', path);
    expect([status, JSON.parse(text).message]).toEqual([
      503,
      'API call rejected because chain is not done bootstrapping: it is at height 0',
    ]);
  }
  expect(await isBootstrapped({ name: 'Serac', client: program.client })).toBe(false);
  await program.stop();
});

const checksOf = async ({
  client,
}: Program): Promise<Record<string, { error?: string; message?: { pChainHeight?: number; sources?: unknown } }>> =>
  JSON.parse((await client.send('GET', '/ext/health')).text).checks;

test('the first start on fuji without its trusted node serves HTTP and says what it waits for; a malformed answer is not fatal', async () => {
  const trusted = startTrustedNode(0, 5);
  trusted.chain.isDown = true;
  const program = await startProgram(
    'join',
    '--network-id=fuji',
    `--data-dir=${join(folder, 'fuji')}`,
    `--validators-from=${trusted.url}`,
    '--health-check-frequency=1s',
    '--staking-host=127.0.0.1',
    '--staking-port=0',
    '--bootstrap-ips=127.0.0.1:1',
    '--bootstrap-ids=NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg',
  );
  running.push(program);
  expect(program.banner.network).toMatchObject({ name: 'fuji', privateCopy: false });
  const waits = (reason: string) => (checks: Awaited<ReturnType<typeof checksOf>>) =>
    checks['trusted-validators']?.error?.includes(reason) === true;
  const checks = await eventually(() => checksOf(program), waits('HTTP status 503'), 30_000);
  expect(checks['trusted-validators']?.error).toContain('no validators are known yet, and the X-Chain waits for them');
  expect(program.stderrText()).toContain('no validators are known yet, and the X-Chain waits for them');
  expect(await readinessOf(program)).toEqual([503, 503, 503]);
  Object.assign(trusted.chain, { isDown: false, isMalformed: true });
  await eventually(() => checksOf(program), waits('gave an unusable response (platform.getHeight'), 60_000);
  Object.assign(trusted.chain, { isMalformed: false, validators: ['NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg'] });
  await eventually(
    () => checksOf(program),
    (all) => all['trusted-validators']?.error === undefined,
    60_000,
  );
  // The chain still has to be fetched.
  expect(await readinessOf(program)).toEqual([503, 503, 503]);
  trusted.stop();
  await program.stop();
});

/** What load balancers ask. */
const readinessOf = ({ client }: Program): Promise<number[]> =>
  Promise.all(['/ready', '/v1/health-check', '/ext/health/readiness'].map(async (path) => (await client.send('GET', path)).status));
const isEach = (wanted: number) => (statuses: readonly number[]) => statuses.every((status) => status === wanted);

test('a node whose trusted node is away says that it stands still, starts without it, and goes on when it is back', async () => {
  const [first, second] = [startTrustedNode(), startTrustedNode()];
  const validatorFolder = `--data-dir=${join(folder, 'validator')}`;
  const identity = await start('--sybil-protection-enabled=false', '--bootstrap-ips=', '--bootstrap-ids=', validatorFolder);
  const validatorID = await nodeIDOf(identity.node);
  await identity.program.stop();
  for (const { chain } of [first, second]) chain.validators = [validatorID];
  const validator = await start(validatorFolder, `--validators-from=${first.url}`, '--force');
  const flags = [`--bootstrap-ips=${validator.stakingAddress}`, `--bootstrap-ids=${validatorID}`, `--data-dir=${join(folder, 'follower')}`];
  let follower = await start(...flags, `--validators-from=${second.url}`);
  await eventually(
    () => isBootstrapped(follower.node),
    (isDone) => isDone,
    60_000,
  );
  const lanes = createLanes(2);
  await issueTo(validator.node, lanes.first);
  await untilAcceptedBy([validator.node, follower.node], lanes.first.id);
  expect((await checksOf(follower.program))['trusted-validators']?.error).toBeUndefined();

  // The P-Chain moves; the follower cannot learn of it, so it refuses the blocks that refer to its new height.
  second.chain.isDown = true;
  first.chain.height = 2;
  await eventually(
    () => checksOf(validator.program),
    (all) => all['trusted-validators']?.message?.pChainHeight === 2,
    60_000,
  );
  const stood = await heightOf(follower.node);
  for (let i = 0; i < 4; i++) {
    const tx = lanes.next(0);
    await issueTo(validator.node, tx);
    await untilAcceptedBy([validator.node], tx.id);
  }
  const checks = await eventually(
    () => checksOf(follower.program),
    (all) => all.X?.error !== undefined && all['trusted-validators']?.error !== undefined,
    90_000,
  );
  expect(checks.X?.error).toContain(`behind the network: most of the stake is at height`);
  expect(checks['trusted-validators']?.error).toContain('the last known validators hold');
  expect((await follower.program.client.send('GET', '/ext/health')).status).toBe(503);
  expect(await eventually(() => readinessOf(follower.program), isEach(503), 30_000)).toEqual([503, 503, 503]);
  expect(JSON.parse((await follower.program.client.send('GET', '/ready')).text)).toEqual({
    ready: false,
    reason: expect.stringContaining('X: behind the network: most of the stake is at height'),
  });
  const old = await follower.program.client.send('GET', '/v1/networks/local/blockchains/x-chain/blocks');
  expect([old.status, Number(old.headers['x-serac-data-age']) >= 10]).toEqual([200, true]);
  // The log is written by a timer of its own, which may come after that of the health check.
  const standsStill = /X: most of the stake is at height \d+, this node stands at \d+; the last block was refused: /;
  const log = await eventually(follower.program.stderrText, (text) => standsStill.test(text), 60_000);
  expect(log).toMatch(standsStill);
  expect(log).toMatch(/X: refused block \w+ at height \d+: /);
  expect(log.match(/refused block/g)?.length).toBeLessThan(5);

  // It starts without the trusted node, with the validators that it has stored.
  await follower.program.stop('SIGKILL');
  follower = await start(...flags, `--validators-from=${second.url}`);
  const height = await eventually(
    () => heightOf(follower.node).catch(() => undefined),
    (answer) => answer !== undefined,
    60_000,
  );
  expect(height).toBeGreaterThanOrEqual(stood);

  // Its trusted node is back, but its P-Chain is behind the one that blocks refer to.
  second.chain.isDown = false;
  const stale = await eventually(
    () => checksOf(follower.program),
    (all) => all['trusted-validators']?.error?.includes('but blocks refer to height 2') === true,
    60_000,
  );
  expect(stale['trusted-validators']?.message?.sources).toEqual([{ url: second.url, pChainHeight: 1, pChainTime: '2027-01-31T12:00:00Z' }]);
  second.chain.height = 2;
  const tip = await heightOf(validator.node);
  await eventually(
    () => heightOf(follower.node),
    (height) => height >= tip,
    120_000,
  );
  await eventually(
    () => checksOf(follower.program),
    (all) => all.X?.error === undefined && all['trusted-validators']?.error === undefined,
    60_000,
  );
  expect(await eventually(() => readinessOf(follower.program), isEach(200), 30_000)).toEqual([200, 200, 200]);
  for (const trusted of [first, second]) trusted.stop();
}, 360_000);
