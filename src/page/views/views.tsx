import type { ComponentType } from 'preact';
import { AddressView } from './address-view.tsx';
import { AssetView } from './asset-view.tsx';
import { AssetsView } from './assets-view.tsx';
import { BlockView } from './block-view.tsx';
import { BlocksView } from './blocks-view.tsx';
import { CrossChainView } from './cross-chain-view.tsx';
import { DevView } from './dev-view.tsx';
import { HomeView } from './home-view.tsx';
import { MempoolView } from './mempool-view.tsx';
import { MessageView } from './message-view.tsx';
import { NodeView } from './node-view.tsx';
import { ReferenceView } from './reference-view.tsx';
import { ThroughputView } from './throughput-view.tsx';
import { TxView } from './tx-view.tsx';
import type { ViewProps } from './view.ts';

/** Views by the name that a page sends to the browser with its data. */
export const views = {
  home: HomeView,
  blocks: BlocksView,
  block: BlockView,
  tx: TxView,
  address: AddressView,
  asset: AssetView,
  assets: AssetsView,
  mempool: MempoolView,
  'cross-chain': CrossChainView,
  throughput: ThroughputView,
  node: NodeView,
  dev: DevView,
  api: ReferenceView,
  message: MessageView,
} as const;

export type ViewName = keyof typeof views;

/** A view by name; the data must be what its page loaded. */
export const viewOf = (name: ViewName): ComponentType<ViewProps<unknown>> => views[name] as unknown as ComponentType<ViewProps<unknown>>;
