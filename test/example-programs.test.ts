import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { printedLines, recipes } from '../tools/recipes-page.ts';
import { chromiumBinary } from './chromium.ts';
import { seracNodes } from './nodes.ts';
import { type InstalledPackage, installPackage } from './package.ts';
import { startProgramAsUsers } from './program.ts';

/** Runs every program of examples/ with the packed package, on Bun and on Node. */

const examples = resolve(import.meta.dir, '../examples');
/** vitest and avalanchejs, which only the example needs: `cd examples/vitest && npm ci`. */
const vitestModules = join(examples, 'vitest/node_modules');
/** Test programs of the other examples: `npm install --no-save` in their folders. */
const isInstalled = (folder: string): boolean => existsSync(join(examples, folder, 'node_modules'));
const chromium = chromiumBinary();
const runtimes = [{ name: 'Bun', path: process.execPath, version: '' }, ...seracNodes];

let installed: InstalledPackage;
beforeAll(() => {
  installed = installPackage();
  cpSync(examples, installed.folder, { recursive: true, filter: (path) => !path.includes('node_modules') });
  if (existsSync(vitestModules)) cpSync(vitestModules, join(installed.folder, 'node_modules'), { recursive: true });
  for (const name of ['jest', 'playwright'].filter(isInstalled))
    cpSync(join(examples, name, 'node_modules'), join(installed.folder, name, 'node_modules'), { recursive: true });
});
afterAll(() => installed.remove());

/** Bun's parallel workers have the variable of jest, with which Playwright refuses to run. */
const { JEST_WORKER_ID: _, ...ownEnv } = process.env;

async function run(
  command: string[],
  cwd = installed.folder,
  env: Record<string, string> = {},
): Promise<{ code: number; out: string; err: string }> {
  const child = Bun.spawn(command, { cwd, stdout: 'pipe', stderr: 'pipe', env: { ...ownEnv, NO_COLOR: '1', ...env } });
  const [out, err, code] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text(), child.exited]);
  return { code, out, err };
}

/** What each program prints, beside the folders that tests of their own run. */
const outputs: { readonly [program: string]: string } = {
  'send/send.mjs': 'true 10001500000000n\n',
  'nft/mint.mjs': 'ipfs://perito-moreno\ntrue\nGlaciers\n',
  'nft/gallery.mjs': '<b>Glaciers</b> &#60;b&#62;aletsch&#60;/b&#62;\n<b>Glaciers</b> perito moreno\n',
  'exchange/deposits.mjs': 'credit ann 5\ncredit ben 2000000000\nundo ben 2000000000\ncredit ben 7\nann 5, ben 7\n',
  'exchange/withdrawals.mjs': 'failed: true, pending: true\nann 5, ben 2000000000, pending: false\n',
  'webhooks/receiver.mjs': 'true 1500000000\n',
  'testnet/partition.mjs': 'Unknown\nAccepted\n',
  'multisig/treasury.mjs': 'one signature: SeracError\nsupplier 10030000000000\ntreasury 69999000000, of true\n',
};
const testedApart = ['codec', 'faucet', 'go', 'jest', 'node-test', 'playwright', 'python', 'vitest'];

test('every folder of examples/ has a test, and a README of about ten lines with its commands', () => {
  const entries = readdirSync(examples, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  expect(folders.sort()).toEqual([...new Set([...Object.keys(outputs).map((program) => dirname(program)), ...testedApart])].sort());
  const programs = folders.flatMap((folder) => readdirSync(join(examples, folder)).map((file) => `${folder}/${file}`));
  const run = programs.filter((file) => file.endsWith('.mjs') && !testedApart.includes(dirname(file)));
  expect(run.sort()).toEqual(Object.keys(outputs).sort());
  for (const folder of folders) {
    const readme = readFileSync(join(examples, folder, 'README.md'), 'utf8');
    expect([folder, readme.split('\n').length < 20, readme.includes('```sh')]).toEqual([folder, true, true]);
    // Until the first release the registry has no package serac.
    expect([folder, /npm install .*\bserac\b/.test(readme)]).toEqual([folder, false]);
  }
});

test('in a clone, programs of folders without a package.json import the built package by its name', () => {
  const folders = readdirSync(examples).filter((folder) =>
    readFileIfAny(join(examples, folder, 'README.md')).includes('which this folder imports'),
  );
  expect(folders.length).toBeGreaterThan(5);
  for (const folder of folders)
    expect(createRequire(join(examples, folder, 'program.mjs')).resolve('serac')).toBe(resolve(examples, '../dist/sdk/library.cjs'));
});

const readFileIfAny = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '');

