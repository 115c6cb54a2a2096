import type { AssetDetails, Holders } from '../../api/contract/answers.ts';
import type { PageContext } from '../load/page-context.ts';
import { amountText, groupDigits } from '../text/text-format.ts';
import { AddressLink, Panel, SaveMenu, Scroll } from './parts.tsx';

/** The largest holders of an asset, with their share of the supply. */
export function HoldersPanel({ asset, holders, context }: { asset: AssetDetails; holders: Holders; context: PageContext }) {
  const supply = Number(asset.type === 'nft' ? asset.nftSupply : asset.supply);
  const isNft = asset.type === 'nft';
  const largest = Math.max(1, ...holders.holderList.map(({ amount, nfts }) => (isNft ? nfts : Number(amount))));
  return (
    <Panel
      title="Holders"
      side={
        <>
          <span>{groupDigits(holders.holders)} that own some of it alone</span>
          {holders.holderList.length > 0 && <SaveMenu csv="holders" />}
        </>
      }
    >
      <Scroll>
        <table data-csv="holders" class="holders">
          <tbody>
            {holders.holderList.map(({ rank, address, amount, nfts }) => {
              const value = isNft ? nfts : Number(amount);
              return (
                <tr>
                  <td class="number quiet">{rank}</td>
                  <td>
                    <AddressLink address={address} context={context} isPlain={false} />
                  </td>
                  <td class="bar-cell">
                    <svg width="100%" height="10" aria-hidden="true">
                      <rect x="0" y="0" width="100%" height="10" class="fill-0" />
                      <rect x="0" y="0" width={`${(value / largest) * 100}%`} height="10" class="mark-fill-1" />
                    </svg>
                  </td>
                  <td class="number">{isNft ? groupDigits(nfts) : amountText(amount, asset.denomination)}</td>
                  <td class="number quiet">{supply === 0 ? '–' : `${((value / supply) * 100).toFixed(1)} %`}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </Scroll>
      {holders.holderList.length === 0 && <p class="table-foot">Nobody owns any of it alone.</p>}
    </Panel>
  );
}
