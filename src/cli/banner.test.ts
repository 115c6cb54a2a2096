import { expect, test } from 'bun:test';
import type { BannerInfo } from '../app/output/banner-info.ts';
import { getNetwork } from '../avm/network.ts';
import { ewoqKey, testMnemonic } from '../avm/wallet/accounts.ts';
import { type Address, createAddressFormatter } from '../base/bytes/address.ts';
import { formatBanner, formatBannerJson, maxBannerLines } from './banner.ts';
import { createStyle } from './terminal/style.ts';

const info: BannerInfo = {
  version: '0.1.0',
  readySeconds: 0.2412,
  nodeID: 'NodeID-P7oB2McjBGgW2NXXWVYjV8JEDFoW9xDE5',
  network: getNetwork(12345),
  url: 'http://127.0.0.1:9650',
  xBlockchainID: '2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed',
  height: 0n,
  stateDir: undefined,
  stateFile: undefined,
  mining: { automine: true, interval: 0 },
  apis: { info: true, health: true, metrics: true, dev: true },
  data: 'http://127.0.0.1:9650',
  metricsApi: 'http://127.0.0.1:9650',
  following: undefined,
  strict: false,
  funded: { address: createAddressFormatter('X', 'local')(ewoqKey.address), balance: 300_000_000_000_000_000n },
  accounts: [],
  mnemonic: undefined,
  chains: [],
  workers: 0,
  warnings: [],
};

/** The accounts of a fresh chain. Addresses have 45 characters, as on a local network. */
const accountsOf = (count: number): BannerInfo['accounts'] =>
  Array.from({ length: count }, (_, index) => ({
    index,
    address: createAddressFormatter('X', 'local')(index.toString(16).padStart(40, '0') as Address),
    balance: index === 0 ? 299_899_999_999_000_000n : 10_000_000_000_000n,
  }));

const fresh: BannerInfo = { ...info, height: 1n, accounts: accountsOf(11), mnemonic: testMnemonic };

test('a fresh chain: eleven accounts with full addresses and balances, mnemonic, URLs; 25 lines of 80 columns', () => {
  const lines = formatBanner({ ...fresh, apis: { ...fresh.apis, explorer: true } }).split('\n');
  expect(lines.length).toBeLessThanOrEqual(maxBannerLines);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
  for (const { address } of fresh.accounts) expect(lines.filter((line) => line.includes(` ${address} `))).toHaveLength(1);
  expect(lines.filter((line) => line.endsWith(' 10,000 AVAX'))).toHaveLength(10);
  for (const line of [
    /^serac 0\.1\.0 {3}local, network ID 12345 +ready in 0\.24 s$/,
    /^State +in memory, lost when the node stops; to keep it: --data-dir DIR$/,
    /^Blocks +as soon as there is a transaction$/,
    /^Accounts +0 X-local1\S+ 299,899,999\.999 AVAX$/,
    /^Mnemonic +test test test test test test test test test test test junk$/,
    /^Keys +public: serac accounts prints them; the mnemonic makes 1 to 10$/,
  ])
    expect(lines.filter((text) => line.test(text))).toHaveLength(1);
  const paths = ['/', '/ext/bc/X', '/ext/bc/X/wallet', '/ext/info', '/ext/health', '/ext/dev', '/ext/events', '/v1', '/v2'];
  for (const path of paths) expect(lines.filter((text) => text.endsWith(` ${info.url}${path}`))).toHaveLength(1);
});

test('nothing of a mnemonic that the user gave is shown', () => {
  const text = formatBanner({ ...fresh, mnemonic: undefined });
  expect(text).not.toContain('Mnemonic');
  expect(text).not.toContain('Keys');
});

test('when blocks are built', () => {
  const blocks = (automine: boolean, interval: number) =>
    /^Blocks +(.*)$/m.exec(formatBanner({ ...fresh, mining: { automine, interval } }))?.[1];
  expect(blocks(true, 0)).toBe('as soon as there is a transaction');
  expect(blocks(false, 2000)).toBe('every 2 s if there is a transaction');
  expect(blocks(true, 500)).toBe('at once, and every 0.5 s if there is a transaction');
  expect(blocks(false, 0)).toBe('by hand: serac mine');
});

