import type { AssetsData } from '../load/load-assets.ts';
import { amountText, dateText, groupDigits, shortId } from '../text/text-format.ts';
import { NextPage, PageHead, SaveMenu } from './parts.tsx';
import type { ViewProps } from './view.ts';

export const AssetsView = ({ data: { assets, next } }: ViewProps<AssetsData>) => (
  <>
    <PageHead title="Assets" line="newest first" buttons={<SaveMenu csv="assets" />} />
    <section class="panel scroll">
      <table data-csv="assets">
        <thead>
          <tr>
            <th>Symbol</th>
            <th>Name</th>
            <th>Asset ID</th>
            <th>Kind</th>
            <th class="number">Supply</th>
            <th class="number">Holders</th>
            <th class="number">Transactions</th>
            <th class="number">Created</th>
          </tr>
        </thead>
        <tbody>
          {assets.map((asset) => (
            <tr>
              <td>
                <b>
                  <a href={`/asset/${asset.assetId}`}>{asset.symbol || '–'}</a>
                </b>
              </td>
              <td>{asset.name || '–'}</td>
              <td class="mono" title={asset.assetId}>
                {shortId(asset.assetId)}
              </td>
              <td>{asset.type === 'nft' ? 'NFT family' : `${asset.cap} cap`}</td>
              <td class="number">{asset.type === 'nft' ? groupDigits(asset.nftSupply) : amountText(asset.supply, asset.denomination)}</td>
              <td class="number">{groupDigits(asset.holders)}</td>
              <td class="number">{groupDigits(asset.txCount)}</td>
              <td class="number quiet">{dateText(asset.createdAtTimestamp)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
    <p class="pager">
      {next !== undefined && (
        <NextPage href={`/assets?page=${next}`} list="assets">
          Older assets
        </NextPage>
      )}
    </p>
  </>
);
