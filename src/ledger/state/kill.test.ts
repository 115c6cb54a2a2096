import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../app/platform/bun/database.ts';
import { checkChain } from './check.ts';
import { appendBlocks, openChain } from './open-chain.fixture.ts';
import { chainID, prng, randomChain } from './random-chain.fixture.ts';

/** A script that commits block after block and prints the height after each commit. */
const writerScript = (path: string, seed: number) => `
  import { writeSync } from 'node:fs';
  import { openDatabase } from '${import.meta.dir}/../../app/platform/bun/database.ts';
  import { appendBlocks, openChain } from '${import.meta.dir}/open-chain.fixture.ts';
  import { randomChain } from '${import.meta.dir}/random-chain.fixture.ts';
  const chain = openChain(openDatabase, '${path}');
  const source = randomChain(${seed});
  for (;;) {
    appendBlocks(chain, source, 1);
    writeSync(1, chain.state.height() + '\\n');
  }`;

test('a chain whose process was killed at any moment is consistent and has every block that was reported as committed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'serac-kill-'));
  const random = prng(Bun.nanoseconds());
  try {
    for (let round = 0; round < 8; round++) {
      const path = join(folder, `${round}.sqlite`);
      const child = Bun.spawn([process.execPath, '-e', writerScript(path, round)], { stdout: 'pipe', stderr: 'inherit' });
      const reader = child.stdout.getReader();
      let printed = '';
      const read = async () => {
        for (let piece = await reader.read(); !piece.done; piece = await reader.read()) printed += new TextDecoder().decode(piece.value);
      };
      const reading = read();
      while (!printed.includes('\n') && child.exitCode === null) await Bun.sleep(1);
      await Bun.sleep(random() * 60);
      child.kill('SIGKILL');
      await Promise.all([child.exited, reading]);

      const chain = openChain(openDatabase, path);
      const lastPrinted = Number(printed.split('\n').slice(-2)[0]);
      const height = Number(chain.state.height());
      expect(height).toBeGreaterThanOrEqual(lastPrinted);
      const report = checkChain(chain.store, chainID);
      expect(report.problems).toEqual([]);
      const replay = openChain(openDatabase);
      appendBlocks(replay, randomChain(round), height);
      expect(checkChain(replay.store, chainID).ledgerHash).toBe(report.ledgerHash);
      chain.close();
      replay.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
