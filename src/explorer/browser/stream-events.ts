import type { TxType } from '../../api/contract/answers.ts';
import type { TxSummary } from '../load/tx-summary.ts';

/** Events of the stream, as far as the page reads them; docs/events.md has all properties. */
type BlockEvent = {
  readonly kind: 'block';
  readonly chainID: string;
  readonly height: number;
  readonly blockID: string;
  readonly time: number;
  readonly txIDs: readonly string[];
};
type TxEvent = {
  readonly kind: 'tx';
  readonly chainID: string;
  readonly height: number;
  readonly time: number;
  readonly txID: string;
  readonly txType: TxType;
  readonly tx: { readonly unsignedTx: UnsignedTx };
  readonly balanceChanges: readonly {
    readonly address: string;
    readonly assetID: string;
    readonly change: string;
    readonly sharedChange: string;
  }[];
};
type UnsignedTx = {
  readonly inputs?: readonly { readonly txID: string }[] | null;
  readonly importedInputs?: readonly { readonly txID: string }[] | null;
  readonly sourceChain?: string;
  readonly destinationChain?: string;
  readonly name?: string;
  readonly symbol?: string;
  readonly denomination?: number;
  readonly operations?: readonly { readonly operation?: { readonly mintOutput?: unknown; readonly mintInput?: unknown } }[] | null;
};
type RevertedEvent = { readonly kind: 'reverted'; readonly chainID: string; readonly height: number; readonly snapshot?: string };
type MempoolEvent = { readonly kind: 'mempool'; readonly chainID: string; readonly action: 'in' | 'out'; readonly txID: string };
type TimeEvent = { readonly kind: 'time'; readonly time: number; readonly offset: number; readonly frozen: boolean };
type OtherEvent = { readonly kind: 'health' | 'reset' | 'heartbeat' | 'closed' | 'lost' };
export type StreamEvent = BlockEvent | TxEvent | RevertedEvent | MempoolEvent | TimeEvent | OtherEvent;

export type AssetLabel = { readonly symbol: string; readonly denomination: number };

/** A row for a list, from the changes of balances that an event has. */
export function summarizeEvent(event: TxEvent, labelOf: (assetID: string) => AssetLabel | undefined): TxSummary {
  const { unsignedTx } = event.tx;
  const total = ({ change, sharedChange }: TxEvent['balanceChanges'][number]): bigint => BigInt(change) + BigInt(sharedChange);
  const losses = event.balanceChanges.filter((one) => total(one) < 0n);
  const gains = event.balanceChanges.filter((one) => total(one) > 0n);
  const from = losses[0];
  const foreign = gains.filter(({ address }) => address !== from?.address);
  const to = (foreign.length > 0 ? foreign : gains).toSorted((a, b) => (total(a) < total(b) ? 1 : -1))[0];
  const shown = to ?? from;
  const label = shown && labelOf(shown.assetID);
  const amount = shown && (total(shown) < 0n ? -total(shown) : total(shown));
  return {
    id: event.txID,
    type: event.txType,
    isMint:
      event.txType === 'OperationTx' &&
      (unsignedTx.operations ?? []).some(({ operation }) => operation?.mintOutput !== undefined || operation?.mintInput !== undefined),
    height: event.height,
    time: event.time,
    from: from?.address,
    to: to?.address,
    otherChain:
      event.txType === 'ImportTx' ? unsignedTx.sourceChain : event.txType === 'ExportTx' ? unsignedTx.destinationChain : undefined,
    created:
      event.txType === 'CreateAssetTx'
        ? { name: unsignedTx.name ?? '', symbol: unsignedTx.symbol ?? '', denomination: unsignedTx.denomination ?? 0 }
        : undefined,
    amount:
      shown === undefined || amount === undefined
        ? undefined
        : {
            assetId: shown.assetID,
            symbol: label?.symbol ?? '',
            denomination: label?.denomination ?? 0,
            amount: amount.toString(),
            isNft: false,
          },
  };
}
