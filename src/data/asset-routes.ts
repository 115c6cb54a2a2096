import { pathId } from '../api/params.ts';
import { notFound } from '../api/refusal.ts';
import { type Route, route } from '../api/route.ts';
import { idText } from '../bytes/id.ts';
import { chainAt, chainPath, placeParams, spellingOf } from './chain.ts';
import type { DataDeps } from './deps.ts';
import { historyOf } from './list-frame.ts';
import { assetDetails, assetStanding } from './render-asset.ts';
import { AssetDetails } from './schemas.ts';

const row = route<DataDeps>();

export const assetRoutes: readonly Route<DataDeps>[] = [
  row({
    method: 'GET',
    path: `${chainPath}/assets/{assetId}`,
    id: 'getAssetDetails',
    tag: 'Assets',
    summary: 'One asset',
    params: { ...placeParams, assetId: pathId({ description: 'The id of the asset: that of the transaction that made it.' }) },
    response: AssetDetails,
    keep: 'tip-only',
    run: async ({ served, addressIn }, { assetId, ...place }) => {
      const chain = chainAt(served, place);
      const entry = await chain.reads.asset(assetId);
      if (entry === 'not-an-asset') throw notFound(`Transaction ${idText(assetId)} does not create an asset`);
      if (entry === undefined) throw notFound(`No asset ${idText(assetId)} on ${chain.slug}`);
      const address = addressIn(spellingOf(served, place.network).hrp);
      return { ...assetDetails(entry), ...assetStanding(entry, address), ...(await historyOf(chain)) };
    },
  }),
];
