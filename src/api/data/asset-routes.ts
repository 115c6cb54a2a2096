import { idText } from '../../base/bytes/id.ts';
import { assetRows } from '../contract/data-routes.ts';
import { notFound } from '../rest/api-error.ts';
import { implementRoutes } from '../rest/route.ts';
import { historyStart, networkSpelling, requireChain } from './chain.ts';
import type { DataDeps } from './deps.ts';
import { renderAssetDetails, renderAssetStatus } from './render-asset.ts';

/** Handlers of the Data API about one asset. Their rows are `assetRows` in contract/data-routes.ts; data/routes.ts lists them. */
export const assetRoutes = implementRoutes<DataDeps>()(assetRows, {
  getAssetDetails: async ({ served, addressFormatter }, { assetId, ...chainRef }) => {
    const chain = requireChain(served, chainRef);
    const entry = await chain.reads.asset(assetId);
    if (entry === 'not-an-asset') throw notFound(`Transaction ${idText(assetId)} does not create an asset`);
    if (entry === undefined) throw notFound(`No asset ${idText(assetId)} on ${chain.slug}`);
    const formatAddress = addressFormatter(networkSpelling(served, chainRef.network).hrp);
    return { ...renderAssetDetails(entry), ...renderAssetStatus(entry, formatAddress), ...(await historyStart(chain)) };
  },
});
