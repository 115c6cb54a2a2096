import type { Id } from '../../base/bytes/id.ts';
import { cacheByVersion } from '../../base/cache/memoize.ts';
import type { SqliteIndex } from '../../ledger/index-sqlite/sqlite-index.ts';
import type { SharedMemory } from '../../ledger/state/shared-memory.ts';
import type { Store } from '../../ledger/store/store.ts';

export type ExportClaims = {
  /** Removes an output that this chain exported from shared memory, as if the destination chain had imported it. Returns false if it is not there. */
  readonly claimExport: (destination: Id, utxoID: Id) => boolean;
  /** The number of claimed exports: facts that became known after the blocks they belong to were indexed. */
  readonly backfillRevision: () => number;
};

/**
 * Claims of exported outputs by the P- or C-Chain, which Serac does not run: a developer makes them. Their number is stored, so that reader
 * processes notice a claim and do not serve responses that were cached before it.
 */
export function openExportClaims(
  store: Store,
  chainID: Id,
  sharedMemory: Pick<SharedMemory, 'get' | 'remove'>,
  index: SqliteIndex | undefined,
): ExportClaims {
  const name = `export claims ${chainID}`;
  const select = store.db.prepare<{ value: number }>('SELECT value FROM meta WHERE name = ?');
  const count = (): number => select.get(name)?.value ?? 0;
  return {
    claimExport: (destination, utxoID) => {
      if (sharedMemory.get(destination, chainID, utxoID) === undefined) return false;
      store.write(() => {
        sharedMemory.remove(destination, chainID, [utxoID]);
        index?.markExportSpent({ id: utxoID, destination });
        store.db.prepare('INSERT OR REPLACE INTO meta VALUES (?, ?)').run(name, count() + 1);
      });
      return true;
    },
    backfillRevision: cacheByVersion(count, store.version),
  };
}
