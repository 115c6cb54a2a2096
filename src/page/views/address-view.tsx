import { useState } from 'preact/hooks';
import type { Balance, Tx, Utxo } from '../data-types.ts';
import type { AddressData } from '../load-address.ts';
import { chainTitle } from '../page-context.ts';
import type { TreemapItem } from '../pictures/treemap.tsx';
import { UtxoCanvas } from '../pictures/utxo-canvas.tsx';
import { ageText, amountText, compactAmount, plural, shortId, spanText } from '../text-format.ts';
import { kindOf } from '../tx-kind.ts';
import { summarizeTx } from '../tx-summary.ts';
import { AssetLink, BlockLink, CopyButton, KindPill, PageHead, Panel, Scroll, Switch, TxLink } from './parts.tsx';
import { Parties } from './tx-rows.tsx';
import { useWidth } from './use-width.ts';
import type { ViewProps } from './view.ts';

export function AddressView({ data, context, now }: ViewProps<AddressData>) {
  const { address, hex, balances, txs, nextTxs } = data;
  const bare = address.slice(address.indexOf('-') + 1);
  const spellings = [...context.otherChains.map(({ alias }) => `${alias}-${bare}`), bare, `0x${hex}`];
  return (
    <>
      <PageHead
        title="Address"
        id={address}
        line={
          txs.length === 0 ? (
            'no transactions yet'
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
                {one.length > 24 ? `${one.slice(0, 14)}…${one.slice(-6)}` : one}{' '}
                <CopyButton text={one} what={one.slice(0, 2) === '0x' ? 'hex' : `spelling ${one.slice(0, 2)}`} />
              </span>
            ))}
          </span>
        }
      />
      <BalancesPanel data={data} context={context} now={now} />
      <OutputsPanel data={data} context={context} now={now} />
      <HistoryPanel data={data} context={context} now={now} />
      {nextTxs !== undefined && (
        <p class="pager">
          <a class="button" href={`/address/${address}?page=${nextTxs}`} rel="next">
            Older transactions
          </a>
        </p>
      )}
      {Object.values(balances).every((list) => list.length === 0) && txs.length === 0 && (
        <p class="note">This address has never been used on this chain.</p>
      )}
    </>
  );
}

type PartProps = Omit<ViewProps<AddressData>, 'origin'>;

type Split = { unlocked: bigint; locked: bigint; shared: bigint; exported: bigint; exportedTo: Set<string>; asset: Balance };

