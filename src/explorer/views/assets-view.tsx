import { familyWords } from '../../api/summary/sentence.ts';
import { type AssetsData, assetSorts } from '../load/load-assets.ts';
import type { ViewProps } from '../load/page-context.ts';
import { amountText, dateText, groupDigits, shortId } from '../text/text-format.ts';
import { Pager, PagerFoot } from './pager.tsx';
import { PageHead, SaveMenu } from './parts.tsx';
import { TableHead } from './table.tsx';

export const AssetsView = ({ data: { assets, pager, sort, sorted } }: ViewProps<AssetsData>) => (
  <>
    <PageHead
      title="Assets"
      line={sorted === undefined ? undefined : `the newest ${groupDigits(sorted)}; all are under Newest`}
      buttons={
        <>
          <nav class="switch" aria-label="Sort by">
            {Object.entries(assetSorts).map(([name, word]) => (
              <a href={`/assets?sort=${name}`} aria-current={name === sort ? 'true' : undefined} data-in-place>
                {word}
              </a>
            ))}
          </nav>
          <SaveMenu csv="assets" />
        </>
      }
    />
    <Pager pager={pager} list="assets" what="assets" isRanking={sort !== 'newest'} />
    <section class="panel scroll">
      <table data-csv="assets">
        <TableHead
          columns={[
            'Symbol',
            'Name',
            'Asset ID',
            'Kind',
            { number: 'Supply' },
            { number: 'Holders' },
            { number: 'Transactions' },
            { number: 'Created' },
          ]}
        />
        <tbody>
          {assets.map((asset) => (
            <tr>
              <td>
                <b>
                  <a href={`/asset/${asset.assetId}`}>{asset.symbol || '–'}</a>
                </b>
              </td>
              <td class="line-1">
                <span class="asset-name" title={asset.name}>
                  {asset.name || '–'}
                </span>
              </td>
              <td class="mono" title={asset.assetId}>
                {shortId(asset.assetId)}
              </td>
              <td>{asset.type !== 'nft' ? `${asset.cap} cap` : familyWords[asset.unitType === 'property' ? 'property' : 'nft']}</td>
              <td class="number line-1-end">
                {asset.type === 'nft' ? groupDigits(asset.nftSupply) : amountText(asset.supply, asset.denomination)}
              </td>
              <td class="number" data-name="Holders">
                {groupDigits(asset.holders)}
              </td>
              <td class="number" data-name="Transactions">
                {groupDigits(asset.txCount)}
              </td>
              <td class="number quiet line-2" data-name="Created">
                {dateText(asset.createdAtTimestamp)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
    <PagerFoot pager={pager} list="assets" what="assets" isRanking={sort !== 'newest'} />
  </>
);
