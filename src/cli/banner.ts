import type { Address } from '../bytes/address.ts';
import { isPublic } from '../network.ts';

/** What is true of a node that has just become ready. */
export type BannerInfo = {
  readonly version: string;
  readonly readySeconds: number;
  readonly nodeID: string;
  readonly network: { readonly id: number; readonly name: string; readonly hrp: string };
  /** Where it listens, `http://127.0.0.1:9650`. */
  readonly url: string;
  readonly xBlockchainID: string;
  readonly height: bigint;
  /** undefined: in memory. */
  readonly stateDir: string | undefined;
  readonly apis: { readonly info: boolean; readonly health: boolean; readonly metrics: boolean; readonly dev: boolean };
  /** Where the Data and Metrics interfaces answer; undefined: they do not. */
  readonly data: string | undefined;
  readonly stats: string | undefined;
  /** The node that is followed. */
  readonly following: string | undefined;
  readonly strict: boolean;
  /** The well-known key, if it owns something here. Balance in nAVAX. */
  readonly funded: { readonly address: string; readonly balance: bigint } | undefined;
  readonly chains: readonly { readonly alias: string; readonly blockchainID: string }[];
  /** Processes that only read. */
  readonly workers: number;
  readonly warnings: readonly string[];
};

/** The key that AvalancheGo's local genesis funds. Peer: genesis/genesis_local.go, EWOQKey. */
export const knownKey = {
  text: 'PrivateKey-ewoqjP7PxY4yr3iLTpLisriqt94hdyDFNgchSxGGztUrTXtNN',
  address: '3cb7d3842e8cee6a0ebd09f1fe884f6861e1b29c' as Address,
} as const;

/** At most 25 lines for people. */
export function banner(info: BannerInfo): string {
  const title = `  serac ${info.version}   X-Chain node${info.strict ? ', strict' : ''}`;
  const rows = [
    ...networkRows(info),
    row(
      'State',
      info.stateDir === undefined
        ? 'in memory: gone when it stops; keep it with --data-dir DIR'
        : `${info.stateDir}   height ${info.height}`,
    ),
    ...keyRows(info),
    '',
    row('RPC', `${info.url}/ext/bc/X   avm.*      ${info.url}/ext/bc/X/wallet   wallet.*`),
    ...nodeRows(info),
    ...apiRows(info),
    ...chainRows(info),
    ...(info.workers > 0 ? [row('Workers', `${info.workers} answering reads beside the process that writes`)] : []),
    ...(info.warnings.length > 0 ? ['', ...shortened(info.warnings, maxWarnings).map((text) => row('Warning', text))] : []),
  ];
  return ['', `${title.padEnd(56)}ready in ${info.readySeconds.toFixed(2)} s`, '', ...rows, ''].join('\n');
}

/** The same and more as one object on one line, for programs: amounts are texts. */
export function bannerJson(info: BannerInfo): string {
  const { network } = info;
  return JSON.stringify({
    name: 'serac',
    version: info.version,
    readySeconds: info.readySeconds,
    nodeID: info.nodeID,
    url: info.url,
    network: { id: network.id, name: network.name, hrp: network.hrp, privateCopy: isPublic(network.id) },
    strict: info.strict,
    state: { dataDir: info.stateDir ?? null, height: info.height.toString() },
    endpoints: {
      ...Object.fromEntries(endpoints(info).map(({ name, path }) => [name, info.url + path])),
      ...(info.data === undefined ? {} : { data: `${info.data}/v1` }),
      ...(info.stats === undefined ? {} : { metricsApi: `${info.stats}/v2` }),
    },
    following: info.following ?? null,
    chains: [{ alias: 'X', blockchainID: info.xBlockchainID }, ...info.chains].map((chain) => ({
      ...chain,
      url: `${info.url}/ext/bc/${chain.alias}`,
    })),
    key:
      info.funded === undefined
        ? null
        : { privateKey: knownKey.text, address: info.funded.address, balance: info.funded.balance.toString() },
    workers: info.workers,
    warnings: info.warnings,
  });
}

const maxChains = 3;
const maxWarnings = 3;

const row = (label: string, text: string): string => `  ${label.padEnd(9)} ${text}`;

function networkRows({ network, height, following }: BannerInfo): string[] {
  if (following !== undefined) return [row('Network', `${network.name}   id ${network.id}   following ${following}, at height ${height}`)];
  if (!isPublic(network.id)) return [row('Network', `${network.name}   id ${network.id}   addresses X-${network.hrp}1…`)];
  return [
    row('Network', `a private copy of ${network.name} (id ${network.id}), begun at its genesis, at height ${height}`),
    row('', `It is not the public ${network.name}: nothing done here happens there.`),
  ];
}

function keyRows({ funded }: BannerInfo): string[] {
  if (funded === undefined) return [];
  return [
    '',
    row('Key', knownKey.text),
    row('', `${funded.address}   ${avaxText(funded.balance)} AVAX`),
    row('', 'Everyone knows this key: never send real funds to it.'),
  ];
}

const endpoints = ({ apis }: BannerInfo): { name: string; path: string }[] => [
  { name: 'avm', path: '/ext/bc/X' },
  { name: 'wallet', path: '/ext/bc/X/wallet' },
  ...(['info', 'health', 'metrics', 'dev'] as const).filter((name) => apis[name]).map((name) => ({ name, path: `/ext/${name}` })),
];

function nodeRows(info: BannerInfo): string[] {
  const [first, ...others] = endpoints(info).slice(2);
  return first === undefined ? [] : [row('Node', [info.url + first.path, ...others.map(({ path }) => path)].join('   '))];
}

/** Each with an address that can be opened at once. */
function apiRows({ data, stats }: BannerInfo): string[] {
  const reference = data ?? stats;
  return [
    ...(data === undefined ? [] : [row('Data', `${data}/v1/networks/…   balances, UTXOs, transactions, blocks, assets`)]),
    ...(stats === undefined ? [] : [row('Metrics', `${stats}/v1/avg_tps/X   ${stats === data ? '' : stats}/v2/chains`)]),
    ...(reference === undefined ? [] : [row('', `${reference}/api   all of it, to read and to try`)]),
  ];
}

function chainRows({ chains, url }: BannerInfo): string[] {
  const lines = chains.map(({ alias, blockchainID }) => `${url}/ext/bc/${alias}   ${blockchainID}`);
  return shortened(lines, maxChains).map((text, i) => row(i === 0 ? 'Chains' : '', text));
}

const shortened = (lines: readonly string[], max: number): string[] =>
  lines.length <= max ? [...lines] : [...lines.slice(0, max - 1), `… and ${lines.length - max + 1} more`];

/** nAVAX in AVAX, exact, in groups of three: 300,000,000 or 0.001. */
function avaxText(nAvax: bigint): string {
  const whole = (nAvax / 1_000_000_000n).toString().replace(/\B(?=(\d{3})+$)/g, ',');
  const rest = (nAvax % 1_000_000_000n).toString().padStart(9, '0').replace(/0+$/, '');
  return rest === '' ? whole : `${whole}.${rest}`;
}
