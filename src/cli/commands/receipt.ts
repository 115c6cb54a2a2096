import type { RpcClient } from '../../api/client/rpc-client.ts';
import type { devRows } from '../../api/contract/client-services.ts';
import type { Options } from '../../app/config/flag-table.ts';
import { formatUnits } from '../../base/bytes/units.ts';
import { type AssetDescription, createAssetDescriber, findAsset } from './asset-labels.ts';
import { type ClientCommand, callDev, type DevResult, decodeDev, formatJson, nodeMethods } from './client-command.ts';
import { createDataClient } from './data-client.ts';
import { resolveAddress } from './named-address.ts';
import { createSentenceWriter, readSummary } from './tx-sentence.ts';
import { type AssetUnits, assetOfUnit, readTypedAmount, toSmallestUnit } from './typed-amount.ts';

/** What a command did, beside the sentence about its transaction. Parts that do not apply are left out. */
type Receipt = {
  /** What the sentence does not say, such as the group of an NFT. */
  readonly note?: string | undefined;
  /** In the smallest unit. */
  readonly amount?: bigint | undefined;
  readonly asset?: (AssetUnits & { readonly assetID?: string }) | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly fee?: Fee | undefined;
};

/** The fees of a node by name, as `info.getTxFee` lists them; `none`: there is no transaction. */
type Fee = 'txFee' | 'createAssetTxFee' | 'none';

type IssuingMethod = 'faucet' | 'send' | 'export' | 'atomicDeposit' | 'createAsset' | 'mint' | 'createNFT' | 'mintNFT' | 'sendNFT';

type Issue<M extends keyof typeof devRows> = {
  readonly params: object;
  /** The receipt, when the node has answered. */
  readonly describe: (result: DevResult<M>) => Receipt;
};

/**
 * A command that moves or makes something by one `dev.*` method, and prints what it did and the IDs that it got. Exits with 1 if the
 * transaction is not accepted yet, unless `--no-wait` is given.
 */
export const issuingCommand =
  <M extends IssuingMethod>(
    method: M,
    prepare: (context: { readonly client: RpcClient; readonly args: readonly string[]; readonly options: Options }) => Promise<Issue<M>>,
  ): ClientCommand =>
  async ({ client, args, options, print }) => {
    const { params, describe } = await prepare({ client, args, options });
    const noWait = options['no-wait'];
    const json = (await callDev(client, method, { ...params, noWait: noWait || undefined })) as object;
    const result = decodeDev(method, json);
    const ids: ResultIds = result as DevResult<IssuingMethod>;
    const status = await readStatus(client, ids.txID);
    const isPending = status !== undefined && status !== 'Accepted';
    const exitCode = isPending && !noWait ? 1 : undefined;
    const receipt = describe(result);
    const fee = await readFee(client, receipt.fee);
    if (options.json) {
      print(formatJson({ ...json, ...receiptJson(receipt, fee), ...(status !== undefined && { status }) }));
      return exitCode;
    }
    const sentence = await readSentence(client, ids.txID ?? ids.assetID);
    for (const line of [...formatReceipt(receipt, sentence, fee), ...formatIds(ids)]) print(line);
    if (isPending) print(pendingLine);
    return exitCode;
  };

/** The amount of an argument, in the smallest unit, and its asset: that of `--asset`, else the one that the amount names, else AVAX. */
export async function readAssetAmount(
  client: RpcClient,
  text: string,
  assetName: string | undefined,
): Promise<{ readonly amount: bigint; readonly asset: AssetDescription }> {
  const typed = readTypedAmount(text);
  const asset = await findAsset(client, assetName ?? (typed.unit === undefined ? '' : assetOfUnit(typed.unit)));
  return { amount: toSmallestUnit(typed, asset), asset };
}

/** The address that pays: that of the account, label or address `from`. Undefined if there is none. */
export const findSender = (client: RpcClient, from = '0'): Promise<string | undefined> => resolveAddress(client, from);

/** The sentence about the transaction, accepted or waiting; undefined if there is none or the node does not serve the routes of the explorer. */
async function readSentence(client: RpcClient, txID: string | undefined): Promise<string | undefined> {
  if (txID === undefined) return undefined;
  const summary = await readSummary(await createDataClient(client), txID).catch(() => undefined);
  return summary && createSentenceWriter(client, createAssetDescriber(client))(summary);
}

/** The status of the transaction; undefined if there is none, as for a deposit from another chain. */
async function readStatus(client: RpcClient, txID: string | undefined): Promise<string | undefined> {
  if (txID === undefined) return undefined;
  return (await nodeMethods(client).avm.getTxStatus({ txID })).status;
}

/** In nAVAX; undefined if the node does not tell. */
async function readFee(client: RpcClient, fee: Fee | undefined): Promise<bigint | undefined> {
  if (fee === undefined || fee === 'none') return fee === 'none' ? 0n : undefined;
  const fees = (await client.call('/ext/info', 'info.getTxFee').catch(() => undefined)) as { readonly [F in Fee]?: string } | undefined;
  return fees?.[fee] === undefined ? undefined : BigInt(fees[fee]);
}

const feeUnits = { symbol: 'AVAX', denomination: 9 };

const formatAmount = (amount: bigint, { symbol, denomination }: AssetUnits): string =>
  `${formatUnits(amount, Number(denomination))} ${symbol}`;

/** The sentence, or the amount if there is none; then what it leaves out: whole addresses, the fee. */
function formatReceipt({ note, amount, asset, from, to }: Receipt, sentence: string | undefined, fee: bigint | undefined): string[] {
  const moved = amount === undefined || asset === undefined ? undefined : formatAmount(amount, asset);
  const fields = formatFields({
    amount: sentence === undefined ? moved : undefined,
    note,
    asset: asset?.assetID,
    from,
    to,
    fee: fee === undefined ? undefined : fee === 0n ? 'none' : formatAmount(fee, feeUnits),
  });
  return sentence === undefined ? fields : [sentence, ...fields];
}

/** What is printed of a transaction that is in no block yet. */
const pendingLine = 'pending      it is issued and in no block yet; serac tx ID shows whether it is';

/** Labels of the IDs in results, in the order in which they are printed. */
const idLabels = { assetID: 'asset', txID: 'transaction', utxoID: 'output' } as const;

type ResultIds = { readonly [L in keyof typeof idLabels]?: string };

const formatIds = (result: ResultIds): string[] =>
  formatFields(
    Object.fromEntries(
      Object.entries(idLabels)
        // The ID of an asset is that of the transaction that created it.
        .filter(([name]) => name !== 'txID' || result.txID !== result.assetID)
        .map(([name, label]) => [label, result[name as keyof typeof idLabels]]),
    ),
  );

/** One line per field, values below each other. */
const formatFields = (fields: { readonly [label: string]: string | undefined }): string[] =>
  Object.entries(fields).flatMap(([label, value]) => (value === undefined ? [] : [`${label.padEnd(12)} ${value}`]));

function receiptJson({ amount, asset, from, to }: Receipt, fee: bigint | undefined): object {
  return {
    ...(amount !== undefined && { amount: `${amount}` }),
    ...(asset !== undefined && {
      ...(asset.assetID !== undefined && { assetID: asset.assetID }),
      symbol: asset.symbol,
      denomination: Number(asset.denomination),
    }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(fee !== undefined && { fee: `${fee}` }),
  };
}
