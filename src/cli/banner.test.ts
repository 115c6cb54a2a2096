import { expect, test } from 'bun:test';
import { createAddressFormatter } from '../bytes/address.ts';
import { getNetwork } from '../network.ts';
import { type BannerInfo, ewoqKey, formatBanner, formatBannerJson } from './banner.ts';

const info: BannerInfo = {
  version: '0.1.0',
  readySeconds: 0.2412,
  nodeID: 'NodeID-P7oB2McjBGgW2NXXWVYjV8JEDFoW9xDE5',
  network: getNetwork(12345),
  url: 'http://127.0.0.1:9650',
  xBlockchainID: '2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed',
  height: 0n,
  stateDir: undefined,
  apis: { info: true, health: true, metrics: true, dev: true },
  data: 'http://127.0.0.1:9650',
  stats: 'http://127.0.0.1:9650',
  following: undefined,
  strict: false,
  funded: { address: createAddressFormatter('X', 'local')(ewoqKey.address), balance: 300_000_000_000_000_000n },
  accounts: [],
  mnemonic: undefined,
  chains: [],
  workers: 0,
  warnings: [],
};

test('a local network in memory', () => {
  const text = formatBanner(info);
  for (const part of [
    'serac 0.1.0',
    'ready in 0.24 s',
    'local   id 12345',
    'in memory, lost when the node stops; to keep it: --data-dir DIR',
    'PrivateKey-ewoqjP7PxY4yr3iLTpLisriqt94hdyDFNgchSxGGztUrTXtNN',
    'X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u   300,000,000 AVAX',
    'This key is public',
    'http://127.0.0.1:9650/ext/bc/X/wallet',
    'http://127.0.0.1:9650/ext/info   /ext/health   /ext/metrics   /ext/dev',
    'http://127.0.0.1:9650/v1/networks/…',
    'http://127.0.0.1:9650/v1/avg_tps/X   /v2/chains',
    'http://127.0.0.1:9650/api ',
  ])
    expect(text).toContain(part);
  expect(text).not.toContain('Workers');
  expect(text).not.toContain('Warning');
});

test('what is disabled or absent is not shown', () => {
  const text = formatBanner({
    ...info,
    apis: { info: false, health: false, metrics: false, dev: false },
    funded: undefined,
    stateDir: '/data',
    height: 42n,
  });
  for (const part of ['/ext/info', '/ext/dev', 'Node', 'PrivateKey', 'in memory']) expect(text).not.toContain(part);
  expect(text).toContain('/data   height 42');
  expect(formatBanner({ ...info, apis: { ...info.apis, info: false } })).toContain('http://127.0.0.1:9650/ext/health   /ext/metrics');
});

test('the copy of a public network is called a private copy', () => {
  for (const id of [1, 5]) {
    const text = formatBanner({ ...info, network: getNetwork(id), funded: undefined });
    expect(text).toContain(`a private copy of ${getNetwork(id).name} (id ${id}), started from its genesis, at height 0`);
    expect(text).toContain(`It is not connected to the public ${getNetwork(id).name}`);
  }
});

test('a followed network, and APIs on ports of their own', () => {
  const text = formatBanner({
    ...info,
    network: getNetwork(5),
    following: 'http://node:9650',
    data: 'http://127.0.0.1:1',
    stats: undefined,
    height: 7n,
  });
  expect(text).toContain('fuji   id 5   following http://node:9650, at height 7');
  expect(text).not.toContain('private copy');
  expect(text).toContain('http://127.0.0.1:1/api ');
  expect(text).not.toContain('Metrics ');
  expect(formatBanner({ ...info, stats: 'http://127.0.0.1:2' })).toContain(
    'http://127.0.0.1:2/v1/avg_tps/X   http://127.0.0.1:2/v2/chains',
  );
});

test('amounts are not rounded', () => {
  expect(formatBanner({ ...info, funded: { address: 'a', balance: 1_234_567_000_000_001n } })).toContain('a   1,234,567.000000001 AVAX');
  expect(formatBanner({ ...info, funded: { address: 'a', balance: 1_000_000n } })).toContain('a   0.001 AVAX');
});

test('the banner has at most 25 lines', () => {
  const many = (count: number) => Array.from({ length: count }, (_, i) => `n${i}`);
  const text = formatBanner({
    ...info,
    network: getNetwork(5),
    chains: many(64).map((alias) => ({ alias, blockchainID: alias })),
    workers: 4,
    warnings: many(30),
  });
  expect(text.split('\n').length).toBeLessThanOrEqual(25);
  expect(text).toContain('… and 62 more');
  expect(text).toContain('… and 28 more');
});

test('the accounts of the mnemonic are one row', () => {
  const accounts = [7n, 10_000_000_000n, 10_000_000_000n].map((balance, index) => ({ index, address: `X-${index}`, balance }));
  expect(formatBanner({ ...info, accounts, mnemonic: 'test junk' })).toContain(
    'Accounts  2 with 10 AVAX each, of the mnemonic test junk; dev.accounts lists them',
  );
  expect(formatBanner({ ...info, accounts })).toContain('of the mnemonic that was given;');
  expect(formatBanner({ ...info, accounts, apis: { ...info.apis, dev: false } })).toMatch(/of the mnemonic that was given$/m);
  expect(formatBanner({ ...info, accounts: accounts.slice(0, 2).concat(accounts[0]!), mnemonic: 'test junk' })).toContain(
    'Accounts  2, of the mnemonic',
  );
  expect(formatBanner({ ...info, accounts: accounts.slice(0, 1) })).not.toContain('Accounts');
});

test('the JSON banner is one object on one line', () => {
  const accounts = [{ index: 0, address: 'X-a', balance: 5n }];
  const text = formatBannerJson({
    ...info,
    accounts,
    mnemonic: 'test junk',
    chains: [{ alias: 'games', blockchainID: 'b' }],
    apis: { ...info.apis, metrics: false },
  });
  expect(text).not.toContain('\n');
  expect(JSON.parse(text)).toEqual({
    name: 'serac',
    version: '0.1.0',
    readySeconds: 0.2412,
    nodeID: info.nodeID,
    url: info.url,
    network: { id: 12345, name: 'local', hrp: 'local', privateCopy: false },
    strict: false,
    state: { dataDir: null, height: '0' },
    endpoints: {
      avm: `${info.url}/ext/bc/X`,
      wallet: `${info.url}/ext/bc/X/wallet`,
      info: `${info.url}/ext/info`,
      health: `${info.url}/ext/health`,
      dev: `${info.url}/ext/dev`,
      data: `${info.url}/v1`,
      metricsApi: `${info.url}/v2`,
    },
    following: null,
    chains: [
      { alias: 'X', blockchainID: info.xBlockchainID, url: `${info.url}/ext/bc/X` },
      { alias: 'games', blockchainID: 'b', url: `${info.url}/ext/bc/games` },
    ],
    key: { privateKey: ewoqKey.text, address: 'X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u', balance: '300000000000000000' },
    accounts: [{ index: 0, address: 'X-a', balance: '5' }],
    mnemonic: 'test junk',
    workers: 0,
    warnings: [],
  });
});
