import type { ComponentChildren } from 'preact';
import { chainTitle, type PageContext } from '../load/page-context.ts';
import { kindOfType } from '../load/tx-kind.ts';
import type { TxSummary } from '../load/tx-summary.ts';
import { ageText, plural } from '../text/text-format.ts';
import { AddressLink, AmountText, KindPill, TxLink } from './parts.tsx';

/** Who sends to whom, in words and links. */
function Parties({ summary, context }: { summary: TxSummary; context: PageContext }) {
  const { type, isMint, from, to, otherChain, created } = summary;
  const link = (address: string | undefined) =>
    address === undefined ? <span class="quiet">nobody</span> : <AddressLink address={address} context={context} />;
  if (created !== undefined) return <span class="parties">by {link(from)}</span>;
  if (isMint) return <span class="parties">minted to {link(to)}</span>;
  if (type === 'ImportTx')
    return (
      <span class="parties">
        from {chainTitle(context, otherChain ?? '')} → {link(to)}
      </span>
    );
  if (type === 'ExportTx')
    return (
      <span class="parties">
        {link(from)} → {chainTitle(context, otherChain ?? '')}
      </span>
    );
  return (
    <span class="parties">
      {link(from)} → {to === from ? <span class="quiet">itself</span> : link(to)}
    </span>
  );
}

/** What a transaction moved; for a created asset its name. */
export function Moved({ summary }: { summary: TxSummary }) {
  if (summary.created !== undefined)
    return (
      <span class="quiet">
        {summary.created.name}, {plural(summary.created.denomination, 'decimal')}
      </span>
    );
  return summary.amount === undefined ? (
    <span class="quiet">–</span>
  ) : (
    <AmountText amount={summary.amount} sign={summary.isMint ? '+' : ''} />
  );
}

/** A column of a table of transactions, beside kind, ID and parties. */
export type TxColumn<R> = {
  readonly name: string;
  readonly cell: (row: R, at: number) => ComponentChildren;
  /** A time in Unix seconds; the cell then shows its age. */
  readonly time?: (row: R) => number;
  readonly isQuiet?: boolean;
};

type TxTableProps<R> = {
  /** Name of the CSV file. */
  readonly csv: string;
  readonly rows: readonly R[];
  readonly summary: (row: R) => TxSummary;
  readonly columns: readonly TxColumn<R>[];
  readonly context: PageContext;
  readonly caption?: string;
  /** The first column is then the index of the transaction, counted from this. */
  readonly firstIndex?: number;
  /** IDs whose rows just came. */
  readonly fresh?: ReadonlySet<string>;
  /** So many come that whole lists are replaced; rows of the document are then reused for other transactions, which costs a third of creating them. */
  readonly isBusy?: boolean;
  readonly class?: string;
};

/** A table of transactions: kind, ID, who sends to whom, and the columns of its page. */
export const TxTable = <R,>({ csv, rows, summary, columns, context, caption, firstIndex, fresh, isBusy, class: name }: TxTableProps<R>) => (
  <table data-csv={csv} class={name}>
    {caption !== undefined && <caption class="hidden">{caption}</caption>}
    <thead>
      <tr>
        {firstIndex !== undefined && <th class="number">#</th>}
        <th>Kind</th>
        <th>Transaction</th>
        <th>From → to</th>
        {columns.map((column) => (
          <th class="number">{column.name}</th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map((row, at) => {
        const one = summary(row);
        return (
          <tr
            key={isBusy ? at : one.id}
            id={firstIndex === undefined ? undefined : `tx-${firstIndex + at}`}
            class={fresh?.has(one.id) ? 'fresh' : ''}
          >
            {firstIndex !== undefined && <td class="number quiet">{firstIndex + at}</td>}
            <td>
              <KindPill kind={kindOfType(one.type, one.isMint)} />
            </td>
            <td>
              <TxLink id={one.id} />
            </td>
            <td class="wide-cell">
              <Parties summary={one} context={context} />
            </td>
            {columns.map(({ cell, time, isQuiet }) => (
              <td class={isQuiet ? 'number quiet' : 'number'} data-age={time?.(row)}>
                {cell(row, at)}
              </td>
            ))}
          </tr>
        );
      })}
    </tbody>
  </table>
);

export const amountColumn: TxColumn<TxSummary> = { name: 'Amount', cell: (row) => <Moved summary={row} /> };

/** How long ago each transaction was accepted. */
export const ageColumn = <R,>(time: (row: R) => number, now: number): TxColumn<R> => ({
  name: 'Age',
  time,
  cell: (row) => ageText(now - time(row)),
  isQuiet: true,
});
