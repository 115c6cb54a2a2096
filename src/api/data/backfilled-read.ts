import type { Address } from '../../base/bytes/address.ts';
import type { ServedChain } from '../rest/served-chains.ts';

/**
 * Reads about addresses what must be backfilled first. Where `backfills` tells whether anything was backfilled, the read runs at the same time and
 * again if something was: nearly always nothing is, and to find that out takes a round trip to the database.
 */
export async function readBackfilled<T>(
  { backfillAddresses, backfills }: Pick<ServedChain, 'backfillAddresses' | 'backfills'>,
  owners: readonly Address[],
  read: () => Promise<T>,
): Promise<T> {
  if (backfills === undefined) {
    await backfillAddresses?.(owners);
    return read();
  }
  const before = backfills();
  const [result] = await Promise.all([read(), backfillAddresses?.(owners)]);
  return backfills() === before ? result : read();
}
