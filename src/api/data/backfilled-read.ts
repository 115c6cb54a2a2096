import type { Address } from '../../base/bytes/address.ts';
import type { BackfillOutcome, ServedChain } from '../rest/served-chains.ts';

/**
 * Reads about addresses what must be backfilled first. Where `backfills` tells whether anything was backfilled, the read runs at the same time and
 * again if something was: nearly always nothing is, and to find that out takes a round trip to the database. `areImportsKnown`: whether it is known
 * which of their exports other chains have imported.
 */
export async function readBackfilled<T>(
  { backfillAddresses, backfills, foreignImports }: Pick<ServedChain, 'backfillAddresses' | 'backfills' | 'foreignImports'>,
  owners: readonly Address[],
  read: (areImportsKnown: boolean) => Promise<T>,
): Promise<T> {
  const areKnownAfter = (outcome: BackfillOutcome | undefined): boolean => foreignImports !== 'unknown' && outcome !== 'imports-unknown';
  if (backfills === undefined) return read(areKnownAfter(await backfillAddresses?.(owners)));
  const before = backfills();
  const expected = areKnownAfter('complete');
  const [result, outcome] = await Promise.all([read(expected), backfillAddresses?.(owners)]);
  const areImportsKnown = areKnownAfter(outcome);
  return backfills() === before && areImportsKnown === expected ? result : read(areImportsKnown);
}
