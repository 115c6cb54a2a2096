import type { Address } from '../bytes/address.ts';
import { formatUnits } from '../bytes/units.ts';
import { isPublicNetwork } from '../network.ts';

/** What the start banner shows of a node that has just become ready. */
export type BannerInfo = {
  readonly version: string;
  readonly readySeconds: number;
  readonly nodeID: string;
  readonly network: { readonly id: number; readonly name: string; readonly hrp: string };
  /** The URL of the main port, `http://127.0.0.1:9650`. */
  readonly url: string;
  readonly xBlockchainID: string;
  readonly height: bigint;
  /** undefined: in memory. */
  readonly stateDir: string | undefined;
  readonly apis: { readonly info: boolean; readonly health: boolean; readonly metrics: boolean; readonly dev: boolean };
  /** The URLs of the Data and Metrics APIs; undefined if disabled. */
  readonly data: string | undefined;
  readonly stats: string | undefined;
  /** The URL of the followed node. */
  readonly following: string | undefined;
  readonly strict: boolean;
  /** The address and balance (nAVAX) of the ewoq key; undefined if it has no funds. */
  readonly funded: { readonly address: string; readonly balance: bigint } | undefined;
  /** The accounts of the developer's chain with their balances in nAVAX; empty if the node follows another one. */
  readonly accounts: readonly { readonly index: number; readonly address: string; readonly balance: bigint }[];
  /** The mnemonic of the accounts; undefined if it is the user's own, which is never shown, or if no account comes from it. */
  readonly mnemonic: string | undefined;
  readonly chains: readonly { readonly alias: string; readonly blockchainID: string }[];
  /** The number of reader processes. */
  readonly workers: number;
  readonly warnings: readonly string[];
};

/** The publicly known key that AvalancheGo's local genesis funds. AvalancheGo: genesis/genesis_local.go, EWOQKey. */
export const ewoqKey = {
  text: 'PrivateKey-ewoqjP7PxY4yr3iLTpLisriqt94hdyDFNgchSxGGztUrTXtNN',
  address: '3cb7d3842e8cee6a0ebd09f1fe884f6861e1b29c' as Address,
} as const;

/** The start banner as text, at most 25 lines. */
export function formatBanner(info: BannerInfo): string {
  const title = `  serac ${info.version}   X-Chain node${info.strict ? ', strict' : ''}`;
  const rows = [
    ...networkRows(info),
    formatRow(
      'State',
      info.stateDir === undefined
        ? 'in memory, lost when the node stops; to keep it: --data-dir DIR'
        : `${info.stateDir}   height ${info.height}`,
    ),
    ...keyRows(info),
    '',
    formatRow('RPC', `${info.url}/ext/bc/X   avm.*      ${info.url}/ext/bc/X/wallet   wallet.*`),
    ...nodeRows(info),
    ...apiRows(info),
    ...chainRows(info),
    ...(info.workers > 0 ? [formatRow('Workers', `${info.workers} reader processes beside the writer process`)] : []),
    ...(info.warnings.length > 0 ? ['', ...truncateLines(info.warnings, maxWarnings).map((text) => formatRow('Warning', text))] : []),
  ];
  return ['', `${title.padEnd(56)}ready in ${info.readySeconds.toFixed(2)} s`, '', ...rows, ''].join('\n');
}

