import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startProgramAsUsers } from './program.ts';

/** AvalancheGo's own tests of the X-Chain, tests/e2e/x of its module (test/go), against a node that decides alone. */

const folder = mkdtempSync(join(tmpdir(), 'serac-e2e-x-'));
const program = join(folder, 'e2e-x.test');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Spec = {
  readonly LeafNodeType: string;
  readonly LeafNodeText: string;
  readonly State: string;
  readonly Failure?: { readonly Message: string };
  readonly SpecEvents?: readonly { readonly SpecEventType: string; readonly Message?: string }[];
};

/** Runs the tests against a node. Returns of each test its state, its last step and why it failed. */
async function runSpecs(url: string) {
  const report = join(folder, 'report.json');
  const child = Bun.spawn([program, `--ginkgo.json-report=${report}`, '--ginkgo.no-color'], {
    cwd: folder,
    // The first variable is that of test/go, the second AvalancheGo's: else tmpnet starts an AvalancheGo at the end, which bootstraps from the nodes.
    env: { ...process.env, SERAC_URIS: url, E2E_SKIP_BOOTSTRAP_CHECKS: '1' },
    stdout: 'ignore',
    stderr: 'inherit',
  });
  await child.exited;
  const [suite] = JSON.parse(readFileSync(report, 'utf8')) as [{ readonly SpecReports: readonly Spec[] }];
  const specs = suite.SpecReports.filter(({ LeafNodeType }) => LeafNodeType === 'It').map((spec) => ({
    test: spec.LeafNodeText,
    state: spec.State,
    lastStep: spec.SpecEvents?.findLast(({ SpecEventType }) => SpecEventType === 'By')?.Message,
    failure: spec.Failure?.Message ?? '',
  }));
  return Object.fromEntries(specs.map(({ test, ...result }) => [test, result]));
}

const transfer = 'can issue a virtuous transfer tx for AVAX asset';
const interchain = 'should ensure that funds can be transferred from the X-Chain to the C-Chain and the P-Chain';

describe.skipIf(process.env.SERAC_TEST_GO === undefined)("Go: AvalancheGo's tests/e2e/x", () => {
  beforeAll(() => {
    // Takes some minutes of CPU once per machine; Go caches what it has compiled.
    const { exitCode, stderr } = Bun.spawnSync(['go', 'test', '-c', '-o', program, '.'], { cwd: resolve(import.meta.dir, 'go') });
    if (exitCode !== 0) throw new Error(stderr.toString());
  }, 3_600_000);

  test('one node: the transfers pass; the interchain test exports, then needs a C-Chain, which Serac does not run', async () => {
    const node = await startProgramAsUsers();
    const results = await runSpecs(node.url);
    await node.stop();
    expect(results).toEqual({
      [transfer]: { state: 'passed', lastStep: expect.any(String), failure: '' },
      [interchain]: {
        state: 'failed',
        lastStep: 'initializing a new eth client',
        failure: expect.stringContaining('websocket: bad handshake (HTTP status 404 Not Found)'),
      },
    });
  }, 600_000);
});
