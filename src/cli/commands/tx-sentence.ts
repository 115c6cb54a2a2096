import type { RpcClient } from '../../api/client/rpc-client.ts';
import type { Lifecycle, TxLineList, TxSummary } from '../../api/contract/answers.ts';
import { type SentenceNames, sentenceText } from '../../api/summary/sentence.ts';
import { splitAddress } from '../../explorer/text/text-format.ts';
import type { DescribeAsset } from './asset-labels.ts';
import { createDataClient } from './data-client.ts';
import { readAccounts, readLabels } from './named-address.ts';

/**
 * Writes the sentence about a transaction, with the names of the node's accounts: `account 1 sent 1.5 AVAX to X-local1qursw…lzh465`. `labels`: names by
 * address that an event has; without them, the node is asked.
 */
export type WriteSentence = (summary: TxSummary, labels?: { readonly [address: string]: string }) => Promise<string>;

export function createSentenceWriter(client: RpcClient, describe: DescribeAsset): WriteSentence {
  let names: Promise<SentenceNames> | undefined;
  let ownLabels: Promise<Labelled> | undefined;
  return async (summary, labels) => {
    names ??= readNames(client);
    if (labels === undefined) ownLabels ??= readLabels(client).then((all) => indexLabels(all.map(({ address, name }) => [address, name])));
    const labelled = labels === undefined ? await ownLabels : indexLabels(Object.entries(labels));
    const { address: nameOf, chain } = await names;
    const amounts = await Promise.all(
      summary.amounts.map(async (amount) => {
        const label = amount.symbol === undefined ? await describe(amount.assetId) : undefined;
        return label === undefined ? amount : { ...amount, symbol: label.symbol, denomination: Number(label.denomination) };
      }),
    );
    return sentenceText({ ...summary, amounts }, { address: (address) => labelled?.get(bareAddress(address)) ?? nameOf(address), chain });
  };
}

/** Like `readTxLine`; undefined also if the node does not serve the explorer's routes. */
export const findTxLine = (client: RpcClient, txID: string): ReturnType<typeof readTxLine> =>
  createDataClient(client)
    .then((get) => readTxLine(get, txID))
    .catch(() => undefined);

/** A transaction in short, accepted or waiting for a block; undefined if the node has neither. `get` reads the Data API. `height`: of its block. */
export async function readTxLine(
  get: (path: string) => Promise<unknown>,
  txID: string,
): Promise<{ readonly summary: TxSummary; readonly height?: string } | undefined> {
  const readAccepted = async () => {
    const line = ((await get(`/transaction-summaries?txHashes=${txID}`)) as TxLineList | undefined)?.transactions[0];
    return line && { summary: line.summary, height: line.blockNumber };
  };
  const readWaiting = async () => {
    const waiting = ((await get(`/transactions/${txID}/lifecycle`)) as Lifecycle | undefined)?.transaction;
    return waiting && { summary: waiting.summary };
  };
  // It may be accepted between the two requests.
  return (await readAccepted()) ?? (await readWaiting()) ?? readAccepted();
}

/** Labels by address without the prefix of a chain. */
type Labelled = ReadonlyMap<string, string>;
const indexLabels = (labels: readonly (readonly [address: string, name: string])[]): Labelled =>
  new Map(labels.map(([address, name]) => [bareAddress(address), name]));

async function readNames(client: RpcClient): Promise<SentenceNames> {
  const accounts = await readAccounts(client);
  const byAddress = new Map(accounts.map(({ address, index }) => [bareAddress(address), `account ${index}`]));
  const ids = ['P', 'C'].map(async (alias) => [await readChainID(client, alias), `${alias}-Chain`] as const);
  const titles = new Map(await Promise.all(ids));
  return { address: (address) => byAddress.get(bareAddress(address)) ?? shortAddress(address), chain: (id) => titles.get(id) ?? id };
}

/** Two addresses fit on one line. */
const shortAddress = (address: string): string => {
  const { prefix, short } = splitAddress(address, 'X');
  return prefix + short;
};

/** Without the prefix of a chain: the Data API leaves it out. */
const bareAddress = (address: string): string => address.slice(address.indexOf('-') + 1);

const readChainID = (client: RpcClient, alias: string): Promise<string> =>
  client.call('/ext/info', 'info.getBlockchainID', { alias }).then(
    (result) => (result as { readonly blockchainID: string }).blockchainID,
    () => alias,
  );
