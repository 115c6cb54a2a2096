import { isPublicNetwork } from '../avm/network.ts';
import type { Address } from '../base/bytes/address.ts';
import { formatUnits } from '../base/bytes/units.ts';
import { plainStyle, type Style } from './terminal/style.ts';

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
  /** The file of `--state`. */
  readonly stateFile: string | undefined;
  /** When blocks are built; see config.ts. */
  readonly mining: { readonly automine: boolean; readonly interval: number };
  readonly apis: {
    readonly info: boolean;
    readonly health: boolean;
    readonly metrics: boolean;
    readonly dev: boolean;
    readonly explorer?: boolean;
  };
  /** The URLs of the Data and Metrics APIs; undefined if disabled. */
  readonly data: string | undefined;
  readonly stats: string | undefined;
  /** The URL of the followed node. */
  readonly following: string | undefined;
  /** The address for peers, if this node has joined a network. */
  readonly peersAt?: string | undefined;
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

/** The most lines of the banner, so that a terminal of 24 lines shows all but the title. If there are more accounts, fewer are shown. */
export const maxBannerLines = 25;

/** The columns that the banner needs, unless a URL or a path is longer. */
const columns = 80;

/** The start banner as text. */
export function formatBanner(info: BannerInfo, style: Pick<Style, 'bold' | 'dim'> = plainStyle): string {
  const before = [formatTitle(info), ...stateRows(info), ...blockRows(info)];
  const after = [
    ...(info.mnemonic === undefined ? [] : [row('Mnemonic', info.mnemonic)]),
    ...urlRows(info),
    ...chainRows(info),
    ...truncateLines(info.warnings, maxWarnings).map((text) => row('Warning', text)),
  ];
  const accounts = accountLines(info, maxBannerLines - before.length - after.length).map(
    (text, i) => (i === 0 ? accountsLabel : ' '.repeat(accountsLabel.length)) + text,
  );
  return [...before, ...accounts, ...after].map((line) => styleLabel(line, style)).join('\n');
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
    endpoints: Object.fromEntries(listUrls(info).map(({ name, url }) => [name, url])),
    following: info.following ?? null,
    peersAt: info.peersAt ?? null,
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

/** The width of labels. */
const labelWidth = 12;

/** The numbers of accounts are in the column of the labels. */
const accountsLabel = 'Accounts';

const row = (label: string, text: string): string => `${label.padEnd(labelWidth)}${text}`;

/** The first line is bold, labels are dim. */
const styleLabel = (line: string, style: Pick<Style, 'bold' | 'dim'>): string =>
  line.startsWith('serac ') ? style.bold(line) : style.dim(line.slice(0, labelWidth)) + line.slice(labelWidth);

function formatTitle({ version, strict, network, following, readySeconds }: BannerInfo): string {
  const isCopy = following === undefined && isPublicNetwork(network.id);
  const title = `serac ${version}${strict ? ', strict' : ''}   ${isCopy ? 'a private copy of ' : ''}${network.name}, network ID ${network.id}`;
  const ready = `ready in ${readySeconds.toFixed(2)} s`;
  return `${title}${ready.padStart(Math.max(columns - title.length, ready.length + 2))}`;
}

function stateRows({ stateDir, stateFile, height, following, peersAt, nodeID, workers }: BannerInfo): string[] {
  const readers = workers === 0 ? '' : `, ${workers} reader process${workers === 1 ? '' : 'es'}`;
  return [
    ...(following === undefined ? [] : [row('Follows', `${following}, at height ${height}`)]),
    ...(peersAt === undefined ? [] : [row('Peers', `${peersAt}, ${nodeID}`)]),
    row(
      'State',
      stateDir !== undefined
        ? `${stateDir}, height ${height}${readers}`
        : stateFile !== undefined
          ? `in memory, height ${height}; saved to ${stateFile}`
          : 'in memory, lost when the node stops; to keep it: --data-dir DIR',
    ),
  ];
}

function blockRows({ following, peersAt, mining, mnemonic, apis, accounts }: BannerInfo): string[] {
  if (following !== undefined || peersAt !== undefined) return [];
  const keys = apis.dev && (mnemonic !== undefined || accounts.length === 1) ? '; keys: serac accounts (public)' : '';
  return [row('Blocks', `${describeMining(mining)}${keys}`)];
}

function describeMining({ automine, interval }: BannerInfo['mining']): string {
  const timed = `every ${interval / 1000} s if there is a transaction`;
  if (automine) return interval === 0 ? 'as soon as there is a transaction' : `at once, and ${timed}`;
  return interval === 0 ? 'by hand: serac mine' : timed;
}

/** Accounts with addresses and balances. An account without funds that is the only one is left out: its key is not for this network. */
function accountLines({ accounts }: BannerInfo, max: number): string[] {
  if (accounts.length === 1 && accounts[0]?.balance === 0n) return [];
  const amounts = accounts.map(({ balance }) => `${formatUnits(balance, 9)} AVAX`);
  const width = Math.max(...amounts.map((text) => text.length));
  const lines = accounts.map(({ index, address }, i) => `${String(index).padStart(3)} ${address} ${(amounts[i] ?? '').padStart(width)}`);
  if (lines.length <= max) return lines;
  const shown = Math.max(max - 1, 1);
  return [...lines.slice(0, shown), `  … ${lines.length - shown} more: serac accounts`];
}

/** Every URL, with the name of what it serves. `name` is its key in the JSON banner. */
export const listUrls = (info: Pick<BannerInfo, 'url' | 'apis' | 'data' | 'stats' | 'strict'>): NamedUrl[] => {
  const { url, apis, data, stats, strict } = info;
  const reference = data ?? stats;
  const rows: readonly (NamedUrl | false)[] = [
    apis.explorer === true && !strict && data !== undefined && { name: 'explorer', label: 'Explorer', url: `${data}/` },
    { name: 'avm', label: 'Node RPC', url: `${url}/ext/bc/X` },
    { name: 'wallet', label: 'Wallet RPC', url: `${url}/ext/bc/X/wallet` },
    apis.info && { name: 'info', label: 'Info', url: `${url}/ext/info` },
    apis.health && { name: 'health', label: 'Health', url: `${url}/ext/health` },
    apis.metrics && { name: 'metrics', label: 'Prometheus', url: `${url}/ext/metrics` },
    apis.dev && { name: 'dev', label: 'dev.*', url: `${url}/ext/dev` },
    !strict && { name: 'events', label: 'Events', url: `${url}/ext/events` },
    data !== undefined && { name: 'data', label: 'Data API', url: `${data}/v1` },
    stats !== undefined && { name: 'metricsApi', label: 'Metrics API', url: `${stats}/v2` },
    reference !== undefined && { name: 'reference', label: 'API docs', url: `${reference}/api` },
  ];
  return rows.filter((one) => one !== false);
};

export type NamedUrl = { readonly name: string; readonly label: string; readonly url: string };

/** The API docs are left out if there is an explorer, which links to them: the banner has at most 25 lines. */
function urlRows(info: BannerInfo): string[] {
  const urls = listUrls(info);
  const hasExplorer = urls.some(({ name }) => name === 'explorer');
  return urls.filter(({ name }) => !hasExplorer || name !== 'reference').map(({ label, url }) => row(label, url));
}

function chainRows({ chains, url }: BannerInfo): string[] {
  const lines = chains.map(({ alias }) => `${url}/ext/bc/${alias}`);
  return truncateLines(lines, maxChains).map((text, i) => row(i === 0 ? 'Chains' : '', text));
}

const truncateLines = (lines: readonly string[], max: number): string[] =>
  lines.length <= max ? [...lines] : [...lines.slice(0, max - 1), `… and ${lines.length - max + 1} more`];
