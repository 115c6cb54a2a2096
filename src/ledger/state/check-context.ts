/** The callbacks that a check uses to report problems and to read a table. */
export type CheckContext = { readonly addProblem: AddProblem; readonly readRows: ReadRows };

export type AddProblem = (problem: string) => void;

/** Reads all rows in batches: `next` returns the batch after the given row. */
type ReadRows = <Row>(next: (last: Row | undefined, limit: number) => Row[]) => Generator<Row>;

/** Creates a batch reader that calls `onBatch` with the number of rows of each batch. */
export const createRowReader = (onBatch: (rows: number) => void): ReadRows =>
  function* <Row>(next: (last: Row | undefined, limit: number) => Row[]): Generator<Row> {
    const limit = 1024;
    let rows: Row[] = [];
    do {
      rows = next(rows[rows.length - 1], limit);
      yield* rows;
      onBatch(rows.length);
    } while (rows.length === limit);
  };
