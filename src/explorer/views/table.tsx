import type { ComponentChildren } from 'preact';
import { Rows } from './in-parts.tsx';

/** The name of a column, and whether it has numbers. */
type Column = string | { readonly number: string };

export const TableHead = ({ columns }: { columns: readonly Column[] }) => (
  <thead>
    <tr>{columns.map((column) => (typeof column === 'string' ? <th>{column}</th> : <th class="number">{column.number}</th>))}</tr>
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
