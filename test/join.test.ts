import { afterAll, describe, expect, test } from 'bun:test';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeUtxo } from '../src/avm/tx/utxo.ts';
import { formatHex } from '../src/base/bytes/hex.ts';
import { zeroId } from '../src/base/bytes/id.ts';
import {
  createLanes,
  expectSameChains,
  isBootstrapped,
  issueTo,
  type NetworkNode,
  nodeIDOf,
  peersOf,
  untilAcceptedBy,
  versionOf,
} from './network-nodes.ts';
import { eventually } from './processes.ts';
import { type Program, runProgram, startProgram } from './program.ts';
import { createWallet, ewoq, importTx, localChainParams, ownedBy, signDraft, transfer } from './wallet-kit.ts';

/** `serac join` without AvalancheGo: what it refuses, and two Serac nodes. */
const folder = mkdtempSync(join(tmpdir(), 'serac-join-'));
const running: Program[] = [];
afterAll(async () => {
  await Promise.all(running.map((program) => program.stop('SIGKILL')));
  rmSync(folder, { recursive: true, force: true });
});

const open = ['join', '--sybil-protection-enabled=false', '--staking-host=127.0.0.1'];

async function start(...flags: string[]): Promise<{ program: Program; node: NetworkNode; stakingAddress: string }> {
  const program = await startProgram(...open, '--health-check-frequency=1s', ...flags);
  running.push(program);
  return { program, node: { name: program.url, client: program.client }, stakingAddress: program.banner.peersAt as string };
}

const untilBootstrapped = (node: NetworkNode) =>
  eventually(
    () => isBootstrapped(node),
    (isDone) => isDone,
    30_000,
  );

describe('what is refused', () => {
  const cases: [flags: string[], code: number, message: string][] = [
    [['join', '--network-id=fuji'], 2, 'does not fit into memory'],
    [['join', '--network-id=mainnet', '--sybil-protection-enabled=false'], 2, 'sybil protection disabled on public network mainnet'],
    [[...open, '--bootstrap-ips=127.0.0.1:9651'], 2, 'expected the number of bootstrapIPs (1) to match the number of bootstrapIDs (0)'],
    [[...open, '--bootstrap-ips=a:1', '--bootstrap-ids=NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg'], 2, '"a:1" is not an address'],
    [[...open, '--accounts=2'], 2, 'peers decide the blocks'],
  ];
  for (const [flags, code, message] of cases)
    test(flags.join(' '), async () => {
      const { code: got, err } = await runProgram(...flags, '--http-port=0', '--silent');
      expect([got, err]).toEqual([code, expect.stringContaining(message)]);
    });

  test('a port for peers that is taken: exit code 3; a chain that was decided alone cannot join', async () => {
    const { program, stakingAddress } = await start('--staking-port=0');
    const port = stakingAddress.split(':')[1];
    const taken = await runProgram(...open, `--staking-port=${port}`, '--http-port=0', '--silent');
    expect([taken.code, taken.err]).toEqual([3, expect.stringContaining(`cannot listen for peers at 127.0.0.1:${port}`)]);
    await program.stop();
    const dataDir = join(folder, 'alone');
    const alone = await startProgram(`--data-dir=${dataDir}`, '--accounts=1');
    await alone.stop();
    const refused = await runProgram(...open, '--staking-port=0', `--data-dir=${dataDir}`, '--http-port=0', '--silent');
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('a chain that decided blocks alone cannot join one')]);
  });
});

test('two nodes: peers, blocks and APIs; one key on two nodes is noticed', async () => {
  const dataDir = join(folder, 'second');
  const first = await start('--staking-port=0', '--min-block-delay=0s');
  const beacon = [`--bootstrap-ips=${first.stakingAddress}`, `--bootstrap-ids=${await nodeIDOf(first.node)}`];
  const flags = ['--staking-port=0', '--min-block-delay=0s', ...beacon];
  const second = await start(...flags, `--data-dir=${dataDir}`);
  const nodes = [first.node, second.node];
  await Promise.all(nodes.map(untilBootstrapped));
  const lanes = createLanes(2);
  await issueTo(second.node, lanes.first);
  await untilAcceptedBy(nodes, lanes.first.id);
  for (const [i, node] of nodes.entries()) {
    const tx = lanes.next(i);
    await issueTo(node, tx);
    await untilAcceptedBy(nodes, tx.id);
  }
  await expectSameChains(nodes);
  const identity = { nodeID: await nodeIDOf(second.node), version: await versionOf(second.node) };
  expect((await peersOf(first.node)).map(({ nodeID, version }) => ({ nodeID, version }))).toEqual([identity]);
  const listed = await runProgram('peers', '--url', first.program.url);
  expect(listed.out).toContain(await nodeIDOf(second.node));

  // The developer's methods do not exist; the other interfaces serve the chain.
  expect((await second.program.client.send('POST', '/ext/dev', { 'content-type': 'application/json' }, '{}')).status).toBe(404);
  const blocks = await second.program.client.send('GET', '/v1/networks/local/blockchains/x-chain/blocks?pageSize=1');
  expect(JSON.parse(blocks.text).blocks[0].txCount).toBeGreaterThan(0);
  const page = await second.program.client.send('GET', '/node', { accept: 'text/html' });
  expect([page.status, page.text]).toEqual([200, expect.stringContaining(await nodeIDOf(first.node))]);

  // What the P-Chain exported is not known here.
  const wallet = createWallet('import', { keys: [ewoq] });
  const foreign = makeUtxo(zeroId, 0, localChainParams.feeAsset, transfer(localChainParams.feeAsset, 10n ** 9n, ownedBy([ewoq])).output);
  const imported = signDraft(importTx(wallet, { utxos: [] }, zeroId, [foreign]));
  const { error } = await second.program.client.call('/ext/bc/X', 'avm.issueTx', { tx: formatHex('hex', imported.bytes) });
  expect(error?.message).toContain('issue the import through an AvalancheGo node of the network');
  expect((error as { data?: { code: string } } | undefined)?.data?.code).toBe('TX_IMPORT_UNKNOWN');

  // A copy of the staking key on a third node.
  const copy = join(folder, 'copy');
  cpSync(join(dataDir, 'staking'), join(copy, 'staking'), { recursive: true });
  const third = await start(
    '--staking-port=0',
    `--data-dir=${copy}`,
    `--bootstrap-ips=${first.stakingAddress},${second.stakingAddress}`,
    `--bootstrap-ids=${await nodeIDOf(first.node)},${await nodeIDOf(second.node)}`,
    '--log-level=warn',
  );
  const health = await eventually(
    async () =>
      Promise.all(
        [second, third].map(
          async ({ program }) => JSON.parse((await program.client.send('GET', '/ext/health')).text).checks.stakingkey.error,
        ),
      ),
    (errors) => errors.some((error) => error !== undefined),
    30_000,
  );
  expect(health.join()).toContain("another node with this node's staking key is at");
  await third.program.stop();

  // A copy that knows only the first node: that one keeps its connection to the second and closes this one.
  const fourth = await start('--staking-port=0', `--data-dir=${copy}`, ...beacon, '--log-level=warn');
  const warning = await eventually(
    () => fourth.program.stderrText(),
    (text) => text.includes('staking key'),
    30_000,
  );
  expect(warning).toContain('that no other node has this staking key');
});
