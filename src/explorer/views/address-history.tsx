import { useState } from 'preact/hooks';
import type { Tx, Utxo } from '../../api/contract/answers.ts';
import type { AddressData } from '../load/load-address.ts';
import { summarizeTx } from '../load/tx-summary.ts';
import { amountText } from '../text/text-format.ts';
import { BlockLink, Panel, SaveMenu, Scroll, Switch } from './parts.tsx';
import { ageColumn, type TxColumn, TxTable } from './tx-table.tsx';
import type { ViewProps } from './view.ts';

const filters = [
  ['all', 'All'],
  ['in', 'In'],
  ['out', 'Out'],
  ['cross', 'Cross-chain'],
] as const;

type Row = { readonly tx: Tx; readonly changes: ReturnType<typeof changesOf> };

/** The transactions of an address with what they changed, and the balance after each. */
export function AddressHistory({ data: { txs, address, plot, after }, context, now }: Omit<ViewProps<AddressData>, 'origin'>) {
  const [filter, setFilter] = useState<(typeof filters)[number][0]>('all');
  const bare = address.slice(address.indexOf('-') + 1);
  const rows = txs.map((tx): Row => ({ tx, changes: changesOf(tx, bare) }));
  const isShown = ({ tx, changes }: Row): boolean => {
    if (filter === 'cross') return tx.txType === 'ImportTx' || tx.txType === 'ExportTx';
    if (filter === 'all') return true;
    return changes.some(({ change }) => (filter === 'in' ? change > 0n : change < 0n));
  };
  const denomination = plot?.asset.type === 'nft' ? 0 : (plot?.asset.denomination ?? 0);
  const columns: TxColumn<Row>[] = [
    { name: 'Block', cell: ({ tx }) => <BlockLink height={tx.blockHeight} /> },
    { name: 'Change', cell: ({ changes }) => <Changes changes={changes} /> },
    ...(plot === undefined
      ? []
      : [
          {
            name: `${plot.asset.symbol || 'Balance'} after`,
            cell: ({ tx: { txHash } }: Row) => (after[txHash] === undefined ? '–' : amountText(after[txHash], denomination)),
            isQuiet: true,
          },
        ]),
    ageColumn<Row>(({ tx }) => tx.timestamp, now),
  ];
  return (
    <Panel
      title="History"
      side={
        <>
          <Switch label="Show" options={filters} value={filter} onChange={setFilter} />
          <SaveMenu csv="history" />
        </>
      }
    >
      <Scroll>
        <TxTable csv="history" rows={rows.filter(isShown)} summary={({ tx }) => summarizeTx(tx)} columns={columns} context={context} />
      </Scroll>
      {rows.length === 0 && <p class="table-foot">No transactions.</p>}
    </Panel>
  );
}

const Changes = ({ changes }: Pick<Row, 'changes'>) => (
  <>
    {changes.map(({ change, asset }) => (
      <div class={change < 0n ? 'loss' : 'gain'}>
        {change > 0n ? '+' : ''}
        {amountText(change, asset.type === 'nft' ? 0 : asset.denomination)} {asset.symbol}
      </div>
    ))}
  </>
);

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
  // An imported output was on another chain before, and an exported one is no longer on this chain.
  const isLocal = ({ consumedOnChainId, createdOnChainId }: Utxo): boolean => consumedOnChainId === createdOnChainId;
  add(tx.consumedUtxos.filter(isLocal), -1n);
  add(tx.emittedUtxos.filter(isLocal), 1n);
  return [...sums.values()].filter(({ change }) => change !== 0n);
}
