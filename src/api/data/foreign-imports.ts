import type { Utxo } from '../../avm/tx/utxo.ts';
import { ApiError } from '../rest/api-error.ts';
import type { ServedChain } from '../rest/served-chains.ts';

/** Owners whose exports one request looks up. */
const maxOwners = 64;

/**
 * Finds out which of these exported outputs other chains have imported; the caller then reads them again. Returns false if that cannot be
 * found out now: the response then marks those that are not known to be imported with `mayBeImported`.
 */
export async function lookUpImports(chain: ServedChain, exported: readonly Utxo[]): Promise<boolean> {
  if (chain.foreignImports === undefined || exported.length === 0) return true;
  // The outputs of one owner are listed with all their owners, so one of each is enough.
  const owners = new Set(exported.map(({ output }) => output.addresses[0]));
  if (chain.foreignImports === 'unknown' || owners.size > maxOwners || chain.status() !== 'OK') return false;
  try {
    const outcome = await chain.backfillAddresses?.([...owners].filter((owner) => owner !== undefined));
    return outcome !== 'imports-unknown' && !owners.has(undefined);
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}
