import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkDatabase } from './database-check.ts';
import { runProgram } from './program.ts';
import { createRandom } from './random.ts';
import { startWalk, type Walk } from './walk.ts';
import { checkAll, checkEventNumbers, checkStep } from './walk-checks.ts';
import { startWalkNode, type WalkMode } from './walk-node.ts';
import { followEvents, operations } from './walk-operations.ts';
import type { Operation } from './walk-transactions.ts';

/*
 * Random operations on the real program; after each one the node is compared with a plain model in memory. A failure prints the seed;
 * SERAC_WALK_SEED repeats it. SERAC_WALK_STEPS: operations over all modes.
 */

const seed = Number(process.env.SERAC_WALK_SEED ?? 1);
const steps = Number(process.env.SERAC_WALK_STEPS ?? 120);
/** Steps between two comparisons of all answers. */
const checkInterval = 100;

const folder = mkdtempSync(join(tmpdir(), 'serac-walk-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const modes: readonly WalkMode[] = [
  { name: 'in memory', flags: [], keeps: 'state file' },
  { name: 'with a data directory', flags: ['--workers=0'], keeps: 'data directory' },
  { name: 'with a reader process', flags: ['--workers=1'], keeps: 'data directory' },
];

const rows = Object.entries(operations);
const totalWeight = rows.reduce((sum, [, { weight }]) => sum + weight, 0);

function pickOperation({ random }: Walk): readonly [string, Operation] {
  let at = random.below(totalWeight);
  for (const row of rows) {
    at -= row[1].weight;
    if (at < 0) return row;
  }
  throw new Error('the weights do not add up');
}

for (const [index, mode] of modes.entries())
  test(
    `${mode.name}: ${Math.ceil(steps / modes.length)} random operations, each compared with a model (seed ${seed})`,
    async () => {
      const node = await startWalkNode(mode, join(mkdtempSync(join(folder, 'node-'))));
      const walk = await startWalk(node, createRandom(seed + index));
      const done = new Map<string, number>();
      const history: string[] = [];
      let current = '';
      try {
        for (let step = 0; step < steps / modes.length; ) {
          const [name, { run }] = pickOperation(walk);
          current = name;
          if ((await run(walk)) === false) continue;
          history.push(name);
          done.set(name, (done.get(name) ?? 0) + 1);
          await checkStep(walk, step);
          if (++step % checkInterval === 0) await checkAll(walk);
        }
        await checkAll(walk);
        await followEvents(walk);
        checkEventNumbers(walk);
        if (process.env.SERAC_WALK_STEPS !== undefined) console.log(mode.name, Object.fromEntries(done));
      } catch (error) {
        console.log(
          `seed ${seed}, ${mode.name}, step ${history.length}, ${current}; before: ${history.slice(-12).join(', ')}\n${node.stderrText()}`,
        );
        throw error;
      } finally {
        await node.stop();
      }
      if (mode.keeps !== 'data directory') return;
      checkDatabase(node.dataDir);
      expect(await runProgram('check', `--data-dir=${node.dataDir}`)).toMatchObject({ code: 0 });
    },
    60_000 + steps * 200,
  );
