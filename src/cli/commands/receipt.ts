import type { RpcClient } from '../../api/client/rpc-client.ts';
import type { devRows } from '../../api/contract/client-services.ts';
import type { Options } from '../../app/flags/options.ts';
import { formatUnits } from '../../base/bytes/units.ts';
import { addChainPrefix } from './address-spellings.ts';
import { type AssetDescription, findAsset } from './asset-labels.ts';
import { type ClientCommand, callDev, type DevResult, decodeDev, formatJson } from './client-command.ts';
import { type AssetUnits, assetOfUnit, readTypedAmount, toSmallestUnit } from './typed-amount.ts';

/** What a command did: a verb, and what was moved or made, by whom and to whom. Parts that do not apply are left out. */
type Receipt = {
  /** `sent`, `created`, … */
  readonly verb: string;
  /** What was moved or made, if it has no amount, such as `an NFT of CRD`. */
  readonly what?: string | undefined;
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

/** A command that moves or makes something by one `dev.*` method, and prints what it did and the IDs that it got. */
export const issuingCommand =
  <M extends IssuingMethod>(
    method: M,
    prepare: (context: { readonly client: RpcClient; readonly args: readonly string[]; readonly options: Options }) => Promise<Issue<M>>,
  ): ClientCommand =>
  async ({ client, args, options, print }) => {
    const { params, describe } = await prepare({ client, args, options });
    const json = (await callDev(client, method, params)) as object;
    const result = decodeDev(method, json);
    const receipt = describe(result);
    const fee = await readFee(client, receipt.fee);
    if (options.json) print(formatJson({ ...json, ...receiptJson(receipt, fee) }));
    else for (const line of [...formatReceipt(receipt, fee), ...formatIds(result as DevResult<IssuingMethod>)]) print(line);
    return undefined;
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

/** The address that pays: that of the account with the number `from`, or `from` itself. Undefined if there is no such account. */
export async function findSender(client: RpcClient, from = '0'): Promise<string | undefined> {
  if (!/^\d{1,4}$/.test(from)) return addChainPrefix(from);
  return decodeDev('accounts', await callDev(client, 'accounts')).accounts[Number(from)]?.address;
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

function formatReceipt({ verb, what, amount, asset, from, to }: Receipt, fee: bigint | undefined): string[] {
  const shown = what ?? (amount === undefined || asset === undefined ? '' : formatAmount(amount, asset));
  return formatFields({
    [verb]: shown,
    asset: asset?.assetID,
    from,
    to,
    fee: fee === undefined ? undefined : fee === 0n ? 'none' : formatAmount(fee, feeUnits),
  });
}

/** Labels of the IDs in results, in the order in which they are printed. */
const idLabels = { assetID: 'asset', txID: 'transaction', utxoID: 'output' } as const;

const formatIds = (result: { readonly [L in keyof typeof idLabels]?: string }): string[] =>
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
