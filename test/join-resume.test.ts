import { afterAll, expect, test } from 'bun:test';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateSourceChain } from '../bench/p2p-source.ts';
import { heightOf, isBootstrapped, type NetworkNode, nodeIDOf } from './network-nodes.ts';
import { eventually } from './processes.ts';
import { type Program, startProgram } from './program.ts';

/** A node that is killed while it bootstraps goes on at its last accepted block. */
const folder = mkdtempSync(join(tmpdir(), 'serac-resume-'));
const running: Program[] = [];
afterAll(async () => {
  await Promise.all(running.map((program) => program.stop('SIGKILL')));
  rmSync(folder, { recursive: true, force: true });
});

const blocks = Number(process.env.SERAC_RESUME_BLOCKS ?? 4000);

async function start(dataDir: string, ...flags: string[]): Promise<{ program: Program; node: NetworkNode; stakingAddress: string }> {
  const open = ['join', '--sybil-protection-enabled=false', '--staking-host=127.0.0.1', '--staking-port=0', `--data-dir=${dataDir}`];
  const program = await startProgram(...open, ...flags);
  running.push(program);
  return { program, node: { name: dataDir, client: program.client }, stakingAddress: program.banner.peersAt as string };
}

/** Blocks that were accepted while bootstrapping, since the start of the process. */
async function executedBy({ program }: { readonly program: Program }): Promise<number> {
  const { text } = await program.client.send('GET', '/ext/metrics');
  return Number(/^avalanche_snowman_bs_accepted\{chain="X"\} (\d+)/m.exec(text)?.[1] ?? 0);
}

test(`a node that is killed in the middle of ${blocks} blocks resumes at its last accepted block`, async () => {
  const sourceDirs = [join(folder, 'source-1'), join(folder, 'source-2')] as const;
  await generateSourceChain(sourceDirs[0], blocks, new AbortController().signal);
  cpSync(sourceDirs[0], sourceDirs[1], { recursive: true });
  const sources = [await start(sourceDirs[0]), await start(sourceDirs[1])];
  const beacons = [
    `--bootstrap-ips=${sources.map(({ stakingAddress }) => stakingAddress).join()}`,
    `--bootstrap-ids=${(await Promise.all(sources.map(({ node }) => nodeIDOf(node)))).join()}`,
  ];
  const dataDir = join(folder, 'joined');
  // Few blocks per answer, so that there is time to kill it.
  const first = await start(dataDir, ...beacons, '--bootstrap-ancestors-max-containers-received=16');
  const reached = await eventually(
    () => executedBy(first),
    (count) => count > 100,
    60_000,
  );
  await first.program.stop('SIGKILL');
  const again = await start(dataDir, ...beacons);
  await eventually(
    () => isBootstrapped(again.node),
    (isDone) => isDone,
    120_000,
  );
  expect(await heightOf(again.node)).toBe(BigInt(blocks));
  const executed = await executedBy(again);
  expect(executed).toBeGreaterThan(0);
  expect(executed).toBeLessThanOrEqual(blocks - reached);
  for (const height of [1, reached, blocks]) {
    const read = async ({ client }: NetworkNode) =>
      (await client.call('/ext/bc/X', 'avm.getBlockByHeight', { height: `${height}`, encoding: 'hex' })).result;
    expect(await read(again.node)).toEqual(await read((sources[0] as { node: NetworkNode }).node));
  }
});
