import { chainTitle, type PageContext } from '../page-context.ts';
import { ageText, plural } from '../text-format.ts';
import { kindOfType } from '../tx-kind.ts';
import type { TxSummary } from '../tx-summary.ts';
import { AddressLink, AmountText, KindPill, TxLink } from './parts.tsx';

/** Who sends to whom, in words and links. */
export function Parties({ summary, context }: { summary: TxSummary; context: PageContext }) {
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

/**
 * Rows of a list of transactions. `fresh` are IDs whose rows just came. `isBusy`: so many come that whole lists are replaced; rows of the
 * document are then reused for other transactions, which costs a third of creating them.
 */
export const TxRows = ({
  rows,
  context,
  now,
  fresh,
  isBusy = false,
}: {
  rows: readonly TxSummary[];
  context: PageContext;
  now: number;
  fresh?: ReadonlySet<string>;
  isBusy?: boolean;
}) => (
  <>
    {rows.map((row, at) => (
      <tr key={isBusy ? at : row.id} class={fresh?.has(row.id) ? 'fresh' : ''}>
        <td>
          <KindPill kind={kindOfType(row.type, row.isMint)} />
        </td>
        <td>
          <TxLink id={row.id} />
        </td>
        <td class="wide-cell">
          <Parties summary={row} context={context} />
        </td>
        <td class="number">
          <Moved summary={row} />
        </td>
        <td class="number quiet" data-age={row.time}>
          {ageText(now - row.time)}
        </td>
      </tr>
    ))}
  </>
);
