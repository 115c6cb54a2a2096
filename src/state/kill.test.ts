import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../platform/database-bun.ts';
import { checkChain } from './check.ts';
import { grow, openChain } from './grow.fixture.ts';
import { chainID, prng, randomChain } from './random-chain.fixture.ts';

/** Commits block after block and tells every one that is in. */
const committing = (path: string, seed: number) => `
  import { writeSync } from 'node:fs';
  import { openDatabase } from '${import.meta.dir}/../platform/database-bun.ts';
  import { grow, openChain } from '${import.meta.dir}/grow.fixture.ts';
  import { randomChain } from '${import.meta.dir}/random-chain.fixture.ts';
  const chain = openChain(openDatabase, '${path}');
  const source = randomChain(${seed});
  for (;;) {
    grow(chain, source, 1);
    writeSync(1, chain.state.height() + '\\n');
  }`;

test('killed at any moment, the chain stands at a block, and at none before the last one it told of', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'serac-kill-'));
  const random = prng(Bun.nanoseconds());
  try {
    for (let round = 0; round < 8; round++) {
      const path = join(folder, `${round}.sqlite`);
      const child = Bun.spawn([process.execPath, '-e', committing(path, round)], { stdout: 'pipe', stderr: 'inherit' });
      const reader = child.stdout.getReader();
      let told = '';
      const read = async () => {
        for (let piece = await reader.read(); !piece.done; piece = await reader.read()) told += new TextDecoder().decode(piece.value);
      };
      const reading = read();
      while (!told.includes('\n') && child.exitCode === null) await Bun.sleep(1);
      await Bun.sleep(random() * 60);
      child.kill('SIGKILL');
      await Promise.all([child.exited, reading]);

      const chain = openChain(openDatabase, path);
      const lastTold = Number(told.split('\n').slice(-2)[0]);
      const height = Number(chain.state.height());
      expect(height).toBeGreaterThanOrEqual(lastTold);
      const report = checkChain(chain.store, chainID);
      expect(report.problems).toEqual([]);
      const replay = openChain(openDatabase);
      grow(replay, randomChain(round), height);
      expect(checkChain(replay.store, chainID).ledgerHash).toBe(report.ledgerHash);
      chain.close();
      replay.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 60_000);