function BalancesPanel({ data: { balances, shared }, context }: PartProps) {
  const rows = new Map<string, Split>();
  const rowOf = (asset: Balance): Split => {
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
  for (const { asset } of shared) rowOf({ ...asset, utxoCount: 1 }).shared += BigInt(asset.amount);
  const list = [...rows.values()];
  const text = (value: bigint, { denomination }: Balance): string => amountText(value, denomination);
  return (
    <Panel title="Balances">
      {list.length === 0 ? (
        <p class="table-foot">Nothing.</p>
      ) : (
        <Scroll>
          <table>
            <thead>
              <tr>
                <th>Asset</th>
                <th class="bar-cell">
                  <span class="hidden">Shares</span>
                </th>
                <th class="number">Unlocked</th>
                <th class="number">Locked</th>
                <th class="number">Multisig</th>
                <th class="number">In shared memory</th>
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
                    <span class="quiet">{row.asset.type === 'nft' ? 'NFT' : row.asset.name}</span>
                  </td>
                  <td class="bar-cell">
                    <Shares row={row} />
                  </td>
                  <td class="number">{text(row.unlocked, row.asset)}</td>
                  <td class="number">{text(row.locked, row.asset)}</td>
                  <td class="number">{text(row.shared, row.asset)}</td>
                  <td class="number">
                    {text(row.exported, row.asset)}{' '}
                    <small>{[...row.exportedTo].map((id) => chainTitle(context, id).slice(0, 1)).join(', ')}</small>
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
    </Panel>
  );
}

function Shares({ row: { unlocked, locked, shared, exported } }: { row: Split }) {
  const total = Number(unlocked + locked + shared + exported);
  const width = 266;
  let x = 0;
  const parts = [
    [unlocked, 'mark-fill-1'],
    [locked, 'mark-fill-1 faded'],
    [shared, 'mark-fill-2'],
    [exported, 'mark-fill-4'],
  ] as const;
  return (
    <svg width={width} height="12" viewBox={`0 0 ${width} 12`} aria-hidden="true">
      {total > 0 &&
        parts.map(([value, name]) => {
          const part = (Number(value) / total) * width;
          const rect = part > 0 && <rect x={x} y={0} width={Math.max(1, part - 1)} height={12} class={name} />;
          x += part;
          return rect;
        })}
    </svg>
  );
}

function OutputsPanel({ data: { utxos: own, shared, hasMoreUtxos }, context, now }: PartProps) {
  const utxos = [...own, ...shared];
  const [by, setBy] = useState<'area' | 'age'>('area');
  const { ref, width } = useWidth(1152);
  const groups = Map.groupBy(utxos, ({ asset }) => `${asset.assetId} ${asset.type}`);
  const ordered = [...groups.values()].toSorted(
    (a, b) =>
      Number(b[0]?.asset.assetId === context.chain.feeAsset) - Number(a[0]?.asset.assetId === context.chain.feeAsset) ||
      b.length - a.length,
  );
  const shown = ordered.slice(0, 6);
  const slabs = shown.map((list, at) => ({
    asset: list[0]?.asset.symbol ?? '',
    items: list.map((utxo) => canvasItem(utxo, (at % 5) + 1, by, now)),
  }));
  if (utxos.length === 0) return null;
  return (
    <Panel
      title={hasMoreUtxos ? `The newest ${plural(utxos.length, 'unspent output')}` : plural(utxos.length, 'unspent output')}
      side={
        <Switch
          label="Size by"
          options={[
            ['area', 'Amount'],
            ['age', 'Age'],
          ]}
          value={by}
          onChange={setBy}
        />
      }
    >
      <div ref={ref} class="padded">
        <UtxoCanvas
          slabs={slabs}
          width={width}
          height={220}
          label="Unspent outputs by asset; each links to the transaction that created it"
        />
      </div>
      <ul class="legend">
        {shown.map((list, at) => (
          <li>
            <i class={`dot mark-bg-${(at % 5) + 1}`} />
            {list[0]?.asset.symbol || shortId(list[0]?.asset.assetId ?? '')} <b>{list.length}</b>
          </li>
        ))}
        {ordered.length > shown.length && <li>and {plural(ordered.length - shown.length, 'more asset')}</li>}
      </ul>
    </Panel>
  );
}

function canvasItem(utxo: Utxo, color: number, by: 'area' | 'age', now: number): TreemapItem {
  const { asset, locktime, addresses, threshold } = utxo;
  const isLocked = locktime > now;
  const text =
    asset.type === 'nft' ? `${asset.symbol} #${utxo.groupId ?? 0}` : `${compactAmount(asset.amount, asset.denomination)} ${asset.symbol}`;
  const notes = [
    isLocked ? `locked ${spanText(locktime - now)}` : '',
    addresses.length > 1 ? `${threshold} of ${addresses.length}` : '',
  ].filter((one) => one !== '');
  return {
    key: utxo.utxoId,
    area: by === 'age' ? Math.max(1, now - utxo.timestamp) : Math.max(1, Number(asset.amount)),
    color,
    lines: [text, ...notes],
    label: `${[text, ...notes].join(' ')}: ${amountText(asset.amount, asset.denomination)} ${asset.symbol}, ${ageText(now - utxo.timestamp)} old`,
    href: `/tx/${utxo.creationTxHash}#out-${utxo.outputIndex}`,
    isLocked,
    isShared: addresses.length > 1,
  };
}

const filters = [
  ['all', 'All'],
  ['in', 'In'],
  ['out', 'Out'],
  ['cross', 'Cross-chain'],
] as const;

function HistoryPanel({ data: { txs, address }, context, now }: PartProps) {
  const [filter, setFilter] = useState<(typeof filters)[number][0]>('all');
  const bare = address.slice(address.indexOf('-') + 1);
  const rows = txs.map((tx) => ({ tx, changes: changesOf(tx, bare), summary: summarizeTx(tx) }));
  const isShown = ({ tx, changes }: (typeof rows)[number]): boolean => {
    if (filter === 'cross') return tx.txType === 'ImportTx' || tx.txType === 'ExportTx';
    if (filter === 'all') return true;
    return changes.some(({ change }) => (filter === 'in' ? change > 0n : change < 0n));
  };
  return (
    <Panel
      title="History"
      side={
        <>
          <Switch label="Show" options={filters} value={filter} onChange={setFilter} />
          <button type="button" class="link" data-save-csv="history">
            CSV
          </button>
        </>
      }
    >
      <Scroll>
        <table data-csv="history">
          <thead>
            <tr>
              <th>Kind</th>
              <th>Transaction</th>
              <th>From → to</th>
              <th class="number">Block</th>
              <th class="number">Change</th>
              <th class="number">Age</th>
            </tr>
          </thead>
          <tbody>
            {rows.filter(isShown).map(({ tx, changes, summary }) => (
              <tr>
                <td>
                  <KindPill kind={kindOf(tx)} />
                </td>
                <td>
                  <TxLink id={tx.txHash} />
                </td>
                <td>
                  <Parties summary={summary} context={context} />
                </td>
                <td class="number">
                  <BlockLink height={tx.blockHeight} />
                </td>
                <td class="number">
                  {changes.map(({ change, asset }) => (
                    <div class={change < 0n ? 'loss' : 'gain'}>
                      {change > 0n ? '+' : ''}
                      {amountText(change, asset.denomination)} {asset.symbol}
                    </div>
                  ))}
                </td>
                <td class="number quiet" data-age={tx.timestamp}>
                  {ageText(now - tx.timestamp)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {rows.length === 0 && <p class="table-foot">No transactions.</p>}
    </Panel>
  );
}

/** What a transaction changes for an address, by asset. Outputs with several owners count if it is one of them. */
function changesOf(tx: Tx, address: string): { readonly change: bigint; readonly asset: Utxo['asset'] }[] {
  const sums = new Map<string, { change: bigint; asset: Utxo['asset'] }>();
  const add = (utxos: readonly Utxo[], sign: bigint): void => {
    for (const { addresses, asset } of utxos) {
      if (!addresses.includes(address)) continue;
      const key = `${asset.assetId} ${asset.type}`;
      const sum = sums.get(key) ?? { change: 0n, asset };
      sum.change += sign * BigInt(asset.amount);
      sums.set(key, sum);
    }
  };
  add(tx.consumedUtxos, -1n);
  // An exported output is no longer on this chain.
  add(
    tx.emittedUtxos.filter(({ consumedOnChainId, createdOnChainId }) => consumedOnChainId === createdOnChainId),
    1n,
  );
  return [...sums.values()].filter(({ change }) => change !== 0n);
}
