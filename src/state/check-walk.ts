import { Fault } from '../fault.ts';

/** Takes a problem down. */
export type Complain = (problem: string) => void;

/** Reads rows piece by piece: `next` gives those after the last one of the piece before. */
export function* piecewise<Row>(next: (last: Row | undefined, limit: number) => Row[]): Generator<Row> {
  const limit = 1024;
  let rows: Row[] = [];
  do {
    rows = next(rows[rows.length - 1], limit);
    yield* rows;
  } while (rows.length === limit);
}

/** What bytes stand for, if they still stand for something. */
export function readable<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}
