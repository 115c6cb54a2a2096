import type { FlagDefinition, FlagKind } from '../src/app/config/flag-definition.ts';
import type { NodeOptions } from '../src/sdk/node-options.ts';
import { camelCase, nodeFlags } from '../src/sdk/options-config.ts';

type FlagOptions = Required<Omit<NodeOptions, 'log' | 'logLevel'>>;

/** A value of every option, which its comment shows. The compiler checks the types, a test that `createNode` takes the values. */
export const optionExamples: FlagOptions = {
  networkId: 'fuji',
  genesisFile: './genesis.json',
  genesisFileContent: 'eyJuZXR3b3JrSUQiOjk5OTl9',
  upgradeFile: './upgrades.json',
  upgradeFileContent: 'e30=',
  txFee: 2_000_000n,
  createAssetTxFee: 10_000_000n,
  chains: './chains.json',
  minBlockDelay: '1s',
  accounts: 3,
  balance: '2.5',
  mnemonic: 'legal winner thank year wave sausage worth useful legal winner thank yellow',
  derivationPath: "m/44'/60'/0'/0",
  blockTime: 2,
  noMining: true,
  mixedMining: true,
  reorgDepth: 64,
  forkUrl: 'http://127.0.0.1:9650',
  forkBlockNumber: 1000,
  forkAddress: ['X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u'],
  dataDir: './chain',
  dbType: 'memdb',
  state: './state.json',
  loadState: './fixture.json',
  dumpState: './after.json',
  stateInterval: 60,
  cacheBytes: 64_000_000,
  cacheUrl: 'redis://127.0.0.1:6379',
  httpHost: '0.0.0.0',
  httpAllowedHosts: ['localhost', 'node.example'],
  httpAllowedOrigins: ['https://app.example'],
  httpIdleTimeout: '30s',
  httpShutdownWait: '1s',
  httpShutdownTimeout: '2s',
  strict: true,
  publicApi: true,
  apiInfoEnabled: false,
  apiHealthEnabled: false,
  apiMetricsEnabled: false,
  explorer: false,
  dataApiEnabled: false,
  metricsApiEnabled: false,
  dataNetworkName: 'devnet',
  devToken: 'open-sesame',
  webhookPrivateTargets: true,
  requireApiKey: true,
  rateLimits: 'on',
  rateLimitPlans: './plans.json',
  trustedProxies: ['10.0.0.0/8'],
  healthCheckFrequency: '5s',
  systemTrackerDiskRequiredAvailableSpacePercentage: 1,
  systemTrackerDiskWarningAvailableSpacePercentage: 5,
  stakingTlsCertFile: './staker.crt',
  stakingTlsKeyFile: './staker.key',
  stakingTlsCertFileContent: 'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t',
  stakingTlsKeyFileContent: 'LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0t',
  stakingEphemeralCertEnabled: true,
  stakingSignerKeyFile: './signer.key',
  stakingSignerKeyFileContent: 'QWdFc0hVeHlvd0JjQVI4WmhCd1k0UVp1Zw==',
  stakingEphemeralSignerEnabled: true,
  publicIp: '203.0.113.7',
  stakingPort: 9651,
};

/** The options of `createNode` that are flags, for NodeOptions: each with the flag's description, its default and an example, which editors show. */
export const renderNodeOptions = (): string => nodeFlags.map(([name, flag]) => formatOption(camelCase(name), flag)).join('\n');

function formatOption(option: string, flag: FlagDefinition): string {
  const example = optionExamples[option as keyof FlagOptions];
  if (example === undefined) throw new Error(`the option ${option} has no example; add one to optionExamples of tools/node-options.ts`);
  const lines = [
    ...wrapText(describeFlag(flag)),
    ...(flag.default ? [`@default ${formatDefault(flag.kind, flag.default)}`] : []),
    `@example createNode({ ${option}: ${formatValue(example)} })`,
  ];
  return ['  /**', ...lines.map((line) => `   * ${line}`), '   */', `  readonly ${option}?: ${valueType(flag)} | undefined;`].join('\n');
}

/** The help of a flag as a sentence, with the options in place of other flags, and without its letter on the command line. */
function describeFlag({ help, default: value, allowed = [] }: FlagDefinition): string {
  const text = help.replace(/ \(-\w\)$/, '').replaceAll(/--([a-z][a-z-]*[a-z])/g, (flag, name: string) => {
    const isOption = nodeFlags.some(([known]) => known === name);
    return isOption ? `\`${camelCase(name)}\`` : flag;
  });
  const [first = ''] = /^\w+/.exec(text) ?? [];
  const isValue = first === value || allowed.includes(first);
  return `${isValue ? `\`${first}\`` : first.charAt(0).toUpperCase() + first.slice(1)}${text.slice(first.length)}.`;
}

/** What an option takes, by the kind of its flag. A duration is Go's text, such as `1s`. */
function valueType({ kind, allowed }: FlagDefinition): string {
  if (allowed !== undefined) return allowed.map((value) => `'${value}'`).join(' | ');
  return valueTypes[kind] ?? 'string';
}

const valueTypes: { readonly [K in FlagKind]?: string } = {
  boolean: 'boolean',
  integer: 'number',
  number: 'number',
  u64: 'bigint | number',
  list: 'readonly string[]',
  network: 'string | number',
  avax: 'string | number',
  seconds: 'string | number',
};

/** A default as a program writes it. */
const formatDefault = (kind: FlagKind, value: string): string => {
  if (kind === 'list') return formatValue(value.split(','));
  return valueTypes[kind] === undefined || kind === 'network' ? formatValue(value) : value;
};

function formatValue(value: FlagOptions[keyof FlagOptions]): string {
  if (typeof value === 'string') return value.includes("'") ? `"${value}"` : `'${value}'`;
  if (typeof value === 'object') return `[${value.map(formatValue).join(', ')}]`;
  return typeof value === 'bigint' ? `${value}n` : String(value);
}

/** Lines of a comment: with its indentation at most 140 columns. */
const wrapText = (text: string): string[] => text.match(/\S.{0,133}(?=\s|$)/g) ?? [];