/** The start banner as one line of JSON, for programs. Amounts are strings. */
export function formatBannerJson(info: BannerInfo): string {
  const { network } = info;
  return JSON.stringify({
    name: 'serac',
    version: info.version,
    readySeconds: info.readySeconds,
    nodeID: info.nodeID,
    url: info.url,
    network: { id: network.id, name: network.name, hrp: network.hrp, privateCopy: isPublicNetwork(network.id) },
    strict: info.strict,
    state: { dataDir: info.stateDir ?? null, height: info.height.toString() },
    endpoints: {
      ...Object.fromEntries(listEndpoints(info).map(({ name, path }) => [name, info.url + path])),
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
        : { privateKey: ewoqKey.text, address: info.funded.address, balance: info.funded.balance.toString() },
    accounts: info.accounts.map(({ index, address, balance }) => ({ index, address, balance: balance.toString() })),
    mnemonic: info.mnemonic ?? null,
    workers: info.workers,
    warnings: info.warnings,
  });
}

const maxChains = 3;
const maxWarnings = 3;

const formatRow = (label: string, text: string): string => `  ${label.padEnd(9)} ${text}`;

function networkRows({ network, height, following }: BannerInfo): string[] {
  if (following !== undefined)
    return [formatRow('Network', `${network.name}   id ${network.id}   following ${following}, at height ${height}`)];
  if (!isPublicNetwork(network.id)) return [formatRow('Network', `${network.name}   id ${network.id}   addresses X-${network.hrp}1…`)];
  return [
    formatRow('Network', `a private copy of ${network.name} (id ${network.id}), started from its genesis, at height ${height}`),
    formatRow('', `It is not connected to the public ${network.name}.`),
  ];
}

function keyRows(info: BannerInfo): string[] {
  const { funded } = info;
  if (funded === undefined) return [];
  return [
    '',
    formatRow('Key', ewoqKey.text),
    formatRow('', `${funded.address}   ${formatUnits(funded.balance, 9)} AVAX`),
    formatRow('', 'This key is public: never send real funds to it.'),
    ...accountRows(info),
  ];
}

/** The row of the accounts beside account 0, whose key is in the rows before. */
function accountRows({ accounts, mnemonic, apis }: BannerInfo): string[] {
  const derived = accounts.slice(1);
  if (derived.length === 0) return [];
  const balances = new Set(derived.map(({ balance }) => balance));
  const each = balances.size === 1 ? ` with ${formatUnits(derived[0]?.balance ?? 0n, 9)} AVAX each` : '';
  return [
    formatRow(
      'Accounts',
      `${derived.length}${each}, of the mnemonic ${mnemonic ?? 'that was given'}${apis.dev ? '; dev.accounts lists them' : ''}`,
    ),
  ];
}

const listEndpoints = ({ apis }: BannerInfo): { name: string; path: string }[] => [
  { name: 'avm', path: '/ext/bc/X' },
  { name: 'wallet', path: '/ext/bc/X/wallet' },
  ...(['info', 'health', 'metrics', 'dev'] as const).filter((name) => apis[name]).map((name) => ({ name, path: `/ext/${name}` })),
];

function nodeRows(info: BannerInfo): string[] {
  const [first, ...others] = listEndpoints(info).slice(2);
  return first === undefined ? [] : [formatRow('Node', [info.url + first.path, ...others.map(({ path }) => path)].join('   '))];
}

/** The rows of the Data and Metrics APIs and their reference page. */
function apiRows({ data, stats }: BannerInfo): string[] {
  const reference = data ?? stats;
  return [
    ...(data === undefined ? [] : [formatRow('Data', `${data}/v1/networks/…   balances, UTXOs, transactions, blocks, assets`)]),
    ...(stats === undefined ? [] : [formatRow('Metrics', `${stats}/v1/avg_tps/X   ${stats === data ? '' : stats}/v2/chains`)]),
    ...(reference === undefined ? [] : [formatRow('', `${reference}/api   API reference`)]),
  ];
}

function chainRows({ chains, url }: BannerInfo): string[] {
  const lines = chains.map(({ alias, blockchainID }) => `${url}/ext/bc/${alias}   ${blockchainID}`);
  return truncateLines(lines, maxChains).map((text, i) => formatRow(i === 0 ? 'Chains' : '', text));
}

const truncateLines = (lines: readonly string[], max: number): string[] =>
  lines.length <= max ? [...lines] : [...lines.slice(0, max - 1), `… and ${lines.length - max + 1} more`];
