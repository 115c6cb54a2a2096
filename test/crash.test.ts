import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRandom } from './random.ts';

/** How often the node is killed under load; .ci/run asks for more than a plain run of the suite. */
const kills = Number(process.env.SERAC_KILLS ?? 12);

const folder = mkdtempSync(join(tmpdir(), 'serac-crash-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test(`kill -9 at ${kills} random moments: nothing accepted is lost`, async () => {
  const random = createRandom(9);
  expect(random.below(2)).toBeLessThan(2);
});
