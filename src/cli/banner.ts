import { type BannerAccounts, type BannerInfo, type BannerState, listUrls, type ServedUrls } from '../app/output/banner-info.ts';
import { isPublicNetwork } from '../avm/network.ts';
import { ewoqKey } from '../avm/wallet/accounts.ts';
import { formatUnits } from '../base/bytes/units.ts';
import { plainStyle, type Style } from './terminal/style.ts';

/** The most lines of the banner, so that a terminal of 24 lines shows all but the title. If there are more accounts, fewer are shown. */
export const maxBannerLines = 25;

/** The columns that the banner needs, unless a URL or a path is longer. */
const columns = 80;

/** The start banner as text. */
export function formatBanner(info: BannerInfo, style: Pick<Style, 'bold' | 'dim'> = plainStyle): string {
  const before = [formatTitle(info), ...stateRows(info), ...blockRows(info)];
  const after = [
    ...keyRows(info),
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
    network: { id: network.id, name: network.name, hrp: network.hrp, privateCopy: isPrivateCopy(info) },
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
    accounts: info.accounts.map(({ index, address, label, balance }) => ({ index, address, label, balance: balance.toString() })),
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

/** Whether the node decides blocks of a public network alone: it then neither follows a node of that network nor has peers there. */
const isPrivateCopy = ({ network, following, peersAt }: BannerInfo): boolean =>
  following === undefined && peersAt === undefined && isPublicNetwork(network.id);

function formatTitle(info: BannerInfo): string {
  const { version, strict, network, readySeconds } = info;
  const title = `serac ${version}${strict ? ', strict' : ''}   ${isPrivateCopy(info) ? 'a private copy of ' : ''}${network.name}, network ID ${network.id}`;
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

function blockRows({ following, peersAt, mining }: BannerInfo): string[] {
  return following !== undefined || peersAt !== undefined ? [] : [row('Blocks', describeMining(mining))];
}

function describeMining({ automine, interval }: BannerInfo['mining']): string {
  const timed = `every ${interval / 1000} s if there is a transaction`;
  if (automine) return interval === 0 ? 'as soon as there is a transaction' : `at once, and ${timed}`;
  return interval === 0 ? 'by hand: serac mine' : timed;
}

/** Where the private keys are, which everybody knows. Nothing of a mnemonic that the user gave is shown. */
function keyRows({ mnemonic, apis, accounts }: BannerInfo): string[] {
  const where = apis.dev ? 'public: serac accounts prints them' : 'public';
  if (mnemonic === undefined) return apis.dev && accounts.length === 1 ? [row('Keys', where)] : [];
  return [row('Mnemonic', mnemonic), row('Keys', `${where}; the mnemonic makes 1 to ${accounts.at(-1)?.index ?? 0}`)];
}

/** Accounts with addresses and balances. An account without funds that is the only one is left out: its key is not for this network. */
function accountLines({ accounts }: BannerAccounts, max: number): string[] {
  if (accounts.length === 1 && accounts[0]?.balance === 0n) return [];
  const amounts = accounts.map(({ balance }) => `${formatUnits(balance, 9)} AVAX`);
  const width = Math.max(...amounts.map((text) => text.length));
  const lines = accounts.map(({ index, address, label }, i) => {
    const line = `${String(index).padStart(3)} ${address} ${(amounts[i] ?? '').padStart(width)}`;
    return label === undefined ? line : `${line} ${fitLabel(label, columns - accountsLabel.length - line.length - 1)}`;
  });
  if (lines.length <= max) return lines;
  const shown = Math.max(max - 1, 1);
  return [...lines.slice(0, shown), `  … ${lines.length - shown} more: serac accounts`];
}

/** A label in the columns that are left of a line, but at least some characters of it. */
const fitLabel = (label: string, room: number): string => {
  const shown = Math.max(room, 8);
  return label.length <= shown ? label : `${label.slice(0, shown - 1)}…`;
};

/** The docs are left out, and beside an explorer what its pages show or link to, since the banner has at most 25 lines. `GET /` lists every URL. */
function urlRows(info: BannerInfo): string[] {
  const urls = listUrls(info);
  const hasExplorer = urls.some(({ name }) => name === 'explorer');
  const shown = urls.filter(({ name }) => name !== 'docs' && !(hasExplorer && leftOutBesideExplorer.has(name)));
  return shown.map(({ label, url }) => row(label, url));
}

const leftOutBesideExplorer: ReadonlySet<string> = new Set(['reference', 'metrics']);

function chainRows({ chains, url }: BannerState & ServedUrls): string[] {
  const lines = chains.map(({ alias }) => `${url}/ext/bc/${alias}`);
  return truncateLines(lines, maxChains).map((text, i) => row(i === 0 ? 'Chains' : '', text));
}

const truncateLines = (lines: readonly string[], max: number): string[] =>
  lines.length <= max ? [...lines] : [...lines.slice(0, max - 1), `… and ${lines.length - max + 1} more`];
