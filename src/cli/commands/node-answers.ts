import { decode } from '../../api/client/convert.ts';
import type { RpcClient } from '../../api/client/rpc-client.ts';
import { id, integer, list, record } from '../../api/contract/schema.ts';
import { parseUtxoText } from '../../avm/wallet/texts.ts';
import { idText } from '../../base/bytes/id.ts';
import { createAmountFormatter, createAssetDescriber } from './asset-labels.ts';
import { type ClientContext, formatJson, nodeMethods } from './client-command.ts';
import { formatTime } from './table.ts';

/** What commands show of a node without a Data API, such as AvalancheGo: that which its Node RPC tells. */

/** What is shown of a block; a node sends more. */
const ShownBlock = record({ id: id(), parentID: id(), height: integer(), time: integer(), txs: list(record({ id: id() })) });
type ShownBlock = {
  readonly id: string;
  readonly parentID: string;
  readonly height: number;
  readonly time: number;
  readonly txs: readonly { readonly id: string }[];
};

/** Shows the block with a height or ID, or the latest one. */
export async function showNodeBlock({ client, args: [name = ''], options, print }: ClientContext): Promise<undefined> {
  const { avm } = nodeMethods(client);
  const height = name === 'latest' ? String((await avm.getHeight()).height) : name;
  const { block } = /^\d{1,20}$/.test(height)
    ? await avm.getBlockByHeight({ height: BigInt(height), encoding: 'json' })
    : await avm.getBlock({ blockID: name, encoding: 'json' });
  if (options.json) {
    print(formatJson(block));
    return undefined;
  }
  const shown = decode(ShownBlock, block, 'block') as ShownBlock;
  print(`block ${shown.height} ${shown.id}`);
  print(`parent ${shown.parentID}`);
  print(`${formatTime(shown.time)}, transactions: ${shown.txs.length}`);
  for (const tx of shown.txs) print(`  ${tx.id}`);
  return undefined;
}

/** Shows an accepted transaction as the JSON of the node. */
export async function showNodeTx(client: RpcClient, txID: string, isJson: boolean, print: (line: string) => void): Promise<void> {
  const { tx } = await nodeMethods(client).avm.getTx({ txID, encoding: 'json' });
  if (isJson) return print(formatJson({ txID, status: 'Accepted', tx }));
  print(`${txID}: Accepted`);
  const text = JSON.stringify(tx, (_, value) => (typeof value === 'bigint' ? value.toString() : value), 2);
  for (const line of text.split('\n')) print(line);
}

/** Shows balances that an address can spend, and the first of its outputs. `spellings` are printed before. */
export async function showNodeAddress(
  { client, options, print }: ClientContext,
  address: string,
  spellings: { readonly [label: string]: string },
): Promise<undefined> {
  const { avm } = nodeMethods(client);
  const { balances } = await avm.getAllBalances({ address });
  const { utxos } = await avm.getUTXOs({ addresses: [address], limit: shownUtxos });
  if (options.json) {
    print(
      formatJson({ spellings, nodeRpc: { balances: balances.map(({ asset, balance }) => ({ asset, balance: `${balance}` })), utxos } }),
    );
    return undefined;
  }
  const formatAmount = createAmountFormatter(createAssetDescriber(client));
  const amounts: string[] = [];
  for (const { asset, balance } of balances) amounts.push(await formatAmount(balance, asset));
  for (const [label, spelled] of Object.entries(spellings)) print(`${label.padEnd(8)} ${spelled}`);
  print('');
  print(`balance  ${amounts.join(', ') || 'nothing'}`);
  for (const { id, assetID, output } of utxos.map(parseUtxoText)) {
    const amount = 'amount' in output ? await formatAmount(output.amount, idText(assetID)) : output.kind;
    print(`output   ${idText(id)}  ${amount}`);
  }
  if (utxos.length === shownUtxos) print(`         the first ${shownUtxos} are shown; avm.getUTXOs lists all`);
  return undefined;
}

const shownUtxos = 10;
