import type { AssetData } from '../load/load-asset.ts';
import { chainPath } from '../load/page-context.ts';
import type { TxSummary } from '../load/tx-summary.ts';
import { amountText, dateText, groupDigits, plural } from '../text/text-format.ts';
import { AssetDaysPanel } from './asset-days.tsx';
import { HoldersPanel } from './holders-panel.tsx';
import { NftGroups } from './nft-groups.tsx';
import { AddressLink, BlockLink, Chip, CopyAs, Facts, NextPage, PageHead, Panel, SaveMenu, Scroll } from './parts.tsx';
import { ageColumn, amountColumn, TxTable } from './tx-table.tsx';
import type { ViewProps } from './view.ts';

export function AssetView({ data, context, now, origin }: ViewProps<AssetData>) {
  const { asset, txs, nextTxs, createdIn, holders, groups } = data;
  const isNft = asset.type === 'nft';
  return (
    <>
      <PageHead
        title={asset.name || 'Asset without a name'}
        chip={<Chip tone="plain">{asset.symbol || 'no symbol'}</Chip>}
        line={isNft ? 'NFT family' : `${asset.cap} cap · ${plural(asset.denomination, 'decimal')}`}
        id={asset.assetId}
        buttons={<CopyAs origin={origin} path={`${chainPath(context)}/assets/${asset.assetId}`} />}
      />
      <Facts
        columns={6}
        facts={[
          {
            name: isNft ? 'Tokens' : 'Supply on this chain',
            value: isNft ? groupDigits(asset.nftSupply) : amountText(asset.supply, asset.denomination),
          },
          { name: 'Transactions', value: groupDigits(asset.txCount) },
          {
            name: 'Created',
            value:
              createdIn === undefined ? (
                'with the network'
              ) : (
                <>
                  block <BlockLink height={createdIn} />
                </>
              ),
            note: dateText(asset.createdAtTimestamp),
          },
          {
            name: isNft ? 'Last used' : 'Minted in all',
            value: isNft ? dateText(asset.lastActivityTimestamp) : amountText(holders.minted, asset.denomination),
          },
          { name: 'Holders', value: groupDigits(holders.holders) },
          {
            name: 'Minters',
            value:
              asset.minters.length === 0
                ? 'nobody'
                : asset.minters.slice(0, 3).map((address) => <AddressLink address={address} context={context} isPlain={false} />),
            ...(asset.minters.length > 3 && { note: `and ${asset.minters.length - 3} more` }),
          },
        ]}
      />
      {groups.length > 0 && <NftGroups groups={groups} context={context} />}
      <div class="two">
        <AssetDaysPanel data={data} />
        <HoldersPanel asset={asset} holders={holders} context={context} />
      </div>
      <Panel title="Transactions" side={<SaveMenu csv="transactions" />}>
        <Scroll>
          <TxTable
            csv="transactions"
            rows={txs}
            summary={(row) => row}
            columns={[amountColumn, ageColumn<TxSummary>(({ time }) => time, now)]}
            context={context}
          />
        </Scroll>
        {txs.length === 0 && <p class="table-foot">No transactions.</p>}
      </Panel>
      {nextTxs !== undefined && (
        <p class="pager">
          <NextPage href={`/asset/${asset.assetId}?page=${nextTxs}`} list="transactions">
            Older transactions
          </NextPage>
        </p>
      )}
    </>
  );
}
