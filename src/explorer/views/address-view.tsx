import type { AssetAmount, Tx, Utxo } from '../../api/contract/answers.ts';
import { typeWords } from '../../api/summary/sentence.ts';
import type { AddressData } from '../load/load-address.ts';
import { isFiltered } from '../load/load-history.ts';
import { sumType } from '../load/output-type.ts';
import { accountName, chainPath, chainTitle, type ViewProps } from '../load/page-context.ts';
import { payloadKind, payloadWord } from '../text/payload-kind.ts';
import { ageText, amountText, plural } from '../text/text-format.ts';
import { useDevCall } from './actions.ts';
import { AddressHistory, historyUrl } from './address-history.tsx';
import { AddressOutputs } from './address-outputs.tsx';
import { AddressTools } from './address-tools.tsx';
import { BalancePanel } from './balance-panel.tsx';
import { PagerFoot } from './pager.tsx';
import { AssetLink, CopyAs, CopyButton, PageHead, Panel, SaveMenu, Scroll } from './parts.tsx';
import { PayloadView } from './payload-view.tsx';

export function AddressView({ data, context, now, origin }: ViewProps<AddressData>) {
  const { address, hex, balances } = data;
  const { txs, pager, filter } = data.history;
  const bare = address.slice(address.indexOf('-') + 1);
  const spellings = [...context.otherChains.map(({ alias }) => `${alias}-${bare}`), bare, `0x${hex}`];
  return (
    <>
      <PageHead
        title={accountName(context, address)?.replace(/^account (?=\d+$)/, 'Account ') ?? 'Address'}
        buttons={
          <>
            <CopyAs origin={origin} path={`${chainPath(context)}/balances?addresses=${address}`} />
            <AddressTools address={address} context={context} />
            {context.has.faucet && <FaucetButton address={address} />}
          </>
        }
        id={address}
        line={
          txs[0] === undefined || isFiltered(filter) || pager.links.first !== undefined ? (
            txs.length === 0 && !isFiltered(filter) && 'no transactions yet'
          ) : (
            <>
              last active <span data-age={(txs[0] as Tx).timestamp}>{ageText(now - (txs[0] as Tx).timestamp)}</span> ago
            </>
          )
        }
        more={
          <span class="spellings">
            {spellings.map((one) => (
              <span title={one}>
                {one.startsWith('0x') && 'bytes '}
                {one.length > 24 ? `${one.slice(0, 14)}…${one.slice(-6)}` : one}{' '}
                <CopyButton text={one} what={one.slice(0, 2) === '0x' ? 'hex' : `spelling ${one.slice(0, 2)}`} />
              </span>
            ))}
          </span>
        }
      />
      <BalancesPanel data={data} context={context} now={now} />
      <div class="two">
        <BalancePanel data={data} now={now} />
        <AddressOutputs data={data} context={context} now={now} />
      </div>
      {data.nfts.length > 0 && <AddressNfts nfts={data.nfts} />}
      <AddressHistory data={data} context={context} now={now} />
      <PagerFoot pager={pager} list="history" what="transactions" />
      {Object.values(balances).every((list) => list.length === 0) && txs.length === 0 && !isFiltered(filter) && (
        <p class="note">This address has never been used on this chain.</p>
      )}
    </>
  );
}

/** Sends 10 AVAX to the address, on a dev chain. */
function FaucetButton({ address }: { address: string }) {
  const { run, note, isBusy } = useDevCall();
  return (
    <>
      {note?.isError && <span class="bad-text">{note.text}</span>}
      <button
        type="button"
        class="primary with-script"
        disabled={isBusy}
        onClick={() => run('dev.faucet', { to: address, amount: '10 AVAX' }, () => '')}
      >
        Faucet 10 AVAX
      </button>
    </>
  );
}

type PartProps = Omit<ViewProps<AddressData>, 'origin'>;

type Split = { unlocked: bigint; locked: bigint; shared: bigint; exported: bigint; exportedTo: Set<string>; asset: AssetAmount };

