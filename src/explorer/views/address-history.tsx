import type { Tx } from '../../api/contract/answers.ts';
import { type AssetChange, changesOf, isGain } from '../load/asset-change.ts';
import { placeNames } from '../load/list-place.ts';
import type { AddressData } from '../load/load-address.ts';
import { historyKinds, isFiltered } from '../load/load-history.ts';
import type { ViewProps } from '../load/page-context.ts';
import type { TxRow } from '../load/tx-row.ts';
import { amountText, plainAmount, plural, shortId } from '../text/text-format.ts';
import { Pager } from './pager.tsx';
import { BlockLink, Panel, SaveMenu, Scroll } from './parts.tsx';
import { ageColumn, type TxColumn, TxTable } from './tx-table.tsx';

/** The URL of the history with its filters and its place, and with other choices. */
export function historyUrl({ address, history }: AddressData, change: { readonly [name: string]: string }): string {
  const params = new URLSearchParams(history.params);
  for (const [name, value] of Object.entries(change)) {
    if (value === '') params.delete(name);
    else params.set(name, value);
  }
  return params.size === 0 ? `/address/${address}` : `/address/${address}?${params}`;
}

const filters = [
  ['all', 'All'],
  ['in', 'In'],
  ['out', 'Out'],
] as const;

type Row = { readonly tx: Tx; readonly line: TxRow; readonly changes: readonly AssetChange[] };

/** The transactions of an address with what they changed, and the balance after each. */
export function AddressHistory({ data, context, now }: Omit<ViewProps<AddressData>, 'origin'>) {
  const { address, plot, history, after } = data;
  const { show } = history.filter;
  const rows = history.txs.flatMap((tx): Row[] => {
    const { txHash: id, txType: type, blockHeight: height, timestamp: time } = tx;
    const summary = history.summaries[id];
    return summary === undefined ? [] : [{ tx, line: { id, type, height, time, summary }, changes: changesOf(tx, address) }];
  });
  const isShown = ({ changes }: Row): boolean => {
    if (show === 'all') return true;
    return changes.some((one) => isGain(one) === (show === 'in'));
  };
  const denomination = plot?.asset.type === 'nft' ? 0 : (plot?.asset.denomination ?? 0);
  const columns: TxColumn<Row>[] = [
    { name: 'Block', cell: ({ tx }) => <BlockLink height={tx.blockHeight} /> },
    { name: 'Change', cell: ({ changes }) => <Changes changes={changes} />, phone: 'line-2-end' },
    ...(plot === undefined || isFiltered(history.filter)
      ? []
      : [
          {
            name: `Own ${plot.asset.symbol || 'balance'} after`,
            cell: ({ tx }: Row) => balanceText(after[tx.txHash], denomination),
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
          <nav class="switch" aria-label="Show">
            {filters.map(([name, word]) => (
              <a
                href={historyUrl(data, { show: name === 'all' ? '' : name })}
                aria-current={name === show ? 'true' : undefined}
                data-in-place
              >
                {word}
              </a>
            ))}
          </nav>
          <SaveMenu csv="history" />
        </>
      }
    >
      <HistoryForm data={data} />
      <Pager
        pager={history.pager}
        list="history"
        what="transactions"
        jump={{ path: `/address/${address}`, keep: keptParams(history.params) }}
      />
      <Scroll>
        <TxTable csv="history" rows={rows.filter(isShown)} line={({ line }) => line} columns={columns} context={context} />
      </Scroll>
      {rows.length === 0 && <p class="table-foot">{emptyText(history)}</p>}
    </Panel>
  );
}

/** Parameters that a jump to another place keeps. */
const keptParams = (params: string): [string, string][] =>
  [...new URLSearchParams(params)].filter(([name]) => !placeNames.some((place) => place === name));

const balanceText = (balance: string | undefined, denomination: number): string =>
  balance === undefined ? '–' : amountText(balance, denomination);

function emptyText({ filter, pager, searched }: AddressData['history']): string {
  if (!isFiltered(filter)) return 'No transactions.';
  return pager.links.older === undefined
    ? 'No transaction fits these filters.'
    : `None of ${plural(searched ?? 0, 'transaction')}; older ones may.`;
}

/** Filters that the server applies, so that all pages have them. A form: it works without script too. */
const HistoryForm = ({ data: { address, history, plot, balances } }: { data: AddressData }) => (
  <form class="row padded" method="get" action={`/address/${address}`}>
    {plot !== undefined && <input type="hidden" name="asset" value={plot.asset.assetId} />}
    <label>
      Kind
      <select name="kind">
        <option value="">All</option>
        {Object.keys(historyKinds).map((word) => (
          <option value={word} selected={word === history.filter.kind}>
            {word}
          </option>
        ))}
      </select>
    </label>
    <label>
      Asset
      <select name="moved">
        <option value="">All</option>
        {assetsOf(balances, history.filter.asset).map(([id, word]) => (
          <option value={id} selected={id === history.filter.asset}>
            {word}
          </option>
        ))}
      </select>
    </label>
    <label>
      From, UTC <input type="date" name="since" defaultValue={history.filter.from} />
    </label>
    <label>
      To, UTC <input type="date" name="until" defaultValue={history.filter.to} />
    </label>
    <button type="submit">Filter</button>
    {isFiltered(history.filter) && (
      <a class="button" href={`/address/${address}`}>
        All transactions
      </a>
    )}
  </form>
);

/** Assets that the address has, and the one that is asked for, with their symbols. */
function assetsOf(balances: AddressData['balances'], asked: string): [string, string][] {
  const words = new Map(asked === '' ? [] : [[asked, shortId(asked)]]);
  for (const { assetId, symbol } of Object.values(balances).flat()) words.set(assetId, symbol || shortId(assetId));
  return [...words];
}

const Changes = ({ changes }: Pick<Row, 'changes'>) => (
  <>
    {changes.map(({ change, shared, asset }) => (
      <>
        {change !== 0n && <Change change={change} asset={asset} />}
        {shared !== 0n && <Change change={shared} asset={asset} isShared />}
      </>
    ))}
  </>
);

/** What an address owns with others is not in its balance: muted, and said so. */
function Change({ change, asset, isShared = false }: { change: bigint; asset: AssetChange['asset']; isShared?: boolean }) {
  const denomination = asset.type === 'nft' ? 0 : asset.denomination;
  const of = isShared ? ' multisig' : '';
  return (
    <div
      class={isShared ? 'quiet' : change < 0n ? 'loss' : 'gain'}
      data-amount={plainAmount(change, denomination)}
      data-unit={`${asset.symbol || asset.assetId}${of}`}
      title={isShared ? 'owned with others: not in the balance' : undefined}
    >
      {change > 0n ? '+' : ''}
      {amountText(change, denomination)} {asset.symbol}
      {of}
    </div>
  );
}
