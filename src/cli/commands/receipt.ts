import type { RpcClient } from '../../api/client/rpc-client.ts';
import type { devRows } from '../../api/contract/client-services.ts';
import type { Options } from '../../app/config/flag-table.ts';
import { formatUnits } from '../../base/bytes/units.ts';
import { type AssetDescription, createAssetDescriber, findAsset } from './asset-labels.ts';
import { type ClientCommand, type ClientContext, callDev, type DevResult, decodeDev, formatJson } from './client-command.ts';
import { resolveAddress } from './named-address.ts';
import { type Outcome, waitForOutcome } from './outcome.ts';
import { createSentenceWriter, findTxLine } from './tx-sentence.ts';
import { type AssetUnits, assetOfUnit, readTypedAmount, toSmallestUnit } from './typed-amount.ts';

type MovedAsset = AssetUnits & { readonly assetID?: string };

/** What a command moved or made. Parts that do not apply are left out. */
export type Moved = {
  /** What happened to the amount or asset, such as `sent`; the node's sentence about the transaction takes its place. */
  readonly done: string;
  /** What the sentence does not say, such as the group of an NFT. */
  readonly note?: string | undefined;
  /** In the smallest unit. */
  readonly amount?: bigint | undefined;
  readonly asset?: MovedAsset | undefined;
  /** Further assets that the same transaction moved. */
  readonly others?: readonly { readonly amount: bigint; readonly asset: MovedAsset }[];
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly fee: Fee;
  readonly txID?: string | undefined;
  readonly utxoID?: string | undefined;
};

/** The fees of a node by name, as `info.getTxFee` lists them; `none`: there is no transaction. */
type Fee = 'txFee' | 'createAssetTxFee' | 'none';

type IssuingMethod =
  | 'faucet'
  | 'send'
  | 'export'
  | 'atomicDeposit'
  | 'createAsset'
  | 'mint'
  | 'createNFT'
  | 'mintNFT'
  | 'sendNFT'
  | 'import';

type Issue<M extends keyof typeof devRows> = {
  readonly params: object;
  /** The receipts, when the node has answered: one for each transaction. */
  readonly describe: (result: DevResult<M>) => Moved | Promise<readonly Moved[]>;
};

/**
 * A command that moves or makes something by one `dev.*` method, waits until it is accepted, and prints a receipt. Exits with 1 if a transaction is
 * not accepted yet, unless `--no-wait` is given.
 */
export const issuingCommand =
  <M extends IssuingMethod>(
    method: M,
    prepare: (context: { readonly client: RpcClient; readonly args: readonly string[]; readonly options: Options }) => Promise<Issue<M>>,
  ): ClientCommand =>
  async (context) => {
    const { client, args, options, wait } = context;
    const { params, describe } = await prepare({ client, args, options });
    const call = callDev(client, method, { ...params, noWait: options['no-wait'] || undefined });
    const json = (await wait('waiting until the transaction is accepted', call)) as object;
    const described = await describe(decodeDev(method, json));
    const { txID, utxoID } = json as Pick<Moved, 'txID' | 'utxoID'>;
    return printReceipts(context, 'done' in described ? [{ ...described, txID, utxoID }] : described, json);
  };

/** Prints the receipts of transactions, with `--json` each beside the result of the method. Returns the exit code. */
export async function printReceipts(context: ClientContext, receipts: readonly Moved[], result: object): Promise<number | undefined> {
  const { options, print } = context;
  let isUnsettled = false;
  for (const [at, moved] of receipts.entries()) {
    const outcome = await waitForOutcome(context, moved.txID);
    const fields = await listFields(context.client, moved, outcome);
    if (options.json) print(formatJson({ ...result, ...jsonOf(fields) }));
    else for (const line of [...(at === 0 ? [] : ['']), ...linesOf(fields)]) print(line);
    isUnsettled ||= outcome.status !== 'Accepted' && moved.txID !== undefined;
  }
  return isUnsettled && !options['no-wait'] ? 1 : undefined;
}

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

