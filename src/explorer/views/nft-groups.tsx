import { useState } from 'preact/hooks';
import type { NftGroup } from '../../api/contract/answers.ts';
import type { Party } from '../../api/summary/sentence.ts';
import type { NftsData } from '../load/load-nfts.ts';
import type { PageContext } from '../load/page-context.ts';
import { payloadKind, payloadWord } from '../text/payload-kind.ts';
import { groupDigits, plural } from '../text/text-format.ts';
import { AddressLink, Panel, Switch } from './parts.tsx';
import { PayloadView } from './payload-view.tsx';
import { PartyLinks } from './tx-table.tsx';

/** Buttons of the group filter; more groups than this are not listed there. */
const maxButtons = 6;

/** The groups of an NFT family with what was minted; groups of which nothing was minted follow, as their cards are low. */
export function NftGroups({ nfts: { groups, next, owners }, asset, context }: { nfts: NftsData; asset: string; context: PageContext }) {
  const [shown, setShown] = useState('all');
  const ids = [...new Set(groups.map(({ groupId }) => groupId))].toSorted((a, b) => a - b);
  const options = [['all', 'All'], ...ids.slice(0, maxButtons).map((id) => [String(id), `Group ${id}`])] as [string, string][];
  const listed = groups.toSorted((a, b) => a.groupId - b.groupId).filter(({ groupId }) => shown === 'all' || String(groupId) === shown);
  return (
    <Panel
      title="NFT groups"
      side={
        <>
          <span>{plural(groups.length, 'right')} to mint</span>
          {ids.length > 1 && <Switch label="Group" options={options} value={shown} onChange={setShown} />}
        </>
      }
    >
      {[listed.filter(({ minted }) => minted !== undefined), listed.filter(({ minted }) => minted === undefined)].map(
        (cards) =>
          cards.length > 0 && (
            <ul class="cards">
              {cards.map((group) => (
                <Card group={group} owners={owners[group.groupId] ?? []} context={context} />
              ))}
            </ul>
          ),
      )}
      {next !== undefined && (
        <p class="table-foot">
          <a class="button" href={`/asset/${asset}?groups=${next}`} rel="next" data-in-place>
            More groups
          </a>
        </p>
      )}
    </Panel>
  );
}

type CardProps = { readonly group: NftGroup; readonly owners: readonly Party[]; readonly context: PageContext };

function Card({ group: { groupId, addresses, threshold, minted }, owners, context }: CardProps) {
  const payload = minted?.payload ?? '0x';
  return (
    <li class="card">
      {minted !== undefined && (
        <div class="card-picture">
          <PayloadView payload={payload} utxoId={minted.utxoId} title={`Group ${groupId}`} />
        </div>
      )}
      <p class="card-facts">
        {minted === undefined ? <span>group {groupId}</span> : <a href={`/tx/${minted.txHash}`}>group {groupId}</a>}
        <span class="note">
          {minted === undefined
            ? `none yet; can be minted by ${threshold} of ${addresses.length}`
            : `${groupDigits(minted.count)} minted · ${payloadWord(payloadKind(payload))} · ${(payload.length - 2) / 2} B`}
        </span>
        {minted === undefined ? (
          addresses[0] !== undefined && <AddressLink address={addresses[0]} context={context} />
        ) : (
          <>
            <span class="note">{owners.length === 0 ? 'owner not listed' : 'owned by '}</span>
            {owners.length > 0 && (
              <span>
                <PartyLinks parties={owners} context={context} />
              </span>
            )}
          </>
        )}
      </p>
    </li>
  );
}
