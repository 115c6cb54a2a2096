import type { ComponentType } from 'preact';
import type { ViewProps } from '../load/page-context.ts';
import { AddressView } from './address-view.tsx';
import { AssetView } from './asset-view.tsx';
import { AssetsView } from './assets-view.tsx';
import { BlockView } from './block-view.tsx';
import { BlocksView } from './blocks-view.tsx';
import { CallsView } from './calls-view.tsx';
import { CrossChainView } from './cross-chain-view.tsx';
import { DevView } from './dev-view.tsx';
import { firstViews } from './first-views.tsx';
import { GraphView } from './graph-view.tsx';
import { HoldersView } from './holders-view.tsx';
import { MempoolView } from './mempool-view.tsx';
import { NodeView } from './node-view.tsx';
import { OutputView } from './output-view.tsx';
import { OutputsView } from './outputs-view.tsx';
import { ReferenceEntryView } from './reference-entry-view.tsx';
import { ReferenceView } from './reference-view.tsx';
import { ThroughputView } from './throughput-view.tsx';
import { TxView } from './tx-view.tsx';
import { WatchView } from './watch-view.tsx';
import { WebhooksView } from './webhooks-view.tsx';

/** All views by the name that a page sends to the browser with its data. For the server; the browser loads views by browser/load-view.ts. */
const views = {
  ...firstViews,
  blocks: BlocksView,
  block: BlockView,
  tx: TxView,
  address: AddressView,
  asset: AssetView,
  assets: AssetsView,
  holders: HoldersView,
  mempool: MempoolView,
  'cross-chain': CrossChainView,
  node: NodeView,
  output: OutputView,
  outputs: OutputsView,
  graph: GraphView,
  throughput: ThroughputView,
  dev: DevView,
  calls: CallsView,
  watch: WatchView,
  webhooks: WebhooksView,
  api: ReferenceView,
  'api-entry': ReferenceEntryView,
} as const;

export type ViewName = keyof typeof views;

/** A view of any data; the data must be what its page loaded. */
export type AnyView = ComponentType<ViewProps<unknown>>;

export const viewOf = (name: ViewName): AnyView => views[name] as unknown as AnyView;
