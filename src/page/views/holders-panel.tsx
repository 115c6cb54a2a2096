import type { AssetDetails, Holders, NftGroup } from '../data-types.ts';
import type { PageContext } from '../page-context.ts';
import { hexToText } from '../payload-text.ts';
import { amountText, groupDigits } from '../text-format.ts';
import { AddressLink, Panel, Scroll } from './parts.tsx';

/** The largest holders of an asset, with their share of the supply. */
export function HoldersPanel({ asset, holders, context }: { asset: AssetDetails; holders: Holders; context: PageContext }) {
  const supply = Number(asset.type === 'nft' ? asset.nftSupply : asset.supply);
  const isNft = asset.type === 'nft';
  const largest = Math.max(1, ...holders.holderList.map(({ amount, nfts }) => (isNft ? nfts : Number(amount))));
  return (
    <Panel title="Holders" side={<span>{groupDigits(holders.holders)} that own some of it alone</span>}>
      <Scroll>
        <table>
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
                    <svg width="200" height="10" viewBox="0 0 200 10" aria-hidden="true">
                      <rect x="0" y="0" width="200" height="10" class="fill-0" />
                      <rect x="0" y="0" width={(value / largest) * 200} height="10" class="mark-fill-1" />
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

/** The groups of an NFT family with what was minted. Payloads are shown as text or hex; a URL in one is never loaded. */
export const NftGroups = ({ groups, context }: { groups: readonly NftGroup[]; context: PageContext }) => (
  <Panel title="NFT groups" side={<span>{groupDigits(groups.length)} shown</span>}>
    <ul class="cards">
      {groups.map(({ groupId, addresses, threshold, minted }) => {
        const payload = minted?.payload ?? '0x';
        const text = hexToText(payload);
        const size = (payload.length - 2) / 2;
        const shown =
          minted === undefined
            ? `can be minted by ${threshold} of ${addresses.length}`
            : size === 0
              ? 'no payload'
              : (text ?? payload.slice(2)).slice(0, 120);
        return (
          <li class="card">
            <p class="mono breakable card-text">{shown}</p>
            <p>
              {minted === undefined ? <span>group {groupId}</span> : <a href={`/tx/${minted.txHash}`}>group {groupId}</a>}
              <span class="note">
                {minted === undefined ? 'none yet' : `${groupDigits(minted.count)} minted · ${kindOfPayload(text)} · ${size} B`}
              </span>
              {addresses[0] !== undefined && <AddressLink address={addresses[0]} context={context} />}
            </p>
          </li>
        );
      })}
    </ul>
  </Panel>
);

function kindOfPayload(text: string | undefined): string {
  if (text === undefined) return 'bytes';
  if (/^https?:/.test(text)) return 'URL, not loaded';
  return /^\s*[[{]/.test(text) ? 'JSON' : 'text';
}
