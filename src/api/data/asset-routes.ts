import { idText } from '../../base/bytes/id.ts';
import { AssetDetailsSchema } from '../contract/data-schemas.ts';
import { notFound } from '../rest/api-error.ts';
import { pathId } from '../rest/params.ts';
import { type ApiRoute, routeDefiner } from '../rest/route.ts';
import { chainParams, chainPath, networkSpelling, requireChain } from './chain.ts';
import type { DataDeps } from './deps.ts';
import { historyStart } from './list-metadata.ts';
import { renderAssetDetails, renderAssetStatus } from './render-asset.ts';

const defineRoute = routeDefiner<DataDeps>();

export const assetRoutes: readonly ApiRoute<DataDeps>[] = [
  defineRoute({
    method: 'GET',
    path: `${chainPath}/assets/{assetId}`,
    id: 'getAssetDetails',
    tag: 'Assets',
    summary: 'One asset',
    params: { ...chainParams, assetId: pathId({ description: 'Asset ID: the ID of the transaction that created it.' }) },
    response: AssetDetailsSchema,
    cachePolicy: 'block',
    run: async ({ served, addressFormatter }, { assetId, ...chainRef }) => {
      const chain = requireChain(served, chainRef);
      const entry = await chain.reads.asset(assetId);
      if (entry === 'not-an-asset') throw notFound(`Transaction ${idText(assetId)} does not create an asset`);
      if (entry === undefined) throw notFound(`No asset ${idText(assetId)} on ${chain.slug}`);
      const formatAddress = addressFormatter(networkSpelling(served, chainRef.network).hrp);
      return { ...renderAssetDetails(entry), ...renderAssetStatus(entry, formatAddress), ...(await historyStart(chain)) };
    },
  }),
];
