import type { AssetDetails, Holders } from '../../api/contract/answers.ts';
import type { PageContext } from '../load/page-context.ts';
import { groupDigits } from '../text/text-format.ts';
import { HoldersTable } from './holders-table.tsx';
import { Panel, SaveMenu } from './parts.tsx';

/** The largest holders of an asset, with their shares of the supply. */
export const HoldersPanel = ({ asset, holders, context }: { asset: AssetDetails; holders: Holders; context: PageContext }) => {
  const { length } = holders.holderList;
  return (
    <Panel
      title={length < holders.holders ? `The ${length} largest holders` : 'Holders'}
      side={
        length > 0 && (
          <>
            <a href={`/holders/${asset.assetId}`}>{length < holders.holders ? `All ${groupDigits(holders.holders)}` : 'Concentration'}</a>
            <SaveMenu csv="holders" />
          </>
        )
      }
    >
      {length === 0 ? (
        <p class="table-foot">No address has any of it for itself.</p>
      ) : (
        <HoldersTable asset={asset} holders={holders} context={context} />
      )}
    </Panel>
  );
};