describe.each(runtimes)('on $name', ({ path, version }) => {
  test.each(Object.entries(outputs))('%s prints what it says', async (program, expected) => {
    const { code, out, err } = await run([path, program]);
    expect([code, out, code === 0 ? '' : err.slice(0, 2000)]).toEqual([0, expected, '']);
  });

  test('every recipe of codec/ prints what its comments say', async () => {
    const runner = recipes.map((name) => `await import('./codec/${name}.ts');`).join('\n');
    writeFileSync(join(installed.folder, 'recipes.mjs'), runner);
    // Node runs TypeScript without a flag from version 22.18 on.
    const { code, out, err } = await run([path, ...(version.startsWith('22.') ? ['--experimental-strip-types'] : []), 'recipes.mjs']);
    const expected = recipes.flatMap((name) => printedLines(readFileSync(join(examples, `codec/${name}.ts`), 'utf8')));
    expect([code, out.trim().split('\n'), code === 0 ? '' : err.slice(0, 2000)]).toEqual([0, expected, '']);
  });

  test('deposits.mjs watches a node over HTTP', async () => {
    const program = await startProgramAsUsers();
    const { code, out, err } = await run([path, 'exchange/deposits.mjs', program.url]);
    await program.stop();
    expect([code, out, code === 0 ? '' : err.slice(0, 2000)]).toEqual([0, outputs['exchange/deposits.mjs'] ?? '', '']);
  });

  test('the faucet pays an address once, and refuses what is not an address or too long', async () => {
    const child = Bun.spawn([path, 'faucet/server.mjs'], { cwd: installed.folder, env: { ...process.env, PORT: '0' }, stdout: 'pipe' });
    const { value } = await child.stdout.getReader().read();
    const url = new TextDecoder().decode(value).trim();
    const pay = async (body: string) => (await fetch(`${url}pay`, { method: 'POST', body })).status;
    const address = 'X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u';
    expect([await pay(address), await pay(address), await pay('nobody'), await pay('x'.repeat(5000))]).toEqual([200, 429, 400, 413]);
    expect(await (await fetch(url)).text()).toContain('Send 2 AVAX');
    child.kill();
    await child.exited;
  });

  // These run on Node.
  test.skipIf(version === '')('the tests with node:test pass', async () => {
    const { code, out } = await run([path, '--test', '--test-reporter=tap', 'node-test/transfers.test.mjs']);
    expect([code, out.includes('# pass 3'), code === 0 ? '' : out]).toEqual([0, true, '']);
  });

  test.skipIf(version === '' || !isInstalled('jest'))('the tests with jest pass', async () => {
    const { code, err } = await run([path, 'node_modules/jest/bin/jest.js'], join(installed.folder, 'jest'));
    expect([code, err.includes('Tests:       2 passed, 2 total'), code === 0 ? '' : err]).toEqual([0, true, '']);
  });

  test.skipIf(version === '')(
    'concurrent tests of node:test have different chains, and a test may change the settings of its own',
    async () => {
      writeFileSync(join(installed.folder, 'chains.test.mjs'), nodeTestChains);
      const { code, out } = await run([path, '--test', '--test-reporter=tap', 'chains.test.mjs']);
      expect([code, /# pass (\d+)/.exec(out)?.[1], /# skipped (\d+)/.exec(out)?.[1], code === 0 ? '' : out]).toEqual([0, '5', '1', '']);
    },
  );

  test.skipIf(version === '' || !isInstalled('jest'))('concurrent tests of jest have different chains, also as ES modules', async () => {
    const folder = join(installed.folder, 'jest');
    writeFileSync(join(folder, 'chains.test.mjs'), jestChains);
    const jest = ['node_modules/jest/bin/jest.js', '--testMatch=**/chains.test.mjs'];
    const { code, err } = await run([path, '--experimental-vm-modules', ...jest], folder);
    rmSync(join(folder, 'chains.test.mjs'));
    expect([code, /Tests: .*/.exec(err)?.[0], code === 0 ? '' : err]).toEqual([0, 'Tests:       1 skipped, 1 todo, 4 passed, 6 total', '']);
    expect(err).not.toMatch(/did not exit|open handle/);
  });

  test.skipIf(version === '' || !isInstalled('playwright') || chromium === undefined)(
    'Playwright starts the node and sees a transfer',
    async () => {
      const { code, out } = await run([path, 'node_modules/@playwright/test/cli.js', 'test'], join(installed.folder, 'playwright'), {
        CHROMIUM: chromium ?? '',
        PATH: `${dirname(path)}:${process.env.PATH}`,
      });
      expect([code, out.includes('1 passed'), code === 0 ? '' : out]).toEqual([0, true, '']);
    },
  );

  // vitest runs on Node.
  test.skipIf(version === '' || !existsSync(vitestModules))(
    'the vitest example passes, and a worker shares one chain between files without isolation',
    async () => {
      const vitest = [path, 'node_modules/vitest/vitest.mjs', 'run', '--reporter=json', '--outputFile=report.json', '--testTimeout=60000'];
      const isolated = await run([...vitest, 'vitest/'], installed.folder);
      expect(readReport(isolated)).toEqual({ failed: [], passed: 4 });
      expect(isolated.code).toBe(0);
      for (const name of ['one', 'two']) writeFileSync(join(installed.folder, `${name}.test.mjs`), isolationTest);
      const shared = await run([...vitest, '--no-isolate', '--maxWorkers=1', 'one', 'two']);
      expect(readReport(shared)).toEqual({ failed: [], passed: 10 });
      const separate = await run([...vitest, '--maxWorkers=2', 'one', 'two']);
      expect(readReport(separate)).toEqual({ failed: [], passed: 10 });
      writeFileSync(join(installed.folder, 'concurrent.test.mjs'), concurrentTest);
      expect(readReport(await run([...vitest, 'concurrent']))).toEqual({ failed: [], passed: 13 });
      writeFileSync(join(installed.folder, 'required.test.mjs'), requiredTest);
      expect(readReport(await run([...vitest, 'required']))).toEqual({ failed: [], passed: 1 });
      // What a test leaves running would keep vitest waiting, and it would say so.
      expect(shared.err + separate.err).not.toMatch(/hanging|did not exit|Timeout/i);
    },
  );
});

/** Each test leaves something behind that the next one must not see. */
const isolationTest = `
import { createTest, test } from 'serac/vitest';
import { expect } from 'vitest';

const expectNew = async ({ avm, dev, health, accounts }) => {
  expect((await avm.getHeight()).height).toBe(1);
  expect((await avm.getBalance({ address: accounts[1].address, assetID: 'AVAX' })).balance).toBe(10_000_000_000_000n);
  expect(await dev.nodeInfo()).toMatchObject({ offset: 0, automine: true, interval: 0, impersonated: 0, faults: [], pending: 0 });
  expect((await dev.listSnapshots()).snapshots.length).toBe(1);
  expect((await health.health()).healthy).toBe(true);
};
test('a transfer and a snapshot', async ({ node }) => {
  await expectNew(node);
  await node.dev.send({ to: node.accounts[1].address, amount: 5n });
  await node.dev.snapshot('mine');
});
test('another time, and manual mining', async ({ node }) => {
  await expectNew(node);
  await node.dev.increaseTime('30d');
  await node.dev.setAutomine(false);
});
test('faults, impersonation and bad health', async ({ node }) => {
  await expectNew(node);
  await node.dev.failNext({ method: 'avm.getHeight', times: 3 });
  await node.dev.setAutoImpersonate(true);
  await node.dev.setUnhealthy({ check: 'database', message: 'broken' });
});
test('a closed node', async ({ node }) => {
  await expectNew(node);
  await node.close();
});
createTest({ accounts: 2, balance: 5 })('other options', async ({ node }) => {
  expect((await node.dev.accounts()).accounts.map(({ balance }) => balance).slice(1)).toEqual([5_000_000_000n, 5_000_000_000n]);
});
`;

/** Tests at the same time, each with transactions of its own, then one after them. */
const concurrentTest = `
import { test } from 'serac/vitest';
import { describe, expect } from 'vitest';

const use = async ({ avm, dev, accounts }, amount) => {
  expect((await avm.getHeight()).height).toBe(1);
  for (let sent = 0; sent < 5; sent++) {
    await dev.send({ to: accounts[1].address, amount });
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  expect((await avm.getHeight()).height).toBe(6);
  expect((await avm.getBalance({ address: accounts[1].address, assetID: 'AVAX' })).balance).toBe(10_000_000_000_000n + 5n * amount);
};
describe.concurrent('at the same time', () => {
  for (let i = 1; i <= 12; i++) test('pays ' + i, ({ node }) => use(node, BigInt(i)));
});
test('afterwards', ({ node }) => use(node, 100n));
`;

const requiredTest = `
import { createRequire } from 'node:module';
import { expect } from 'vitest';

const require = createRequire(import.meta.url);
const { test } = require('serac/vitest');
test('serac/vitest and serac by require are the same library', async ({ node }) => {
  const { SeracError } = require('serac');
  expect((await node.avm.getTx('abc').catch((error) => error)) instanceof SeracError).toBe(true);
});
`;

type Report = {
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly message: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
};

/** Reads and removes the report of a run. */
function readReport({ out, err }: { readonly out: string; readonly err: string }): {
  readonly failed: readonly string[];
  readonly passed: number;
} {
  const file = join(installed.folder, 'report.json');
  if (!existsSync(file)) return { failed: [out, err], passed: 0 };
  const text = readFileSync(file, 'utf8');
  rmSync(file);
  const { numPassedTests, testResults } = JSON.parse(text) as Report;
  const failed = testResults.flatMap(({ message, assertionResults }) => [
    ...(message === '' ? [] : [message]),
    ...assertionResults
      .filter(({ status }) => status !== 'passed')
      .map(({ fullName, failureMessages }) => `${fullName}: ${failureMessages.join('\n')}`),
  ]);
  return { failed, passed: numPassedTests };
}

const locked = ['jest', 'playwright', 'vitest'];
test.each(locked)('the versions of the %s example are exact, and its lock file names no registry', (name) => {
  const { devDependencies } = JSON.parse(readFileSync(join(examples, name, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  expect(Object.values(devDependencies).every((version) => /^\d+\.\d+\.\d+$/.test(version))).toBe(true);
  expect(readFileSync(join(examples, name, 'package-lock.json'), 'utf8')).not.toContain('"resolved"');
});

/** A Python that has openapi-python-client, as `.ci/run` makes one. */
const python = process.env.SERAC_TEST_PYTHON;
test.skipIf(python === undefined)('Python: a client is generated from the OpenAPI document, and reads balances', async () => {
  const program = await startProgramAsUsers();
  const folder = join(installed.folder, 'python');
  const generate = ['-m', 'openapi_python_client', 'generate', '--url', `${program.url}/api-json`, '--config', 'client.yaml'];
  const generated = await run([python as string, ...generate, '--output-path', 'client'], folder);
  expect([generated.code, generated.code === 0 ? '' : generated.out + generated.err]).toEqual([0, '']);
  const { code, out, err } = await run([python as string, 'balances.py', program.url], folder, { PYTHONPATH: 'client' });
  await program.stop();
  expect([code, out, code === 0 ? '' : err]).toEqual([0, '1 AVAX 10000000000000\n2 AVAX 10001500000000\n1 BaseTx\n', '']);
});

test.skipIf(process.env.SERAC_TEST_GO === undefined)(
  "Go: AvalancheGo's client and wallet send and export",
  async () => {
    const program = await startProgramAsUsers();
    const { code, out, err } = await run(['go', 'run', '.', program.url], join(installed.folder, 'go'));
    // As on AvalancheGo 1.14.2, where the C-Chain then lists one output.
    const exported = { addresses: ['C-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u'], sourceChain: 'X' };
    const answer = await program.client.call('/ext/bc/C/avax', 'avax.getUTXOs', exported);
    await program.stop();
    expect([code, out, code === 0 ? '' : err]).toEqual([0, 'true 1500000000\n', '']);
    expect(answer).toMatchObject({ result: { numFetched: '1' } });
  },
  1_800_000,
);

/** For two tests that wait for each other: each changes its own chain. */
const sharedChainTests = `
const createGate = () => {
  let open;
  const opened = new Promise((resolve) => { open = resolve; });
  return { open, opened };
};
const ready = [createGate(), createGate()];
const pay = (own, other) => async ({ node }) => {
  await node.dev.mine(own + 1);
  ready[own].open();
  await ready[other].opened;
  equal((await node.avm.getHeight()).height, own + 2);
};
`;

const nodeTestChains = `
import { equal } from 'node:assert/strict';
import { describe } from 'node:test';
import { createTest, test } from 'serac/node-test';
${sharedChainTests}describe('at once', { concurrency: 2 }, () => {
  test('a', pay(0, 1));
  test('b', pay(1, 0));
});
test('changes a setting', { timeout: 60_000 }, async ({ node }, t) => {
  await node.dev.setAutomine(false);
  equal(t.name, 'changes a setting');
});
test('has the setting of a new chain', async ({ node }) => equal((await node.dev.nodeInfo()).automine, true));
createTest({ accounts: 1 })('has its own options', async ({ node }) => equal(node.accounts.length, 2));
test.skip('is skipped', () => { throw new Error('run'); });
`;

const jestChains = `
import { expect } from '@jest/globals';
import { createTest, test } from 'serac/jest';
const equal = (got, want) => expect(got).toBe(want);
${sharedChainTests}test.concurrent('a', pay(0, 1));
test.concurrent('b', pay(1, 0));
test('has a new chain', async ({ node }) => equal((await node.avm.getHeight()).height, 1), 60_000);
createTest({ accounts: 1 })('has its own options', async ({ node }) => equal(node.accounts.length, 2));
test.skip('is skipped', () => { throw new Error('run'); });
test.todo('is to be written');
`;
