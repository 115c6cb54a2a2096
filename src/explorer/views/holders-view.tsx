import { familyWords } from '../../api/summary/sentence.ts';
import { type HoldersData, isCounted, percentOf, supplyOf } from '../load/load-holders.ts';
import { chainPath, type ViewProps } from '../load/page-context.ts';
import { amountText, groupDigits, shareText } from '../text/text-format.ts';
import { HoldersTable } from './holders-table.tsx';
import { Pager, PagerFoot } from './pager.tsx';
import { Chip, CopyAs, PageHead, Panel, SaveMenu } from './parts.tsx';

/** Who has how much of an asset: how much the largest have together, and all by rank. */
export function HoldersView({ data, context, origin }: ViewProps<HoldersData>) {
  const { asset, holders, largest, pager } = data;
  const path = `${chainPath(context)}/assets/${asset.assetId}/holders`;
  return (
    <>
      <PageHead
        title={`Holders of ${asset.name || asset.symbol || 'an asset without a name'}`}
        chip={<Chip tone="plain">{asset.symbol || 'no symbol'}</Chip>}
        line={
          <a href={`/asset/${asset.assetId}`}>
            {isCounted(asset) ? `to the ${familyWords[asset.unitType === 'property' ? 'property' : 'nft']}` : 'to the asset'}
          </a>
        }
        buttons={<CopyAs origin={origin} path={path} />}
        id={asset.assetId}
        idName="Asset"
      />
      <Panel title={holdersTitle(data)} weight="answer">
        {holders.holders > 0 && (
          <ul class="concentration">
            {largest.map(({ count, amount }) => (
              <li>
                <span>{count === 1 ? 'The largest holder' : `The ${count} largest`}</span>
                <b>{shareText(BigInt(amount), supplyOf(asset))}</b>
                <svg width="100%" height="12" aria-hidden="true">
                  <rect x="0" y="0" width="100%" height="12" class="fill-0" />
                  <rect x="0" y="0" width={`${percentOf(BigInt(amount), supplyOf(asset))}%`} height="12" class="mark-fill-1" />
                </svg>
              </li>
            ))}
          </ul>
        )}
        <p class="padded note">{multisigText(data)}</p>
      </Panel>
      {holders.holders > 0 && (
        <Panel title="By rank" side={<SaveMenu csv="holders" />}>
          <Pager pager={pager} list="holders" what="holders" isRanking />
          <HoldersTable asset={asset} holders={holders} context={context} />
        </Panel>
      )}
      <PagerFoot pager={pager} list="holders" what="holders" isRanking />
    </>
  );
}

function holdersTitle({ holders: { holders } }: HoldersData): string {
  if (holders === 0) return 'No address has any of it for itself';
  return holders === 1 ? '1 address has it' : `${groupDigits(holders)} addresses have it`;
}

/** What the ranking leaves out: outputs that belong to several owners together. */
function multisigText({ asset, holders: { heldSupply } }: HoldersData): string {
  const counted = 'An address is counted for what it can spend with its own signature.';
  if (isCounted(asset)) return counted;
  const shared = supplyOf(asset) - BigInt(heldSupply);
  if (shared <= 0n) return `${counted} None of it needs the signatures of several owners.`;
  const amount = `${amountText(shared, asset.denomination)} ${asset.symbol}`;
  return `${counted} ${amount} (${shareText(shared, supplyOf(asset))}) belongs to several owners together (multisig) and is in no rank.`;
}
