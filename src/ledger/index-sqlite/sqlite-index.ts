import { type Id, idFromBytes, idToBytes } from '../../base/bytes/id.ts';
import { createBlockWriter, type IndexSpec, type SignerReads } from '../index-write/block-writer.ts';
import { type ExportedOutput, type ExportedOutputs, exportedOutputQueries } from '../index-write/exported-outputs.ts';
import { createStoredBlockIndexer } from '../index-write/stored-blocks.ts';
import type { OnBlocksStored, OnUtxosStored } from '../state/chain-writer.ts';
import { tablesOf } from '../state/schema.ts';
import { sqliteRunner } from '../store/sqlite-runner.ts';
import type { Store } from '../store/store.ts';

/** The history index of a chain, in the chain's own SQLite database. */
export type SqliteIndex = {
  /** Writes the index of blocks. Called in the transaction that stores them, by `init`, `accept` and `extendGenesis` of node-store.ts. */
  readonly indexBlocks: OnBlocksStored;
  /** Passed to `state.addPreLinearizationUtxos`. */
  readonly indexPreLinearizationUtxos: OnUtxosStored;
  readonly exported: ExportedOutputs;
  /** Marks an exported output as spent on its destination chain. Must run inside a write transaction. */
  readonly markExportSpent: (output: ExportedOutput) => void;
  /** The transaction of this chain that imported an output. */
  readonly importerOf: (utxoID: Id) => Id | undefined;
  /** Height of the last indexed block; -1 if the index is empty. */
  readonly height: () => number;
  /**
   * Indexes the stored blocks that are missing in the index, for example in a database that was written before the index existed. Each step
   * indexes a batch of blocks in one transaction, so it can be stopped after any step and started again. It must finish before the next
   * block is committed.
   */
  readonly catchUp: () => Generator<IndexProgress, void>;
};

/** Number of indexed blocks, and of all blocks. */
export type IndexProgress = { readonly done: number; readonly total: number };

/** `signers`: see `createBlockWriter`. */
export function openSqliteIndex(store: Store, chain: IndexSpec, signers: SignerReads = {}): SqliteIndex {
  const run = sqliteRunner(store.db);
  const writer = createBlockWriter(chain, 'sqlite', signers);
  store.onReload(writer.clearCache);
  const exported = exportedOutputQueries(chain, 'sqlite');
  const indexFrom = createStoredBlockIndexer(chain, writer);
  const progress = store.db.prepare<{ height: number }>('SELECT height FROM progress WHERE chain = ?');
  const importer = store.db.prepare<{ taken_by: Uint8Array }>(
    'SELECT taken_by FROM moved WHERE id = ? AND destination = ? AND taken_by IS NOT NULL LIMIT 1',
  );
  const tip = store.db.prepare<{ height: number | null }>(`SELECT max(height) AS height FROM ${tablesOf(chain.number).block}`);
  const height = (): number => progress.get(idToBytes(chain.id))?.height ?? -1;
  return {
    indexBlocks: (stored) => {
      if (stored.length > 0) run(writer.write(stored));
    },
    indexPreLinearizationUtxos: (utxos, balances) => run(writer.writePreLinearizationUtxos(utxos, balances)),
    exported: {
      listUnspent: async (address) => run(exported.listUnspent(address)),
      markSpent: async (outputs) => void store.write(() => run(exported.markSpent(outputs))),
    },
    markExportSpent: (output) => void run(exported.markSpent([output])),
    importerOf: (utxoID) => {
      const row = importer.get(idToBytes(utxoID), idToBytes(chain.id));
      return row && idFromBytes(row.taken_by);
    },
    height,
    catchUp: function* () {
      const total = (tip.get()?.height ?? -1) + 1;
      for (let done = height() + 1; done < total; done = height() + 1) {
        store.write(() => run(indexFrom(done)));
        yield { done: height() + 1, total };
      }
    },
  };
}
