import type { TxCounts, TxSummary, TxType } from '../../api/contract/answers.ts';
import type { TxRow } from '../load/tx-row.ts';

/** Events of the stream, as far as the page reads them; docs/reference/events.md has all properties. */
type BlockEvent = {
  readonly kind: 'block';
  readonly chainID: string;
  readonly height: number;
  readonly blockID: string;
  readonly time: number;
  readonly sizeBytes: number;
  readonly txCountByType: TxCounts;
  readonly txIDs: readonly string[];
};
type TxEvent = {
  readonly kind: 'tx';
  readonly chainID: string;
  readonly height: number;
  readonly time: number;
  readonly txID: string;
  readonly txType: TxType;
  readonly sizeBytes: number;
  readonly tx: {
    readonly unsignedTx: {
      readonly inputs?: readonly { readonly txID: string }[] | null;
      readonly operations?: readonly { readonly inputIDs?: readonly { readonly txID: string }[] | null }[] | null;
    };
  };
  readonly summary: TxSummary;
};
type RevertedEvent = { readonly kind: 'reverted'; readonly chainID: string; readonly height: number; readonly snapshot?: string };
type MempoolEvent = {
  readonly kind: 'mempool';
  readonly chainID: string;
  readonly action: 'in' | 'out';
  readonly txID: string;
  readonly sizeBytes: number;
};
type TimeEvent = { readonly kind: 'time'; readonly time: number; readonly offset: number; readonly frozen: boolean };
type SettingsEvent = { readonly kind: 'settings'; readonly changed: string };
type OtherEvent = { readonly kind: 'calls' | 'health' | 'reset' | 'heartbeat' | 'closed' | 'lost' };
/** `id`: its position in the stream; undefined for live events. */
export type StreamEvent = (BlockEvent | TxEvent | RevertedEvent | MempoolEvent | TimeEvent | SettingsEvent | OtherEvent) & {
  readonly id?: string;
};

export type AssetLabel = { readonly symbol: string; readonly denomination: number };

/** A row for a list, with the labels that are known. */
export const rowOfEvent = ({ txID, txType, height, time, summary }: TxEvent, labelOf: LabelOf): TxRow =>
  withLabels({ id: txID, type: txType, height, time, summary }, labelOf);

type LabelOf = (assetID: string) => AssetLabel | undefined;

/** Adds labels to the amounts that have none. */
export const withLabels = (row: TxRow, labelOf: LabelOf): TxRow => ({
  ...row,
  summary: {
    ...row.summary,
    amounts: row.summary.amounts.map((amount) => (amount.symbol === undefined ? { ...amount, ...labelOf(amount.assetId) } : amount)),
  },
});

/** Whether an event names an address or an asset anywhere: in changes of balances, in the summary, or in outputs with NFTs and properties, which are no balances. */
export const isNamed = (name: string, event: StreamEvent): boolean => JSON.stringify(event).includes(name);
