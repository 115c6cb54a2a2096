import { useState } from 'preact/hooks';
import type { Tx, Utxo } from '../../api/contract/answers.ts';
import { type AddressData, historyKinds, isFiltered } from '../load/load-address.ts';
import type { TxRow } from '../load/tx-row.ts';
import { amountText } from '../text/text-format.ts';
import { BlockLink, Panel, SaveMenu, Scroll, Switch } from './parts.tsx';
import { ageColumn, type TxColumn, TxTable } from './tx-table.tsx';
import type { ViewProps } from './view.ts';

/** The URL of the history with its filters, from a page on. */
export function historyUrl({ address, filter: { kind, from, to }, plot }: AddressData, page?: string): string {
  const params = new URLSearchParams({
    ...(page !== undefined && { page }),
    ...(plot !== undefined && { asset: plot.asset.assetId, range: plot.range }),
    ...(kind !== '' && { kind }),
    ...(from !== '' && { since: from }),
    ...(to !== '' && { until: to }),
  });
  return `/address/${address}?${params}`;
}

const filters = [
  ['all', 'All'],
  ['in', 'In'],
  ['out', 'Out'],
] as const;

type Row = { readonly tx: Tx; readonly line: TxRow; readonly changes: ReturnType<typeof changesOf> };

/** The transactions of an address with what they changed, and the balance after each. */
export function AddressHistory({ data, context, now }: Omit<ViewProps<AddressData>, 'origin'>) {
  const { txs, summaries, address, plot, after } = data;
  const [filter, setFilter] = useState<(typeof filters)[number][0]>('all');
  const bare = address.slice(address.indexOf('-') + 1);
  const rows = txs.flatMap((tx): Row[] => {
    const { txHash: id, txType: type, blockHeight: height, timestamp: time } = tx;
    const summary = summaries[id];
    return summary === undefined ? [] : [{ tx, line: { id, type, height, time, summary }, changes: changesOf(tx, bare) }];
  });
  const isShown = ({ changes }: Row): boolean => {
    if (filter === 'all') return true;
    return changes.some(({ change }) => (filter === 'in' ? change > 0n : change < 0n));
  };
  const denomination = plot?.asset.type === 'nft' ? 0 : (plot?.asset.denomination ?? 0);
  const columns: TxColumn<Row>[] = [
    { name: 'Block', cell: ({ tx }) => <BlockLink height={tx.blockHeight} /> },
    { name: 'Change', cell: ({ changes }) => <Changes changes={changes} /> },
    ...(plot === undefined || isFiltered(data.filter)
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
      <HistoryForm data={data} />
      <Scroll>
        <TxTable csv="history" rows={rows.filter(isShown)} line={({ line }) => line} columns={columns} context={context} />
      </Scroll>
      {rows.length === 0 && <p class="table-foot">{isFiltered(data.filter) ? 'No transaction fits these filters.' : 'No transactions.'}</p>}
    </Panel>
  );
}

/** Filters that the server applies, so that all pages have them. A form: it works without script too. */
const HistoryForm = ({ data: { address, filter, plot } }: { data: AddressData }) => (
  <form class="row padded" method="get" action={`/address/${address}`}>
    {plot !== undefined && <input type="hidden" name="asset" value={plot.asset.assetId} />}
    <label>
      Kind
      <select name="kind">
        <option value="">All</option>
        {Object.keys(historyKinds).map((word) => (
          <option value={word} selected={word === filter.kind}>
            {word}
          </option>
        ))}
      </select>
    </label>
    <label>
      From, UTC <input type="date" name="since" defaultValue={filter.from} />
    </label>
    <label>
      To, UTC <input type="date" name="until" defaultValue={filter.to} />
    </label>
    <button type="submit">Filter</button>
    {isFiltered(filter) && (
      <a class="button" href={`/address/${address}`}>
        All transactions
      </a>
    )}
  </form>
);

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
