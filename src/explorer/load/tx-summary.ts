import type { AssetAmount, Tx, TxType, Utxo } from '../../api/contract/answers.ts';
import { isMint } from './tx-kind.ts';

/** One line about a transaction, for lists. Made from a transaction of the Data API or from an event of the stream. */
export type TxSummary = {
  readonly id: string;
  readonly type: TxType;
  readonly isMint: boolean;
  readonly height: number;
  readonly time: number;
  /** Address of the first consumed output. */
  readonly from: string | undefined;
  /** Address that receives most, other than `from`; `from` itself if there is none. */
  readonly to: string | undefined;
  /** The other chain of an import or export. */
  readonly otherChain: string | undefined;
  /** The created asset. */
  readonly created: { readonly name: string; readonly symbol: string; readonly denomination: number } | undefined;
  readonly amount: Amount | undefined;
};

export type Amount = Pick<AssetAmount, 'assetId' | 'symbol' | 'denomination' | 'amount'> & { readonly isNft: boolean };

export function summarizeTx(tx: Tx): TxSummary {
  const from = tx.consumedUtxos[0]?.addresses[0];
  const transfers = tx.emittedUtxos.filter(({ utxoType }) => utxoType === 'transfer');
  const foreign = transfers.filter(({ addresses }) => from === undefined || !addresses.includes(from));
  const exported =
    tx.txType === 'ExportTx' ? transfers.filter(({ consumedOnChainId, createdOnChainId }) => consumedOnChainId !== createdOnChainId) : [];
  const shown = largest(exported.length > 0 ? exported : foreign.length > 0 ? foreign : transfers);
  return {
    id: tx.txHash,
    type: tx.txType,
    isMint: isMint(tx),
    height: tx.blockHeight,
    time: tx.timestamp,
    from,
    to: shown?.addresses[0],
    otherChain: tx.txType === 'ImportTx' ? tx.sourceChain : tx.txType === 'ExportTx' ? tx.destinationChain : undefined,
    created: tx.assetCreated,
    amount: shown && sumFor(shown, transfers),
  };
}

/** The sum of the outputs that have the same asset and the same first owner as the given one. */
function sumFor({ asset, addresses }: Utxo, outputs: readonly Utxo[]): Amount {
  const same = outputs.filter(
    (one) => one.asset.assetId === asset.assetId && one.asset.type === asset.type && one.addresses[0] === addresses[0],
  );
  const amount = same.reduce((sum, one) => sum + BigInt(one.asset.amount), 0n).toString();
  const { assetId, symbol, denomination, type } = asset;
  return { assetId, symbol, denomination, amount, isNft: type === 'nft' };
}

/** Units of different assets cannot be compared; outputs of the first output's asset come first. */
function largest(outputs: readonly Utxo[]): Utxo | undefined {
  const asset = outputs[0]?.asset.assetId;
  return outputs
    .filter((one) => one.asset.assetId === asset)
    .reduce<Utxo | undefined>(
      (best, one) => (best === undefined || BigInt(one.asset.amount) > BigInt(best.asset.amount) ? one : best),
      undefined,
    );
}

/** What a transaction burns of each asset: consumed and not produced. The fee is burned this way. */
export function burnedAmounts({ amountUnlocked, amountCreated }: Tx): AssetAmount[] {
  const produced = new Map(amountCreated.map(({ assetId, type, amount }) => [`${assetId} ${type}`, BigInt(amount)]));
  return amountUnlocked.flatMap((one) => {
    const burned = BigInt(one.amount) - (produced.get(`${one.assetId} ${one.type}`) ?? 0n);
    return burned > 0n ? [{ ...one, amount: burned.toString() }] : [];
  });
}
