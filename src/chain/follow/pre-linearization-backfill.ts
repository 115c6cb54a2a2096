import { createAddressTask, type RecordedTask } from './address-task.ts';
import type { FollowLedger } from './ledger.ts';
import type { Remote } from './remote.ts';
import { listUtxoPages } from './utxo-pages.ts';

/**
 * Fetches unspent outputs of an address from before linearization. No block contains them, so the followed node lists them when an address
 * is first requested. A ledger without records of the addresses has them listed again after a restart; outputs that are already stored are skipped.
 */
export const createPreLinearizationBackfill = ({
  remote,
  ledger,
  waitForHeight,
}: {
  readonly remote: Pick<Remote, 'height' | 'utxos'>;
  readonly ledger: Pick<FollowLedger, 'addPreLinearizationUtxos' | 'backfilledAddresses'>;
  /** Resolves when the block of this height is stored; rejects if that takes too long. */
  readonly waitForHeight: (height: bigint) => Promise<void>;
}): RecordedTask =>
  createAddressTask(
    async (address) => {
      if (await ledger.backfilledAddresses?.has(address)) return;
      for await (const utxos of listUtxoPages(remote, 'X', address)) {
        // Once all blocks up to the node's height are stored, every listed output that is still missing is from before linearization.
        await waitForHeight(await remote.height());
        if (utxos.length > 0) await ledger.addPreLinearizationUtxos(utxos);
      }
      await ledger.backfilledAddresses?.add(address);
    },
    { concurrency: 8 },
  );
