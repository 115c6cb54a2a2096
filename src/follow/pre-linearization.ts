import type { FollowLedger } from './ledger.ts';
import { type PerAddress, perAddress } from './per-address.ts';
import type { Remote } from './remote.ts';
import { utxoPages } from './utxo-pages.ts';

export type OlderDeps = {
  readonly remote: Pick<Remote, 'height' | 'utxos'>;
  readonly ledger: Pick<FollowLedger, 'addOlder'>;
  /** Resolves when the block of this height is here; rejects if that takes too long. */
  readonly reached: (height: bigint) => Promise<void>;
};

/**
 * Fetches outputs that were there before the first block: no block tells of them, so they are taken from the followed node's own list when
 * somebody first asks for an address. After a restart the first use of one lists it again, and what is already held is passed over.
 */
export const completeOlder = ({ remote, ledger, reached }: OlderDeps): PerAddress =>
  perAddress(
    async (address) => {
      for await (const utxos of utxoPages(remote, 'X', address)) {
        // What was made or consumed up to here is told by blocks; once those are held, only what is older is missing.
        await reached(await remote.height());
        if (utxos.length > 0) await ledger.addOlder(utxos);
      }
    },
    { atOnce: 8 },
  );