test('what is disabled or absent is not shown', () => {
  const text = formatBanner({
    ...info,
    apis: { info: false, health: false, metrics: false, dev: false },
    strict: true,
    accounts: [{ index: 0, address: 'X-a', balance: 0n }],
    stateDir: '/data',
    height: 42n,
    workers: 1,
  });
  for (const part of ['/ext/info', '/ext/dev', '/ext/events', 'Accounts', 'in memory']) expect(text).not.toContain(part);
  expect(text).toContain('/data, height 42, 1 reader process');
  expect(formatBanner({ ...info, stateFile: 'chain.serac' })).toContain('in memory, height 0; saved to chain.serac');
});

test('an account with a label shows it in the columns that are left, and in JSON', () => {
  const labelled = (label: string): BannerInfo => ({
    ...fresh,
    accounts: fresh.accounts.map((one) => (one.index === 1 ? { ...one, label } : one)),
  });
  const lineOf = (label: string) =>
    formatBanner(labelled(label))
      .split('\n')
      .find((line) => line.includes(` ${fresh.accounts[1]?.address} `)) ?? '';
  expect(lineOf('al')).toEndWith(' 10,000 AVAX al');
  expect(lineOf('treasury of the test')).toEndWith(' 10,000 AVAX treasur…');
  expect(
    JSON.parse(formatBannerJson(labelled('alice')))
      .accounts.map(({ label }: { label?: string }) => label)
      .slice(0, 3),
  ).toEqual([undefined, 'alice', undefined]);
  expect(formatBannerJson(fresh)).not.toContain('label');
});

test('the copy of a public network is called a private copy; a followed or joined one is not', () => {
  for (const id of [1, 5]) {
    const { name } = getNetwork(id);
    expect(formatBanner({ ...info, network: getNetwork(id) })).toContain(`a private copy of ${name}, network ID ${id}`);
  }
  const joined = formatBanner({ ...info, peersAt: '127.0.0.1:9651', accounts: [] });
  expect(joined).toContain(`Peers       127.0.0.1:9651, ${info.nodeID}`);
  expect(joined).not.toContain('Blocks ');
  const onFuji = { ...info, network: getNetwork(5), peersAt: '127.0.0.1:9651' };
  expect(formatBanner(onFuji)).toMatch(/^serac \S+ +fuji, network ID 5 /);
  const isCopy = (shown: BannerInfo) => JSON.parse(formatBannerJson(shown)).network.privateCopy;
  expect([isCopy(onFuji), isCopy({ ...info, network: getNetwork(5) })]).toEqual([false, true]);
  const text = formatBanner({ ...info, network: getNetwork(5), following: 'http://node:9650', data: 'http://127.0.0.1:1', height: 7n });
  expect(text).toMatch(/^Follows +http:\/\/node:9650, at height 7$/m);
  expect(text).not.toContain('private copy');
  expect(text).not.toContain('Blocks');
  expect(text).toMatch(/^API docs +http:\/\/127\.0\.0\.1:1\/api$/m);
});

test('amounts are not rounded', () => {
  const withBalance = (balance: bigint) => formatBanner({ ...info, accounts: [{ index: 0, address: 'a', balance }] });
  expect(withBalance(1_234_567_000_000_001n)).toContain('a 1,234,567.000000001 AVAX');
  expect(withBalance(1_000_000n)).toContain('a 0.001 AVAX');
});

test('the banner has at most 25 lines: fewer accounts are shown if there is more to say', () => {
  const many = (count: number) => Array.from({ length: count }, (_, i) => `n${i}`);
  const text = formatBanner({
    ...fresh,
    accounts: accountsOf(500),
    chains: many(64).map((alias) => ({ alias, blockchainID: alias })),
    workers: 4,
    warnings: many(30),
  });
  expect(text.split('\n')).toHaveLength(maxBannerLines);
  expect(text).toContain('… 497 more: serac accounts');
  expect(text).toContain('… and 62 more');
  expect(text).toContain('… and 28 more');
});

test('only a style adds escape sequences', () => {
  expect(formatBanner(fresh)).not.toContain('\x1b');
  const styled = formatBanner(fresh, createStyle(true));
  expect(styled).toContain('\x1b[1mserac 0.1.0');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are removed
  expect(styled.replace(/\x1b\[\d+m/g, '')).toBe(formatBanner(fresh));
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
      docs: `${info.url}/docs/`,
      events: `${info.url}/ext/events`,
      data: `${info.url}/v1`,
      metricsApi: `${info.url}/v2`,
      reference: `${info.url}/api`,
    },
    following: null,
    peersAt: null,
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
