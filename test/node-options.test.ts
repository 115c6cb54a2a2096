import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { attempt } from '../src/base/fault.ts';
import type { NodeOptions } from '../src/sdk/node-options.ts';
import { configFromOptions } from '../src/sdk/options-config.ts';
import { optionExamples } from '../tools/node-options.ts';

/** The examples in the comments of the options of `createNode`; test/docs.test.ts checks that the comments are those of the flags. */

const folder = mkdtempSync(join(tmpdir(), 'serac-options-'));
afterAll(() => rmSync(folder, { recursive: true }));
const upgrades = join(folder, 'upgrades.json');
writeFileSync(upgrades, '{}');

/** What an option needs beside it. */
const companions: { readonly [option in keyof NodeOptions]: NodeOptions } = {
  genesisFile: { networkId: 9999 },
  genesisFileContent: { networkId: 9999 },
  // The file is read at once.
  upgradeFile: { networkId: 9999, upgradeFile: upgrades },
  upgradeFileContent: { networkId: 9999 },
  dbType: { dataDir: folder },
  stakingTlsCertFileContent: { stakingTlsKeyFileContent: optionExamples.stakingTlsKeyFileContent },
  stakingTlsKeyFileContent: { stakingTlsCertFileContent: optionExamples.stakingTlsCertFileContent },
  mixedMining: { blockTime: 2 },
  forkBlockNumber: { forkUrl: optionExamples.forkUrl },
  forkAddress: { forkUrl: optionExamples.forkUrl },
  stateInterval: { state: optionExamples.state },
};

test.each(Object.entries(optionExamples))('createNode takes %s: %p', (option, value) => {
  const others = companions[option as keyof NodeOptions] ?? {};
  // Certificate and key are refused without each other.
  const without = attempt(() => configFromOptions({ ...others, [option]: undefined })) ?? configFromOptions({});
  expect(configFromOptions({ [option]: value, ...others })).not.toEqual(without);
});
