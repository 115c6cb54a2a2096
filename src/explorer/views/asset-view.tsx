import { familyWords } from '../../api/summary/sentence.ts';
import type { AssetData } from '../load/load-asset.ts';
import { chainPath, type ViewProps } from '../load/page-context.ts';
import type { TxRow } from '../load/tx-row.ts';
import { amountText, dateText, groupDigits, plural } from '../text/text-format.ts';
import { AssetDaysPanel } from './asset-days.tsx';
import { HoldersPanel } from './holders-panel.tsx';
import { NftGroups } from './nft-groups.tsx';
import { Pager, PagerFoot } from './pager.tsx';
import { AddressLink, BlockLink, Chip, CopyAs, Facts, PageHead, Panel, SaveMenu, Scroll } from './parts.tsx';
import { ageColumn, amountColumn, TxTable } from './tx-table.tsx';

/** Owners of rights to mint that are shown, and addresses of each. */
const maxMinters = 3;

const unitNames = { nft: 'NFTs', property: 'Properties' } as const;

export function AssetView({ data, context, now, origin }: ViewProps<AssetData>) {
  const { asset, txs, pager, holders, nfts } = data;
  const { unitType: type, mintRights: minters, createdInBlock: createdIn } = asset;
  const isNft = type !== 'secp256k1';
  return (
    <>
      <PageHead
        title={asset.name || 'Asset without a name'}
        chip={<Chip tone="plain">{asset.symbol || 'no symbol'}</Chip>}
        line={isNft ? familyWords[type] : `${asset.cap} cap · ${plural(asset.denomination, 'decimal')}`}
        id={asset.assetId}
        idName="Asset"
        buttons={<CopyAs origin={origin} path={`${chainPath(context)}/assets/${asset.assetId}`} />}
      />
      <Facts
        columns={6}
        weight="answer"
        facts={[
          {
            name: isNft ? unitNames[type] : 'Supply on this chain',
            value: isNft ? groupDigits(asset.nftSupply) : amountText(asset.supply, asset.denomination),
          },
          {
            name: isNft ? 'Last used' : 'Minted in all',
            value: isNft ? dateText(asset.lastActivityTimestamp) : amountText(holders.minted, asset.denomination),
          },
          { name: 'Holders', value: <a href={`/holders/${asset.assetId}`}>{groupDigits(holders.holders)}</a> },
          { name: 'Transactions', value: groupDigits(asset.txCount) },
          {
            name: 'Created',
            value:
              createdIn === undefined ? (
                'with the network'
              ) : (
                <>
                  block <BlockLink height={Number(createdIn)} />
                </>
              ),
            note: dateText(asset.createdAtTimestamp),
          },
          {
            name: 'Minters',
            value:
              minters.length === 0
                ? 'nobody'
                : minters.slice(0, maxMinters).map((party) => (
                    <>
                      {party.addresses.length > 1 && `${party.threshold} of ${party.addresses.length}: `}
                      {party.addresses.slice(0, maxMinters).map((address) => (
                        <>
                          <AddressLink address={address} context={context} isPlain={false} />{' '}
                        </>
                      ))}
                    </>
                  )),
            note: minters.length > maxMinters ? `and ${minters.length - maxMinters} more` : undefined,
          },
        ]}
      />
      {nfts !== undefined && nfts.groups.length > 0 && <NftGroups nfts={nfts} asset={asset.assetId} context={context} />}
      <div class="two">
        <AssetDaysPanel data={data} />
        <HoldersPanel asset={asset} holders={holders} context={context} />
      </div>
      <Panel title="Transactions" side={<SaveMenu csv="transactions" />}>
        <Pager pager={pager} list="transactions" what="transactions" jump={{ path: `/asset/${asset.assetId}` }} />
        <Scroll>
          <TxTable
            csv="transactions"
            rows={txs}
            line={(row) => row}
            columns={[amountColumn, ageColumn<TxRow>(({ time }) => time, now)]}
            context={context}
          />
        </Scroll>
        {txs.length === 0 && <p class="table-foot">No transactions.</p>}
      </Panel>
      <PagerFoot pager={pager} list="transactions" what="transactions" />
    </>
  );
}
