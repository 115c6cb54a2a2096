import type { TxSummary } from '../../api/contract/answers.ts';
import { parseTxText } from '../../avm/wallet/texts.ts';
import { type ClientCommand, nodeMethods } from './client-command.ts';
import { badArgument } from './fault.ts';
import { type Moved, printReceipts } from './receipt.ts';
import { findTxLine } from './tx-sentence.ts';

/** `serac issue`: issues a signed transaction, waits until it is accepted, and prints its receipt. */
export const issue: ClientCommand = async (context) => {
  const {
    client,
    args: [tx = ''],
  } = context;
  if (!/^0x[0-9a-f]+$/i.test(tx))
    throw badArgument(tx, 'the bytes of a transaction are written as 0x and hex digits with a checksum, as formatTx of serac/codec does');
  const { txID } = await nodeMethods(client).avm.issueTx({ tx, encoding: 'hex' });
  const line = await findTxLine(client, txID);
  const fee = parseTxText(tx).unsigned.kind === 'CreateAssetTx' ? 'createAssetTxFee' : 'txFee';
  return printReceipts(context, [{ ...(line && describeSummary(line.summary)), done: 'transaction issued', fee, txID }], {});
};

/** What a transaction moved, by its summary. A node without the explorer's routes tells nothing of it. */
function describeSummary({ from, to, amounts }: TxSummary): Partial<Moved> {
  const [first, ...others] = amounts.map(({ amount, assetId, symbol = assetId, denomination = 0 }) => ({
    amount: BigInt(amount),
    asset: { assetID: assetId, symbol, denomination },
  }));
  const join = (parties: TxSummary['from']): string | undefined =>
    parties.flatMap(({ addresses }) => addresses.map((address) => `X-${address.replace(/^X-/, '')}`)).join(', ') || undefined;
  return { amount: first?.amount, asset: first?.asset, others, from: join(from), to: join(to) };
}
