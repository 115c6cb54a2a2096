import { SeracError } from '../../api/client/fault.ts';
import type { RpcClient } from '../../api/client/rpc-client.ts';
import type { AssetAmount, AssetDetails, Balances, Block, BlockList, BlockTxs, Tx, Utxo, UtxoList } from '../../api/contract/answers.ts';
import type { Address } from '../../base/bytes/address.ts';
import { parseId } from '../../base/bytes/id.ts';
import { formatUnits } from '../../base/bytes/units.ts';
import { Fault } from '../../base/fault.ts';
import { parseAddressSpellings, spellAddress } from './address-spellings.ts';
import { createAssetDescriber, findAsset } from './asset-labels.ts';
import { type ClientCommand, type ClientContext, callDev, type DevResult, decodeDev, formatJson, nodeMethods } from './client-command.ts';
import { createDataClient, orWithoutDataApi } from './data-client.ts';
import { badArgument } from './fault.ts';
import { requireAddress } from './named-address.ts';
import { showNodeAddress, showNodeBlock, showNodeTx } from './node-answers.ts';
import { formatBytes, formatTime } from './table.ts';
import { createSentenceWriter, readTxLine } from './tx-sentence.ts';

const formatAmount = ({ amount, denomination, symbol }: AssetAmount): string => `${formatUnits(BigInt(amount), denomination)} ${symbol}`;

const formatOwners = ({ addresses, threshold }: Pick<Utxo, 'addresses' | 'threshold'>): string =>
  addresses.length === 1 && threshold === 1 ? `${addresses[0]}` : `${threshold} of ${addresses.join(', ')}`;

function formatUtxoLine(utxo: Utxo): string {
  const lock = utxo.locktime > 0 ? `, locked until ${formatTime(utxo.locktime)}` : '';
  return `  ${formatAmount(utxo.asset)}  ${formatOwners(utxo)}${lock}`;
}

/** Throws for an argument that is not the ID of anything, so that the program exits with 2. */
function requireId(text: string, what: string): void {
  try {
    parseId(text);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw badArgument(
      text,
      `${JSON.stringify(text)} is not ${what}${/^[1-9A-HJ-NP-Za-km-z]{40,60}$/.test(text) ? ': a character is wrong or missing' : ''}`,
    );
  }
}

const readHeight = async (client: RpcClient): Promise<number> => (await nodeMethods(client).avm.getHeight()).height;

const notFound = (what: string, url: string): SeracError => new SeracError(`${url} has no ${what}`, { code: 'NOT_FOUND', what });

function formatTx(tx: Tx, sentence: string | undefined): string[] {
  return [
    ...(sentence === undefined ? [] : [sentence]),
    `${tx.txType} ${tx.txHash}`,
    `accepted in block ${tx.blockHeight}, ${formatTime(tx.timestamp)}`,
    ...(tx.memo === undefined || tx.memo === '0x' || tx.memo === '' ? [] : [`memo ${formatBytes(tx.memo)}`]),
    ...(tx.consumedUtxos.length > 0 ? ['inputs', ...tx.consumedUtxos.map(formatUtxoLine)] : []),
    'outputs',
    ...tx.emittedUtxos.map(
      (utxo) => `${formatUtxoLine(utxo)}${utxo.consumingTxHash === undefined ? '' : `  spent by ${utxo.consumingTxHash}`}`,
    ),
  ];
}

type Check = { readonly rule: string; readonly ok: boolean; readonly message?: string };

/** `serac tx 0x…`: decodes the bytes of a transaction and lists the checks of a node. */
async function explainTx({ client, args: [tx = ''], options, print }: ClientContext): Promise<number | undefined> {
  const decoded = await callDev(client, 'decode', { bytes: tx });
  const { accepted, checks } = (await callDev(client, 'explainTx', { tx })) as { accepted: boolean; checks: readonly Check[] };
  if (options.json) print(formatJson({ decoded, accepted, checks }));
  else {
    const text = JSON.stringify(decoded, (_, value) => (typeof value === 'bigint' ? value.toString() : value), 2);
    for (const line of text.split('\n')) print(line);
    for (const { rule, ok, message } of checks) print(`${ok ? 'ok    ' : 'failed'}  ${rule}${message === undefined ? '' : `: ${message}`}`);
    print(accepted ? 'the node would accept it' : 'the node would refuse it');
  }
  return accepted ? undefined : 1;
}