/** The address that pays: that of the account, label or address `from`, or the addresses of several between commas. Undefined if there is none. */
export async function findSender(client: RpcClient, from = '0'): Promise<string | undefined> {
  const one = await resolveAddress(client, from);
  if (one !== undefined || !from.includes(',')) return one;
  const senders = await Promise.all(from.split(',').map((name) => resolveAddress(client, name.trim())));
  return senders.includes(undefined) ? undefined : senders.join(', ');
}

/** A field of a receipt: its name in text and JSON, and its value in both. One without a text is in JSON only, and the other way round. */
type Field = { readonly name: string; readonly text?: string | undefined; readonly json?: string | number | undefined };

/** The fields of every receipt, in the order in which they are printed: what, how much, from, to, fee, IDs, status and height. */
async function listFields(client: RpcClient, moved: Moved, { status, remedy }: Outcome): Promise<readonly Field[]> {
  const { note, amount, asset, others = [], from, to, txID, utxoID } = moved;
  const { sentence, height } = await readTx(client, txID);
  const fee = await readFee(client, moved.fee);
  const feeText = fee === 0n ? 'none' : fee === undefined ? undefined : formatAmount(fee, feeUnits);
  const amounts = amount === undefined || asset === undefined ? [] : [{ amount, asset }, ...others];
  const amountText = amounts.map((one) => formatAmount(one.amount, one.asset)).join(', ');
  const told = sentence ?? `${amountText || asset?.symbol || ''} ${moved.done}`.trim();
  const what = status === 'Processing' ? `waiting: ${told}` : told;
  return [
    { name: 'what', text: what, json: what },
    { name: 'amount', text: amountText || undefined, json: amount === undefined ? undefined : `${amount}` },
    { name: 'assetID', text: asset?.assetID, json: asset?.assetID },
    { name: 'symbol', json: asset?.symbol },
    { name: 'denomination', json: asset === undefined ? undefined : Number(asset.denomination) },
    { name: 'from', text: from, json: from },
    { name: 'to', text: to, json: to },
    { name: 'fee', text: feeText, json: fee === undefined ? undefined : `${fee}` },
    { name: 'txID', text: txID, json: txID },
    { name: 'utxoID', text: utxoID, json: utxoID },
    { name: 'status', text: status, json: status },
    { name: 'height', text: height, json: height },
    { name: 'note', text: [note, remedy].filter((part) => part !== undefined).join('; ') || undefined, json: note },
  ];
}

/** Where the values of a receipt begin. */
const valueColumn = 13;

/** What is first stands alone; the other fields have one line each, or one for each of several addresses, values below each other. */
const linesOf = ([what, ...fields]: readonly Field[]): string[] => [
  what?.text ?? '',
  ...fields.flatMap(({ name, text }) => {
    if (text === undefined) return [];
    const values = name === 'from' || name === 'to' ? text.split(/(?<=,) /) : [text];
    return values.map((value, i) => `${(i === 0 ? name : '').padEnd(valueColumn)}${value}`);
  }),
];

const jsonOf = (fields: readonly Field[]): object =>
  Object.fromEntries(fields.flatMap(({ name, json }) => (json === undefined ? [] : [[name, json]])));

/** The sentence about the transaction, accepted or waiting, and the height of its block; neither if the node does not serve the explorer's routes. */
async function readTx(
  client: RpcClient,
  txID: string | undefined,
): Promise<{ readonly sentence?: string; readonly height?: string | undefined }> {
  if (txID === undefined) return {};
  const line = await findTxLine(client, txID);
  if (line === undefined) return {};
  return { sentence: await createSentenceWriter(client, createAssetDescriber(client))(line.summary), height: line.height };
}

/** In nAVAX; undefined if the node does not tell. */
async function readFee(client: RpcClient, fee: Fee): Promise<bigint | undefined> {
  if (fee === 'none') return 0n;
  const fees = (await client.call('/ext/info', 'info.getTxFee').catch(() => undefined)) as { readonly [F in Fee]?: string } | undefined;
  return fees?.[fee] === undefined ? undefined : BigInt(fees[fee]);
}

const feeUnits = { symbol: 'AVAX', denomination: 9 };

const formatAmount = (amount: bigint, { symbol, denomination }: AssetUnits): string =>
  `${formatUnits(amount, Number(denomination))} ${symbol}`;
