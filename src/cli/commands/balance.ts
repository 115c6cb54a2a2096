import type { RpcClient } from '../../api/client/rpc-client.ts';
import type { Balances, UtxoList } from '../../api/contract/answers.ts';
import { parseUtxoText } from '../../avm/wallet/texts.ts';
import { idText } from '../../base/bytes/id.ts';
import { formatUnits } from '../../base/bytes/units.ts';
import { createAssetDescriber, type DescribeAsset } from './asset-labels.ts';
import { type ClientCommand, nodeMethods } from './client-command.ts';
import { createDataClient, orWithoutDataApi } from './data-client.ts';
import { readAccounts, requireAddress } from './named-address.ts';
import { formatTable } from './table.ts';

/** What an address has of one asset in one state: to spend now, until later, together with others, or on the way from or to another chain. */
export type Holding = {
  readonly assetID: string;
  readonly name: string;
  readonly symbol: string;
  readonly denomination: number;
  /** In the smallest unit; for NFTs and properties their number. */
  readonly amount: string;
  readonly isNft: boolean;
  readonly state: string;
};

/** Pages of shared outputs that are added up, and outputs on a page. */
const [maxPages, pageSize] = [10, 100];

/** `serac balance`: of account 0, of an address, account or label, or of all accounts. */
export const balance: ClientCommand = async ({ client, args: [who = '0'], options, print }) => {
  const owners = who === 'all' ? await readAccounts(client) : [{ index: undefined, address: await requireAddress(client, who) }];
  const answers = [];
  for (const { index: account, address } of owners) answers.push({ account, address, balances: await readHoldings(client, address) });
  if (options.json) {
    print(JSON.stringify(who === 'all' ? { accounts: answers } : answers[0]));
    return undefined;
  }
  if (answers.length === 0) print('this node has no accounts');
  for (const { account, address, balances } of answers) {
    print(account === undefined ? address : `account ${account}  ${address}`);
    for (const line of formatHoldings(balances)) print(`  ${line}`);
  }
  return undefined;
};

/** All that an address has. Of a node without a Data API, only what it can spend and import. */
export async function readHoldings(client: RpcClient, address: string): Promise<readonly Holding[]> {
  const get = await createDataClient(client);
  const describe = createAssetDescriber(client);
  const found = await orWithoutDataApi(get(`/balances?addresses=${address}`), () => undefined);
  const own =
    found === undefined ? await readSpendable(client, address, describe) : listHoldings((found as { balances: Balances }).balances);
  const shared = found === undefined ? [] : await readShared(get, address);
  return [...own, ...shared, ...(await readImportable(client, address, describe))];
}

function listHoldings({ unlocked, locked, atomicMemoryUnlocked, atomicMemoryLocked }: Balances): readonly Holding[] {
  const states = [
    [unlocked, 'spendable'],
    [locked, 'locked'],
    [atomicMemoryUnlocked, 'exported, not imported there yet'],
    [atomicMemoryLocked, 'exported, locked'],
  ] as const;
  return states.flatMap(([amounts, state]) =>
    amounts
      // An output that only allows minting counts 0.
      .filter(({ amount }) => amount !== '0')
      .map(({ assetId, name, symbol, denomination, amount, type }) => ({
        assetID: assetId,
        name,
        symbol,
        denomination,
        amount,
        isNft: type === 'nft',
        state,
      })),
  );
}

/** What the address owns together with others, without whom it cannot spend it. A node without the explorer's routes does not tell. */
async function readShared(get: (path: string) => Promise<unknown>, address: string): Promise<readonly Holding[]> {
  const sums = new Map<string, Holding>();
  let token = '';
  for (let page = 0; page < maxPages; page++) {
    const path = `/shared-utxos?addresses=${address}&pageSize=${pageSize}${token}`;
    const { utxos = [], nextPageToken } = ((await get(path).catch(() => undefined)) ?? {}) as Partial<UtxoList>;
    for (const { asset } of utxos) {
      const { assetId: assetID, name, symbol, denomination, type, amount } = asset;
      const before = sums.get(`${assetID} ${type}`);
      const sum = BigInt(before?.amount ?? 0) + BigInt(amount);
      const isNft = type === 'nft';
      if (sum > 0n)
        sums.set(`${assetID} ${type}`, { assetID, name, symbol, denomination, amount: `${sum}`, isNft, state: 'with other owners' });
    }
    if (nextPageToken === undefined) break;
    token = `&pageToken=${encodeURIComponent(nextPageToken)}`;
  }
  return [...sums.values()];
}

/** What `avm.getAllBalances` tells. */
async function readSpendable(client: RpcClient, address: string, describe: DescribeAsset): Promise<readonly Holding[]> {
  const { balances } = await nodeMethods(client).avm.getAllBalances({ address });
  return Promise.all(balances.map(({ asset, balance: amount }) => holdingOf(asset, amount, 'spendable', describe)));
}

/** What the P- and C-Chain have exported to the address, of the first outputs that a node lists. */
async function readImportable(client: RpcClient, address: string, describe: DescribeAsset): Promise<readonly Holding[]> {
  const holdings: Promise<Holding>[] = [];
  for (const sourceChain of ['P', 'C']) {
    const answer = await nodeMethods(client)
      .avm.getUTXOs({ addresses: [address], sourceChain })
      .catch(() => undefined);
    const sums = new Map<string, bigint>();
    for (const { assetID, output } of (answer?.utxos ?? []).map(parseUtxoText))
      if ('amount' in output) sums.set(idText(assetID), (sums.get(idText(assetID)) ?? 0n) + output.amount);
    if (sums.size === 0) continue;
    const account = (await readAccounts(client)).find((one) => one.address === address)?.index;
    const state = `at ${sourceChain}-Chain${account === undefined ? '' : `: serac import ${account}`}`;
    for (const [assetID, amount] of sums) holdings.push(holdingOf(assetID, amount, state, describe));
  }
  return Promise.all(holdings);
}

async function holdingOf(asset: string, amount: bigint, state: string, describe: DescribeAsset): Promise<Holding> {
  const { assetID = asset, name = '', symbol = asset, denomination = 0 } = (await describe(asset)) ?? {};
  return { assetID, name, symbol, denomination: Number(denomination), amount: `${amount}`, isNft: false, state };
}

/** Characters of an asset's name that a table shows: rows of 80 columns have room for them beside the largest amount. */
const shownName = 16;

const formatAmount = ({ amount, denomination, symbol, isNft }: Holding): string =>
  `${formatUnits(BigInt(amount), isNft ? 0 : denomination)} ${symbol}`;

/** An amount and its state: `1.5 AVAX locked`. */
export const formatHolding = (holding: Holding): string => `${formatAmount(holding)} ${holding.state}`;

/** One row for each asset and state. */
const formatHoldings = (holdings: readonly Holding[]): string[] =>
  holdings.length === 0
    ? ['nothing']
    : formatTable(
        ['Amount', 'Asset', 'State'],
        holdings.map((holding) => [formatAmount(holding), [...holding.name].slice(0, shownName).join(''), holding.state]),
        new Set([0]),
      );
