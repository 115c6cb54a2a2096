import type { AssetDetails, Holders } from '../../api/contract/answers.ts';
import { heldBy, isCounted, percentOf, supplyOf } from '../load/load-holders.ts';
import type { PageContext } from '../load/page-context.ts';
import { amountText, groupDigits, shareText } from '../text/text-format.ts';
import { AddressLink, Scroll } from './parts.tsx';
import { TableHead } from './table.tsx';

type HoldersProps = { readonly asset: AssetDetails; readonly holders: Holders; readonly context: PageContext };

/** Holders of an asset by rank, with their shares of the supply, also as bars: a full bar is the whole supply. */
export function HoldersTable({ asset, holders: { holderList }, context }: HoldersProps) {
  const supply = supplyOf(asset);
  return (
    <Scroll>
      <table data-csv="holders" class="holders">
        <TableHead
          columns={[
            { number: 'Rank' },
            'Address',
            { number: 'Share' },
            { unseen: 'Share as a bar' },
            { number: isCounted(asset) ? 'Number' : 'Amount' },
          ]}
        />
        <tbody>
          {holderList.map((holder) => {
            const value = heldBy(asset, holder);
            return (
              <tr>
                <td class="number quiet">{holder.rank}</td>
                <td class="line-1">
                  <AddressLink address={holder.address} context={context} isPlain={false} />
                </td>
                <td class="number line-2-end">{shareText(value, supply)}</td>
                <td class="bar-cell">
                  <svg width="100%" height="10" aria-hidden="true">
                    <rect x="0" y="0" width="100%" height="10" class="fill-0" />
                    <rect x="0" y="0" width={`${percentOf(value, supply)}%`} height="10" class="mark-fill-1" />
                  </svg>
                </td>
                <td class="number line-1-end">{isCounted(asset) ? groupDigits(value) : amountText(value, asset.denomination)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </Scroll>
  );
}