type Lifecycle = { readonly status?: string; readonly steps?: readonly { readonly step: string; readonly reason?: string }[] };

const showTx: ClientCommand = async (context) => {
  const { client, args, options, print } = context;
  const [id = ''] = args;
  if (/^0x/i.test(id)) return explainTx(context);
  requireId(id, 'the ID of a transaction, nor its bytes as 0x…');
  const get = await createDataClient(client);
  const tx = (await orWithoutDataApi(get(`/transactions/${encodeURIComponent(id)}`), () => undefined)) as Tx | undefined;
  if (tx === undefined) {
    const { status, reason } = await nodeMethods(client).avm.getTxStatus({ txID: id });
    if (status === 'Accepted') {
      await showNodeTx(client, id, options.json, print);
      return undefined;
    }
    if (status === 'Unknown' && reason === undefined) throw notFound(`transaction ${id}`, client.url);
    const life = (await callDev(client, 'getTxLifecycle', { txID: id }).catch(() => undefined)) as Lifecycle | undefined;
    print(options.json ? JSON.stringify({ txID: id, status, lifecycle: life }) : `${id}: ${status}`);
    if (!options.json) for (const one of life?.steps ?? []) print(`  ${one.step}${one.reason === undefined ? '' : `: ${one.reason}`}`);
    return undefined;
  }
  if (options.json) print(JSON.stringify(tx));
  else {
    // Not every node serves the explorer's routes.
    const line = await readTxLine(get, id).catch(() => undefined);
    const sentence = line && (await createSentenceWriter(client, createAssetDescriber(client))(line.summary));
    for (const line of formatTx(tx, sentence)) print(line);
  }
  return undefined;
};

const showBlock: ClientCommand = async (context) => {
  const {
    client,
    args: [name = ''],
    options,
    print,
  } = context;
  if (name !== 'latest' && !/^\d{1,20}$/.test(name)) requireId(name, 'the height or ID of a block');
  const get = await createDataClient(client);
  const path = name === 'latest' ? '/blocks?pageSize=1' : `/blocks/${encodeURIComponent(name)}`;
  const found = await orWithoutDataApi(get(path), () => 'no Data API' as const);
  if (found === 'no Data API') return showNodeBlock(context);
  const block = (name === 'latest' ? (found as BlockList).blocks[0] : found) as Block | undefined;
  if (block === undefined) throw notFound(`block ${name}; the last one is ${await readHeight(client)}`, client.url);
  if (options.json) print(JSON.stringify(block));
  else {
    print(`block ${block.blockNumber} ${block.blockHash}`);
    print(`parent ${block.parentHash}`);
    print(`${formatTime(block.blockTimestamp)}, ${block.blockSizeBytes} bytes, transactions: ${block.txCount}`);
    const txs = (await get(`/blocks/${block.blockHash}/transactions?pageSize=1000`).catch(() => undefined)) as BlockTxs | undefined;
    const sentences = new Map(txs?.transactions.map(({ txHash, summary }) => [txHash, summary]));
    const write = createSentenceWriter(client, createAssetDescriber(client));
    for (const tx of block.transactions) {
      print(`  ${tx}`);
      const summary = sentences.get(tx);
      if (summary !== undefined) print(`    ${await write(summary)}`);
    }
  }
  return undefined;
};

const showAddress: ClientCommand = async (context) => {
  const {
    client,
    args: [text = ''],
    options,
    print,
  } = context;
  const address = parseAddressSpellings(await requireAddress(client, text)) as Address;
  const { networkID } = await nodeMethods(client).info.getNetworkID();
  const spellings = spellAddress(address, networkID);
  const get = await createDataClient(client);
  const found = await orWithoutDataApi(get(`/balances?addresses=${spellings.own}`), () => 'no Data API' as const);
  if (found === 'no Data API') return showNodeAddress(context, spellings.own, spellings.all);
  const { balances } = found as { readonly balances: Balances };
  const { utxos } = (await get(`/utxos?addresses=${spellings.own}&pageSize=${shownUtxos}`)) as UtxoList;
  const { unlocked, locked } = balances;
  if (options.json) {
    print(JSON.stringify({ spellings: spellings.all, balances, utxos }));
    return undefined;
  }
  for (const [label, spelled] of Object.entries(spellings.all)) print(`${label.padEnd(8)} ${spelled}`);
  print('');
  const amounts = [...unlocked.map(formatAmount), ...locked.map((asset) => `${formatAmount(asset)} locked`)];
  print(`balance  ${amounts.join(', ') || 'nothing'}`);
  const now = await readChainTime(client);
  for (const { utxoId, asset, locktime } of utxos) {
    print(`output   ${utxoId}  ${formatAmount(asset)}`);
    if (BigInt(locktime) > now) print(`         locked until ${formatTime(locktime)}`);
  }
  if (utxos.length === shownUtxos) print(`         the newest ${shownUtxos} are shown; avm.getUTXOs lists all`);
  return undefined;
};

