import { afterAll, beforeAll, expect, test } from 'bun:test';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLanes, heightOf, isAccepted, isBootstrapped, issueTo, type NetworkNode, untilAcceptedBy } from './network-nodes.ts';
import { eventually } from './processes.ts';
import { type Program, runProgram, startProgram } from './program.ts';

/*
 * A joined node does not wait for the disk at every block. Here the files of a killed node lose the end of the write-ahead log, as in a power
 * cut: the node must start at an earlier block, go on, and find no damage.
 */
const blocks = 40;
const folder = mkdtempSync(join(tmpdir(), 'serac-power-cut-'));
const killed = join(folder, 'killed');
const running = new Set<Program>();
afterAll(async () => {
  await Promise.all([...running].map((program) => program.stop('SIGKILL')));
  rmSync(folder, { recursive: true, force: true });
});

async function start(dataDir: string): Promise<{ program: Program; node: NetworkNode }> {
  const program = await startProgram(
    'join',
    '--network-id=local',
    '--sybil-protection-enabled=false',
    '--staking-host=127.0.0.1',
    '--staking-port=0',
    '--proposervm-min-block-delay=0s',
    `--data-dir=${dataDir}`,
  );
  running.add(program);
  const node = { name: program.url, client: program.client };
  await eventually(
    () => isBootstrapped(node),
    (isDone) => isDone,
    30_000,
  );
  return { program, node };
}

async function stop(program: Program, signal?: NodeJS.Signals): Promise<void> {
  running.delete(program);
  await program.stop(signal);
}

const lanes = createLanes(1);
const txs = [lanes.first, ...Array.from({ length: blocks - 1 }, () => lanes.next(0))];
const issue = async (node: NetworkNode, tx: (typeof txs)[number]): Promise<void> => {
  await issueTo(node, tx);
  await untilAcceptedBy([node], tx.id);
};

beforeAll(async () => {
  const { program, node } = await start(killed);
  for (const tx of txs) await issue(node, tx);
  expect(await heightOf(node)).toBe(BigInt(blocks));
  await stop(program, 'SIGKILL');
});

const walOf = (dataDir: string): string => join(dataDir, 'db', 'serac.sqlite-wal');

const losses: readonly [name: string, (wal: string) => void][] = [
  ['nothing', () => {}],
  ['the last third of the log', (wal) => truncateSync(wal, Math.floor((statSync(wal).size * 2) / 3))],
  ['a block in the middle of the log, but not what follows', (wal) => zeroBlock(wal, 0.5)],
  ['the whole log', (wal) => truncateSync(wal, 0)],
];

function zeroBlock(path: string, share: number): void {
  const bytes = readFileSync(path);
  const start = 4096 * Math.floor((share * bytes.length) / 4096);
  writeFileSync(path, bytes.fill(0, start, start + 4096));
}

for (const [name, lose] of losses)
  test(`a joined node that lost ${name} goes on from the block that is left`, async () => {
    const dataDir = join(folder, 'copy');
    rmSync(dataDir, { recursive: true, force: true });
    cpSync(killed, dataDir, { recursive: true });
    expect(existsSync(walOf(dataDir))).toBe(true);
    lose(walOf(dataDir));
    const { program, node } = await start(dataDir);
    const height = Number(await heightOf(node));
    if (name === 'nothing') expect(height).toBe(blocks);
    else expect(height).toBeLessThan(blocks);
    const missing = txs.slice(height);
    const last = txs[height - 1];
    if (last !== undefined) expect(await isAccepted(node, last.id)).toBe(true);
    for (const tx of missing.slice(0, 5)) await issue(node, tx);
    const end = height + Math.min(5, missing.length);
    expect(await heightOf(node)).toBe(BigInt(end));
    await stop(program);
    const { code, out } = await runProgram('check', '--data-dir', dataDir, '--network-id=local');
    expect([code, out]).toEqual([0, expect.stringContaining('no damage found')]);
    expect(out).toContain(`${end + 1} blocks`);
  });

test('a log that is lost although the node was stopped is noticed', async () => {
  const dataDir = join(folder, 'stopped');
  cpSync(killed, dataDir, { recursive: true });
  const { program } = await start(dataDir);
  await stop(program);
  // The record beside the database names the last block; an older copy of the database does not have it.
  cpSync(join(killed, 'db', 'serac.sqlite'), join(dataDir, 'db', 'serac.sqlite'));
  cpSync(join(killed, 'db', 'serac.sqlite-sums'), join(dataDir, 'db', 'serac.sqlite-sums'));
  const { code, err } = await runProgram(
    'join',
    '--network-id=local',
    '--sybil-protection-enabled=false',
    '--http-port=0',
    '--staking-port=0',
    `--data-dir=${dataDir}`,
  );
  expect([code, err]).toEqual([4, expect.stringContaining(`block ${blocks} had been accepted`)]);
});
