import { firstViews } from '../views/first-views.tsx';
import type { AnyView, ViewName } from '../views/views.tsx';

/** Views that have a script of their own. */
const chunks: { readonly [name in Exclude<ViewName, keyof typeof firstViews>]: () => Promise<unknown> } = {
  blocks: async () => (await import('../views/blocks-view.tsx')).BlocksView,
  block: async () => (await import('../views/block-view.tsx')).BlockView,
  tx: async () => (await import('../views/tx-view.tsx')).TxView,
  address: async () => (await import('../views/address-view.tsx')).AddressView,
  asset: async () => (await import('../views/asset-view.tsx')).AssetView,
  assets: async () => (await import('../views/assets-view.tsx')).AssetsView,
  holders: async () => (await import('../views/holders-view.tsx')).HoldersView,
  mempool: async () => (await import('../views/mempool-view.tsx')).MempoolView,
  'cross-chain': async () => (await import('../views/cross-chain-view.tsx')).CrossChainView,
  node: async () => (await import('../views/node-view.tsx')).NodeView,
  output: async () => (await import('../views/output-view.tsx')).OutputView,
  outputs: async () => (await import('../views/outputs-view.tsx')).OutputsView,
  graph: async () => (await import('../views/graph-view.tsx')).GraphView,
  throughput: async () => (await import('../views/throughput-view.tsx')).ThroughputView,
  api: async () => (await import('../views/reference-view.tsx')).ReferenceView,
  'api-entry': async () => (await import('../views/reference-entry-view.tsx')).ReferenceEntryView,
  watch: async () => (await import('../views/watch-view.tsx')).WatchView,
  webhooks: async () => (await import('../views/webhooks-view.tsx')).WebhooksView,
  calls: async () => (await import('../views/calls-view.tsx')).CallsView,
  dev: async () => (await import('../views/dev-view.tsx')).DevView,
};

const isFirst = (name: ViewName): name is keyof typeof firstViews => Object.hasOwn(firstViews, name);

/** A view by name. Loads its script if it is not in the first one. */
export const loadView = async (name: ViewName): Promise<AnyView> => (isFirst(name) ? firstViews[name] : await chunks[name]()) as AnyView;
