import type { GraphData } from '../load/graph-data.ts';
import type { AddressData } from '../load/load-address.ts';
import type { AssetData } from '../load/load-asset.ts';
import type { BlockData } from '../load/load-block.ts';
import type { HoldersData } from '../load/load-holders.ts';
import type { OutputData } from '../load/load-output.ts';
import type { OutputsData } from '../load/load-outputs.ts';
import type { TxData } from '../load/load-tx.ts';
import type { WatchData } from '../load/load-watch.ts';
import type { PagePayload } from '../views/page-payload.ts';
import { isNamed, type StreamEvent } from './stream-events.ts';

/** Whether an event changes what a page shows, so that its data must be loaded again. The home page folds events itself. */
export function isAffected({ view, data, context }: PagePayload, event: StreamEvent): boolean {
  if ('chainID' in event && event.chainID !== context.chain.id) return false;
  if (event.kind === 'reverted' || event.kind === 'reset') return true;
  // The strip on top of every page of a developer's chain shows them.
  if (event.kind === 'time' || event.kind === 'settings') return context.has.dev;
  if (view === 'dev') return event.kind === 'block' || event.kind === 'mempool';
  if (view === 'webhooks') return event.kind === 'block';
  if (view === 'calls') return event.kind === 'calls';
  if (view === 'node') return event.kind === 'health' || event.kind === 'block';
  if (view === 'blocks' || view === 'assets' || view === 'cross-chain') return event.kind === 'block';
  if (view === 'throughput') return false;
  if (view === 'mempool') return event.kind === 'block' || event.kind === 'mempool';
  if (view === 'block') return event.kind === 'block' && !(data as BlockData).hasNext;
  if (view === 'tx') return isTxAffected(data as TxData, event);
  if (event.kind !== 'tx') return false;
  if (view === 'output') return isSpending(event, new Set([(data as OutputData).utxo.creationTxHash]));
  if (view === 'graph') return isSpending(event, new Set((data as GraphData).txs.map(({ id }) => id)));
  if (view === 'address' || view === 'outputs') return isNamed((data as AddressData | OutputsData).address, event);
  if (view === 'watch') return (data as WatchData).rows.some(({ address }) => isNamed(address, event));
  return (view === 'asset' || view === 'holders') && isNamed((data as AssetData | HoldersData).asset.assetId, event);
}

/** A waiting transaction changes when it is accepted or dropped, an accepted one when its outputs are spent. */
function isTxAffected(data: TxData, event: StreamEvent): boolean {
  if (data.state !== 'accepted') return (event.kind === 'tx' || event.kind === 'mempool') && event.txID === data.id;
  if (event.kind !== 'tx') return false;
  return isSpending(event, new Set([data.tx.txHash]));
}

/** Whether a transaction spends outputs of the given ones. */
const isSpending = (event: Extract<StreamEvent, { kind: 'tx' }>, ids: ReadonlySet<string>): boolean =>
  [...(event.tx.unsignedTx.inputs ?? []), ...(event.tx.unsignedTx.operations ?? []).flatMap(({ inputIDs }) => inputIDs ?? [])].some(
    ({ txID }) => ids.has(txID),
  );
