import type { DataRow } from './data-rows.ts';
import type { PostgresBenchChain } from './postgres-chain.ts';
import type { SqlCount } from './sql-counter.ts';
import { createUncachedApi } from './uncached-api.ts';

/** Round trips and statements of a row: with empty caches, and again when labels and pieces of its items are cached. */
type RowStatements = { readonly first: SqlCount; readonly again: SqlCount };

/**
 * Counts the statements of each row, by running its routes in this process without a response cache. A server runs one more statement per
 * round trip: it reads the version of the index.
 */
export async function countStatements(chain: PostgresBenchChain, rows: readonly DataRow[]): Promise<ReadonlyMap<DataRow, RowStatements>> {
  const counts = new Map<DataRow, RowStatements>();
  for (const row of rows) {
    const respond = createUncachedApi(chain, 32 * 1024 * 1024);
    const first = await chain.counter.count(() => respond(row.repeated));
    counts.set(row, { first, again: await chain.counter.count(() => respond(row.repeated)) });
  }
  return counts;
}

export function formatStatements(counts: ReadonlyMap<DataRow, RowStatements>): string[] {
  const text = ({ roundTrips, statements }: SqlCount) => `${roundTrips} (${statements})`;
  const lines = [...counts].map(([{ name }, { first, again }]) => `  ${name}: ${text(first)}, again ${text(again)}`);
  return ['round trips (statements) per response that is not in the response cache:', ...lines];
}
