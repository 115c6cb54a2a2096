import type { ComponentChildren } from 'preact';
import type { TxSummary } from '../../api/contract/answers.ts';
import { type Party, partiesOf, partyText, type SentencePart, sentenceOf } from '../../api/summary/sentence.ts';
import { chainTitle, ownerName, type PageContext, shortName } from '../load/page-context.ts';
import { kindOfType } from '../load/tx-kind.ts';
import type { TxRow } from '../load/tx-row.ts';
import { ageText, plural } from '../text/text-format.ts';
import { Rows } from './in-parts.tsx';
import { AddressLink, AmountText, KindPill, TxLink } from './parts.tsx';

/** One owner as a link; several as `2 of 3 owners`. */
const PartyLink = ({ party, context }: { party: Party; context: PageContext }) =>
  party.addresses.length === 1 ? (
    <AddressLink address={party.addresses[0] as string} context={context} />
  ) : (
    <span title={party.addresses.join(' ')}>{partyText(party, String)}</span>
  );

const Parts = ({ parts, context }: { parts: readonly SentencePart[]; context: PageContext }) => (
  <>
    {parts.map((part) => {
      if (typeof part === 'string') return part;
      if ('party' in part) return <PartyLink party={part.party} context={context} />;
      return 'chain' in part ? chainTitle(context, part.chain) : <AmountText amount={part.amount} />;
    })}
  </>
);

/** Owners as links: two of them, or the first and how many more. */
export const PartyLinks = ({ parties, context }: { parties: readonly Party[]; context: PageContext }) => (
  <Parts parts={partiesOf(parties, parties.length)} context={context} />
);

/** The sentence about a transaction, with links: `account 1 sent 1,250.5 AVAX to account 2`. */
export const Sentence = ({ summary, context }: { summary: TxSummary; context: PageContext }) => (
  <p class="sentence">
    <Parts parts={sentenceOf(summary)} context={context} />
  </p>
);

/** The same as a title, or as a line of a list. A title begins with a capital where it begins with a word. */
export function TitleSentence({ summary, context }: { summary: TxSummary; context: PageContext }) {
  const parts = sentenceOf(summary);
  return (
    <span class={`sentence${beginsWithWord(parts[0], context) ? ' begins-with-word' : ''}`}>
      <Parts parts={parts} context={context} />
    </span>
  );
}

/** Whether a sentence begins with a word of its own: `account 1` and `2 of 3 owners`, not a name that somebody gave, nor an address. */
function beginsWithWord(part: SentencePart | undefined, context: PageContext): boolean {
  if (part === undefined || typeof part === 'string') return true;
  if (!('party' in part)) return false;
  const [address = '', ...others] = part.party.addresses;
  return others.length > 0 || /^account \d+$/.test(shortName(context, address) ?? '');
}

/** The sentence without its verb and amounts, which have columns of their own: who, and to whom. */
function partiesParts({ action, from, fromCount, to, toCount, isToSelf, otherChain = '' }: TxSummary): readonly SentencePart[] {
  const senders: readonly SentencePart[] = fromCount === 0 ? ['unknown sender'] : partiesOf(from, fromCount);
  const receivers: readonly SentencePart[] = isToSelf ? ['itself'] : partiesOf(to, toCount);
  if (action === 'create') return fromCount === 0 ? ['by the network'] : ['by ', ...senders];
  if (action === 'burn') return ['burned by ', ...senders];
  if (action === 'import') return ['from ', { chain: otherChain }, ' → ', ...receivers];
  if (action === 'export') return [...senders, ' → ', { chain: otherChain }, ...(isToSelf ? [] : [' for ', ...receivers])];
  return [...senders, ' → ', ...receivers];
}

/** Who, and to whom, as a text for pictures. */
export const partiesText = (summary: TxSummary, context: PageContext): string =>
  partiesParts(summary)
    .map((part) => {
      if (typeof part === 'string') return part;
      if ('party' in part) return partyText(part.party, (address) => ownerName(context, address));
      return 'chain' in part ? chainTitle(context, part.chain) : '';
    })
    .join('');

/** What a transaction moved; of a created asset, its name too. */
export function Moved({ summary: { action, created, amounts, amountCount } }: { summary: TxSummary }) {
  const [first] = amounts;
  const sign = action === 'mint' ? '+' : '';
  return (
    <>
      {created !== undefined && (
        <span class="quiet">
          <span class="asset-name">{created.name}</span>
          {first === undefined && created.type === 'secp256k1' && `, ${plural(created.denomination, 'decimal')}`}
          {first !== undefined && ', '}
        </span>
      )}
      {first !== undefined && <AmountText amount={first} sign={sign} />}
      {amountCount > 1 && <small class="quiet"> and {amountCount - 1} more</small>}
      {first === undefined && created === undefined && <span class="quiet">–</span>}
    </>
  );
}

/** A column of a table of transactions, beside kind, ID and parties. */
export type TxColumn<R> = {
  readonly name: string;
  readonly cell: (row: R, at: number) => ComponentChildren;
  /** A time in Unix seconds; the cell then shows its age. */
  readonly time?: (row: R) => number;
  readonly isQuiet?: boolean;
  /** Where the cell is on a phone, at the end of a line of its row. Default: below them, with the name of the column. */
  readonly phone?: 'line-1-end' | 'line-2-end' | 'line-3-end';
};

type TxTableProps<R> = {
  /** Name of the CSV file. */
  readonly csv: string;
  readonly rows: readonly R[];
  readonly line: (row: R) => TxRow;
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
export const TxTable = <R,>({ csv, rows, line, columns, context, caption, firstIndex, fresh, isBusy, class: name }: TxTableProps<R>) => (
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
      <Rows>
        {rows.map((row, at) => {
          const one = line(row);
          return (
            <tr
              key={isBusy ? at : one.id}
              id={firstIndex === undefined ? undefined : `tx-${firstIndex + at}`}
              class={fresh?.has(one.id) ? 'fresh' : ''}
            >
              {firstIndex !== undefined && <td class="number quiet">{firstIndex + at}</td>}
              <td class="line-1">
                <KindPill kind={kindOfType(one.type, one.summary.action === 'mint')} />
              </td>
              <td class="line-1">
                <TxLink id={one.id} />
              </td>
              <td class="wide-cell">
                <span class="parties">
                  <Parts parts={partiesParts(one.summary)} context={context} />
                </span>
              </td>
              {columns.map(({ name, cell, time, isQuiet, phone }) => (
                <td
                  class={`number ${phone ?? 'line-3'}${isQuiet ? ' quiet' : ''}`}
                  data-age={time?.(row)}
                  data-name={phone === undefined ? name : undefined}
                >
                  {cell(row, at)}
                </td>
              ))}
            </tr>
          );
        })}
      </Rows>
    </tbody>
  </table>
);

export const amountColumn: TxColumn<TxRow> = {
  name: 'Amount',
  cell: ({ summary }) => <Moved summary={summary} />,
  phone: 'line-2-end',
};

/** How long ago each transaction was accepted. */
export const ageColumn = <R,>(time: (row: R) => number, now: number): TxColumn<R> => ({
  name: 'Age',
  time,
  cell: (row) => ageText(now - time(row)),
  isQuiet: true,
  phone: 'line-1-end',
});