function BalancesPanel({ data, context }: PartProps) {
  const { balances, utxos, shared, plot } = data;
  const rows = new Map<string, Split>();
  const rowOf = (asset: AssetAmount): Split => {
    const key = `${asset.assetId} ${asset.type}`;
    const row = rows.get(key) ?? { unlocked: 0n, locked: 0n, shared: 0n, exported: 0n, exportedTo: new Set<string>(), asset };
    rows.set(key, row);
    return row;
  };
  for (const one of balances.unlocked) rowOf(one).unlocked += BigInt(one.amount);
  for (const one of balances.locked) rowOf(one).locked += BigInt(one.amount);
  for (const one of [...balances.atomicMemoryUnlocked, ...balances.atomicMemoryLocked]) {
    const row = rowOf(one);
    row.exported += BigInt(one.amount);
    row.exportedTo.add(one.sharedWithChainId ?? '');
  }
  for (const { asset } of shared) rowOf(asset).shared += BigInt(asset.amount);
  const list = [...rows.values()];
  const isSplit = list.some(isParted);
  const text = (value: bigint, { denomination, type }: AssetAmount): string => amountText(value, type === 'nft' ? 0 : denomination);
  return (
    <Panel title="Balances" weight="answer" side={list.length > 0 && <SaveMenu csv="balances" />}>
      {list.length === 0 ? (
        <p class="table-foot">Nothing.</p>
      ) : (
        <Scroll>
          <table data-csv="balances" class="steady">
            <thead>
              <tr>
                <th class="asset-cell">Asset</th>
                <th class="bar-cell" hidden={!isSplit}>
                  <span class="hidden">Shares</span>
                </th>
                <th class="number">Unlocked</th>
                <th class="number">Locked</th>
                <th class="number">Multisig</th>
                <th class="number">Exported, waiting</th>
                <th class="number">Total</th>
              </tr>
            </thead>
            <tbody>
              {list.map((row) => (
                <tr>
                  <td>
                    <b>
                      <AssetLink id={row.asset.assetId} symbol={row.asset.symbol} />
                    </b>{' '}
                    {row.asset.type === 'nft' ? (
                      <span class="quiet">{typeWords[sumType(row.asset, [...utxos, ...shared])][0].trim()}</span>
                    ) : (
                      <span class="quiet asset-name" title={row.asset.name}>
                        {row.asset.name}
                      </span>
                    )}{' '}
                    {row.asset.assetId !== plot?.asset.assetId && (
                      <small class="note">
                        <a href={historyUrl(data, { asset: row.asset.assetId, range: '' })} data-in-place>
                          over time
                        </a>
                      </small>
                    )}
                  </td>
                  <td class="bar-cell" hidden={!isSplit}>
                    {isParted(row) && <Shares row={row} />}
                  </td>
                  <td class="number" data-name="Unlocked">
                    {text(row.unlocked, row.asset)}
                  </td>
                  <td class="number" data-name="Locked">
                    {text(row.locked, row.asset)}
                  </td>
                  <td class="number" data-name="Multisig">
                    {text(row.shared, row.asset)}
                  </td>
                  <td class="number" data-name="Exported, waiting">
                    {text(row.exported, row.asset)}{' '}
                    <small>
                      {row.exportedTo.size > 0 && `to ${[...row.exportedTo].map((id) => chainTitle(context, id).slice(0, 1)).join(', ')}`}
                    </small>
                  </td>
                  <td class="number">
                    <b>{text(row.unlocked + row.locked + row.shared + row.exported, row.asset)}</b>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
      {isSplit && (
        <ul class="legend">
          {(
            [
              [1, 'Unlocked'],
              [0, 'Locked'],
              [2, 'Multisig, more than one must sign'],
              [4, 'Exported, waiting'],
            ] as const
          ).map(([color, word]) => (
            <li>
              <i class={`dot ${color === 0 ? 'mark-hatch' : `mark-bg-${color}`}`} />
              {word}
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

/** Whether a balance has more than one part: a bar of one colour says nothing. */
const isParted = ({ unlocked, locked, shared, exported }: Split): boolean =>
  [unlocked, locked, shared, exported].filter((part) => part > 0n).length > 1;

/** The least width of a part in percent: it can be seen, however small it is. */
const minPart = 2.5;

function Shares({ row: { unlocked, locked, shared, exported } }: { row: Split }) {
  const values = [unlocked, locked, shared, exported].map(Number);
  const sum = values.reduce((all, value) => all + value, 0);
  const widths = values.map((value) => (value === 0 ? 0 : Math.max(minPart, (value / sum) * 100)));
  const scale = 100 / widths.reduce((all, width) => all + width, 0);
  const names = ['mark-fill-1', 'fill-1', 'mark-fill-2', 'mark-fill-4'];
  let x = 0;
  return (
    <svg width="100%" height="12" aria-hidden="true">
      {widths.map((width, at) => {
        const size = { x: `${x}%`, y: 0, width: `${width * scale - 0.4}%`, height: 12 };
        x += width * scale;
        return (
          width > 0 && (
            <>
              <rect {...size} class={names[at]} />
              {names[at] === 'fill-1' && <rect {...size} class="hatched" />}
            </>
          )
        );
      })}
    </svg>
  );
}

/** The NFTs of an address with their payloads; each links to its page. */
const AddressNfts = ({ nfts }: { nfts: readonly Utxo[] }) => (
  <Panel title={plural(nfts.length, 'NFT')}>
    <ul class="cards">
      {nfts.map(({ utxoId, asset, groupId, payload = '0x' }) => (
        <li class="card">
          <div class="card-picture">
            <PayloadView payload={payload} utxoId={utxoId} title={`${asset.symbol} #${groupId}`} />
          </div>
          <p class="card-facts">
            <a href={`/output/${utxoId}`}>
              {asset.symbol} #{groupId}
            </a>
            <span class="note">
              <AssetLink id={asset.assetId} symbol={asset.name || asset.symbol} /> · {payloadWord(payloadKind(payload))}
            </span>
          </p>
        </li>
      ))}
    </ul>
  </Panel>
);