/** Outputs that `serac address` lists, and holders that `serac asset show` lists. */
const [shownUtxos, shownHolders] = [10, 10];

/** The time of the chain in Unix seconds, which time travel may have moved; of this machine if the node does not tell. */
const readChainTime = async (client: RpcClient): Promise<bigint> =>
  callDev(client, 'getTime').then(
    (clock) => BigInt(decodeDev('getTime', clock).time),
    // biome-ignore lint/style/noRestrictedGlobals: a command has no chain and no clock of its own
    () => BigInt(Math.floor(Date.now() / 1000)),
  );

function formatShownUtxo(utxo: DevResult<'getUTXO'>): string[] {
  const { symbol, denomination, amount, groupID, payload, locktime, spentBy } = utxo;
  const content = amount === undefined ? `of ${symbol}` : `with ${formatUnits(amount, denomination)} ${symbol}`;
  return [
    `output ${utxo.utxoID}`,
    `  number ${utxo.outputIndex} of transaction ${utxo.txID}`,
    `  ${utxo.type} ${content}${groupID === undefined ? '' : `, group ${groupID}`}`,
    ...(payload === undefined ? [] : [`  payload ${formatBytes(payload)}`]),
    `  owner ${formatOwners(utxo)}`,
    ...(locktime === 0n ? [] : [`  locked until ${formatTime(locktime)}`]),
    spentBy === undefined ? '  unspent' : `  spent by transaction ${spentBy}`,
  ];
}

const showUtxo: ClientCommand = async ({ client, args: [utxoID = ''], options, print }) => {
  requireId(utxoID.replace(/:\d{1,10}$/, ''), 'the ID of an output, nor TX:INDEX');
  const json = await callDev(client, 'getUTXO', { utxoID });
  for (const line of options.json ? [formatJson(json)] : formatShownUtxo(decodeDev('getUTXO', json))) print(line);
  return undefined;
};

type Holders = { readonly holders: number; readonly holderList: readonly { address: string; amount: string; nfts: number }[] };

const showAsset: ClientCommand = async ({ client, args: [name = ''], options, print }) => {
  const asset = await findAsset(client, name);
  const get = await createDataClient(client);
  const found = await orWithoutDataApi(get(`/assets/${asset.assetID}`), () => 'no Data API' as const);
  const details = found === 'no Data API' ? undefined : (found as AssetDetails | undefined);
  // Not every node serves the explorer's routes.
  const held = (await get(`/assets/${asset.assetID}/holders?pageSize=${shownHolders}`).catch(() => undefined)) as Holders | undefined;
  if (options.json) {
    print(JSON.stringify({ ...asset, ...details, ...(held !== undefined && { holders: held.holders, holderList: held.holderList }) }));
    return undefined;
  }
  const format = (amount: string): string => `${formatUnits(BigInt(amount), Number(asset.denomination))} ${asset.symbol}`;
  print(`${asset.name} (${asset.symbol})`);
  print(`asset ${asset.assetID}`);
  print(`denomination ${asset.denomination}${details === undefined ? '' : `, ${details.type}, supply ${details.cap}`}`);
  if (found === 'no Data API') print(`${client.url} has no Data API, which tells supply and owners`);
  for (const minter of details?.minters ?? []) print(`minter ${minter}`);
  for (const { address, amount, nfts } of held?.holderList ?? [])
    print(`owner  ${address}  ${details?.type === 'nft' ? `${nfts} NFTs` : format(amount)}`);
  if (held !== undefined && held.holders > held.holderList.length) print(`       and ${held.holders - held.holderList.length} more owners`);
  return undefined;
};

/** Commands that show something of the chain. */
export const showCommands = { tx: showTx, block: showBlock, address: showAddress, utxo: showUtxo, 'asset show': showAsset };
