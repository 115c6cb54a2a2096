import { Fault } from '../fault.ts';

/** What a check is given: where it reports problems, and how it walks a table. */
export type Checking = { readonly complain: Complain; readonly walk: Walk };

/** Takes a problem down. */
export type Complain = (problem: string) => void;

/** Reads rows piece by piece: `next` gives those after the last one of the piece before. */
export type Walk = <Row>(next: (last: Row | undefined, limit: number) => Row[]) => Generator<Row>;

/** `read` is told how many rows each piece had. */
export const walkTelling = (read: (rows: number) => void): Walk =>
  function* <Row>(next: (last: Row | undefined, limit: number) => Row[]): Generator<Row> {
    const limit = 1024;
    let rows: Row[] = [];
    do {
      rows = next(rows[rows.length - 1], limit);
      yield* rows;
      read(rows.length);
    } while (rows.length === limit);
  };

/** What bytes stand for, if they still stand for something. */
export function readable<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}
