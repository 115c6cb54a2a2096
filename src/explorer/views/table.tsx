import type { ComponentChildren } from 'preact';
import { Rows } from './in-parts.tsx';

/**
 * On a phone every table is a list of rows with two lines (style/media.css). The first line has what matters: the first cell and, at its end, a number
 * in the last; the others follow on the second. A cell may say otherwise with its class: `line-1`, `line-1-end`, `line-2`, `line-2-end`. With
 * `data-name` the cell has a name before its value, for numbers that nobody understands without the head of the column.
 */

/** The name of a column, and whether it has numbers. `unseen`: read aloud only, as of a column of bars. */
type Column = string | { readonly number: string } | { readonly unseen: string };

export const TableHead = ({ columns }: { columns: readonly Column[] }) => (
  <thead>
    <tr>
      {columns.map((column) => {
        if (typeof column === 'string') return <th>{column}</th>;
        if ('number' in column) return <th class="number">{column.number}</th>;
        return (
          <th class="bar-cell">
            <span class="hidden">{column.unseen}</span>
          </th>
        );
      })}
    </tr>
  </thead>
);

type ValuesProps = { csv: string; columns: readonly Column[]; summary?: string; children: ComponentChildren };

/** The values of a picture as a table, which is closed at first. `children`: its rows. */
export const Values = ({ csv, columns, summary = 'Values', children }: ValuesProps) => (
  <details class="values">
    <summary>{summary}</summary>
    <table data-csv={csv}>
      <TableHead columns={columns} />
      <tbody>
        <Rows>{children}</Rows>
      </tbody>
    </table>
  </details>
);
