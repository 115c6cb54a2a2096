import { type Id, idFromBytes, idToBytes } from '../bytes/id.ts';
import { syncStepRunner } from '../index/steps.ts';
import { blockWriter, type IndexSpec } from '../index-write/block-writer.ts';
import { type ExportShelf, exportSteps } from '../index-write/exported-outputs.ts';
import { storedBlocks } from '../index-write/stored-blocks.ts';
import type { Within, WithinAll, WithinOlder } from '../state/chain-state.ts';
import { tablesOf } from '../state/schema.ts';
import type { Store } from '../store/store.ts';

/** The index of a chain in the chain's own database. */
export type SqliteIndex = {
  /** For `state.init` and `state.commit`: writes the index of a block in the block's own transaction. */
  readonly within: Within;
  /** The same for `state.commitAll` and `state.addOlder`. */
  readonly withinAll: WithinAll;
  readonly withinOlder: WithinOlder;
  readonly exported: ExportShelf;
  /** The transaction of this chain that imported an output. */
  readonly importerOf: (utxoID: Id) => Id | undefined;
  /** Height of the last block in the index; -1 if there is none. */
  readonly height: () => number;
  /**
   * Indexes the blocks that the chain has and the index lacks, such as those of a database older than the index: some at each step, so that
   * the caller can look up in between. It can be left and begun again at any step, and must be done before the next block.
   */
  readonly catchUp: () => Generator<Progress, void>;
};

/** Blocks that are indexed, of those there are. */
export type Progress = { readonly done: number; readonly total: number };

export function sqliteIndex(store: Store, chain: IndexSpec): SqliteIndex {
  const run = syncStepRunner(store.db);
  const writer = blockWriter(chain, 'sqlite');
  store.onRevert(writer.forget);
  const exported = exportSteps(chain, 'sqlite');
  const blocksFrom = storedBlocks(chain);
  const progress = store.db.prepare<{ height: number }>('SELECT height FROM progress WHERE chain = ?');
  const importer = store.db.prepare<{ taken_by: Uint8Array }>(
    'SELECT taken_by FROM moved WHERE id = ? AND destination = ? AND taken_by IS NOT NULL LIMIT 1',
  );
  const tip = store.db.prepare<{ height: number | null }>(`SELECT max(height) AS height FROM ${tablesOf(chain.number).block}`);
  const height = (): number => progress.get(idToBytes(chain.id))?.height ?? -1;
  return {
    within: (stored) => run(writer.write([stored])),
    withinAll: (stored) => {
      if (stored.length > 0) run(writer.write(stored));
    },
    withinOlder: (utxos) => run(writer.writeOlder(utxos)),
    exported: {
      open: async (address) => run(exported.open(address)),
      take: async (gone) => void store.write(() => run(exported.take(gone))),
    },
    importerOf: (utxoID) => {
      const row = importer.get(idToBytes(utxoID), idToBytes(chain.id));
      return row && idFromBytes(row.taken_by);
    },
    height,
    catchUp: function* () {
      const total = (tip.get()?.height ?? -1) + 1;
      for (let done = height() + 1; done < total; done = height() + 1) {
        store.write(() => run(writer.write(run(blocksFrom(done)))));
        yield { done: height() + 1, total };
      }
    },
  };
}
