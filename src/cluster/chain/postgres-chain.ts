import type { Block } from '../../avm/tx/block.ts';
import type { UtxoRef } from '../../avm/tx/input.ts';
import type { Tx } from '../../avm/tx/tx.ts';
import { refId, type Utxo } from '../../avm/tx/utxo.ts';
import type { Asset } from '../../avm/view.ts';
import type { Address } from '../../base/bytes/address.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import { createCache } from '../../base/cache/cache.ts';
import { genesisTxsRow } from '../../ledger/index/distribution.ts';
import { IndexError } from '../../ledger/index/fault.ts';
import { incrementBackfillRevision } from '../../ledger/index/migrate.ts';
import { runOnPostgres } from '../../ledger/index/query-runner.ts';
import type { WritableSql } from '../../ledger/index/sql.ts';
import type { ChainOutputRow } from '../../ledger/index-read/read-chain-outputs.ts';
import { createBlockWriter, type IndexSpec, type SignerReads } from '../../ledger/index-write/block-writer.ts';
import { type ExportedOutputs, exportedOutputQueries } from '../../ledger/index-write/exported-outputs.ts';
import { genesisChanges, type NewBlock } from '../../ledger/state/block-change.ts';
import { tablesOf } from '../../ledger/state/schema.ts';
import { decodeStoredUtxo } from '../../ledger/state/stored-utxo.ts';
import { unspentEntrySize } from '../../ledger/state/utxo-table.ts';
import type { Queries } from '../../ledger/store/queries.ts';
import { openBackfilledAddresses } from './backfilled-addresses.ts';
import { type ChainRowReads, createChainRowReads, type LastBlock } from './chain-row-reads.ts';
import { createChainRowWriter, type UnspentOutput } from './chain-row-writer.ts';
import { openPartitions } from './partitions.ts';
import { createCitusWrites, createPlainWrites, type WriteAndTell, type Written } from './publish.ts';

/** The channel on which PostgreSQL notifies that blocks were stored. The payload is the number of the chain. */
export const blocksChannel = 'serac_blocks';

export type PostgresChain = ReturnType<typeof openPostgresChain>;

/**
 * A followed chain (a copy of the blocks of another node) and its index in PostgreSQL, for `serac index`. `sql` writes only
 * while this process holds the lease (cluster/lease/lease.ts): no other process writes meanwhile, so what this one has cached stays true.
 * `publicKeyOf` and `recover` find the public keys of signers. `partitionSize`: transactions or blocks of a new partition; see partitions.ts.
 */
export function openPostgresChain(
  sql: WritableSql,
  chain: IndexSpec,
  { partitionSize, publicKeyOf, recover }: SignerReads & { readonly partitionSize?: number } = {},
) {
  const { dialect } = sql;
  const t = tablesOf(chain.number);
  const reads = createChainRowReads(dialect, t);
  const rows = createChainRowWriter(dialect, t, chain.feeAsset, reads);
  const writer = createBlockWriter(chain, dialect, { publicKeyOf, recover });
  const exported = exportedOutputQueries(chain, dialect);
  const known = createKnownOutputs(reads);
  const citus = dialect === 'citus' ? createCitusWrites(sql, chain.id) : undefined;
  const write = citus?.write ?? createPlainWrites(sql);
  // The tables of Citus have shards in place of partitions.
  const partitions = citus === undefined ? openPartitions(sql, chain.number, partitionSize) : undefined;
  const store = createCommits({ sql, write, partitions, reads, known });

  /** Stores blocks and their index. Returns a function to call when they are committed. */
  function* storeBlocks(blocks: readonly NewBlock[], tip: LastBlock | undefined): Queries<Written<() => void>> {
    const { stored, queries, mergeIds, unspent, spentIDs } = yield* rows.numberBlocks(blocks, tip?.unspent ?? 0, known.takeLoaded());
    // The index writer looks up when outputs were created, so the blocks are inserted first.
    yield queries;
    // The IDs of the new outputs are among the inserted rows; sorted runs of IDs that have become equally long are merged to one.
    yield* mergeIds;
    yield* writer.write(stored);
    // PostgreSQL delivers the notification to `serac api` when the transaction commits.
    const notification = { text: 'SELECT pg_notify(?, ?)', values: [blocksChannel, String(chain.number)] };
    return { result: () => known.update(unspent, spentIDs), news: [notification] };
  }

  function* load(requested: { readonly utxos: readonly UtxoRef[]; readonly assets: readonly Id[] }): Queries<LoadedState> {
    const { utxos, spent } = yield* known.load(requested.utxos);
    return { utxos, spent, assets: yield* reads.assets(requested.assets) };
  }

  return {
    isInitialized: async (): Promise<boolean> => (await runOnPostgres(sql, reads.lastBlock())) !== undefined,
    /** Called before anything else is written: makes visible what an indexer has stored that ended before readers were told. */
    publishStored: async (): Promise<void> => citus?.publish([]),
    /** Stores block 0 and the genesis transactions; does nothing if they are already stored. */
    init: async (genesisTxs: readonly Tx[], first: Block): Promise<void> => {
      if ((await runOnPostgres(sql, reads.lastBlock())) !== undefined) return;
      // If transactions before the first complete block are missing, nobody knows which genesis outputs they have spent.
      const blocks = [{ block: first, diff: genesisChanges(genesisTxs, chain.completeFrom === 0 ? 'unspent' : 'unknown') }];
      await store(blocks, function* () {
        if (citus !== undefined) yield [{ text: 'INSERT INTO meta VALUES (?, ?)', values: [genesisTxsRow(t.tx), genesisTxs.length] }];
        return yield* storeBlocks(blocks, undefined);
      });
    },
    lastAccepted: async (): Promise<{ readonly id: Id; readonly height: bigint; readonly time: bigint }> => {
      const last = await runOnPostgres(sql, reads.lastBlock());
      if (last === undefined) throw noBlocks(chain.id);
      return { id: last.id, height: BigInt(last.height), time: BigInt(last.time) };
    },
    blockAt: (height: bigint): Promise<Uint8Array | undefined> => runOnPostgres(sql, reads.blockBytes(height)),
    /** Looks up outputs and assets; unknown IDs are left out. */
    load: (requested: { readonly utxos: readonly UtxoRef[]; readonly assets: readonly Id[] }): Promise<LoadedState> =>
      runOnPostgres(sql, load(requested)),
    /** Stores consecutive blocks and their index in one transaction. */
    commit: async (blocks: readonly NewBlock[]): Promise<void> => {
      if (blocks.length === 0) return;
      await store(blocks, function* () {
        const last = yield* reads.lastBlock();
        if (last === undefined) throw noBlocks(chain.id);
        verifyBlockOrder(blocks, last);
        return yield* storeBlocks(blocks, last);
      });
    },
    /**
     * Stores outputs from before linearization (from before the first block of the X-Chain), which were fetched for an address. The backfill revision tells
     * `serac api` that answers about earlier blocks have changed too.
     */
    addPreLinearizationUtxos: async (utxos: readonly Utxo[]): Promise<void> => {
      if (utxos.length === 0) return;
      await write(function* () {
        const added = yield* rows.addPreLinearizationUtxos(utxos);
        if (added.length === 0) return { result: undefined, news: [] };
        yield* writer.writePreLinearizationUtxos(added);
        return { result: undefined, news: [incrementBackfillRevision] };
      });
    },
    /** The addresses whose outputs from before linearization are stored. */
    backfilledAddresses: openBackfilledAddresses(sql, chain.number),
    /** The addresses among these whose public keys are not stored. */
    withoutKeys: (addresses: readonly Address[]): Promise<readonly Address[]> => runOnPostgres(sql, writer.withoutKeys(addresses)),
    /** Outputs exported to another chain. Blocks of this chain do not say when they are imported there: the indexer asks its node, and stores the answers with `markSpent`. */
    exported: {
      listUnspent: (address) => runOnPostgres(sql, exported.listUnspent(address)),
      markSpent: async (outputs) => {
        await write(function* () {
          return { result: undefined, news: (yield* exported.markSpent(outputs)) > 0 ? [incrementBackfillRevision] : [] };
        });
      },
    } satisfies ExportedOutputs,
  };
}

/** Returns a function that stores blocks in one transaction, after the creation of the partitions that they need, if the tables have any. */
function createCommits({
  sql,
  write,
  partitions,
  reads,
  known,
}: {
  readonly sql: WritableSql;
  readonly write: WriteAndTell;
  readonly partitions: ReturnType<typeof openPartitions> | undefined;
  readonly reads: Pick<ChainRowReads, 'lastSeqs'>;
  readonly known: Pick<ReturnType<typeof createKnownOutputs>, 'clear'>;
}) {
  /** The number of the last stored transaction, by which partitions are created ahead; undefined until it is read, and after a failed commit. */
  let lastTx: number | undefined;
  /** `queries` return what to call when the blocks are committed. */
  return async (blocks: readonly NewBlock[], queries: () => Queries<Written<() => void>>): Promise<void> => {
    const last = blocks[blocks.length - 1] as NewBlock;
    const before = lastTx ?? (await runOnPostgres(sql, reads.lastSeqs())).tx;
    lastTx = undefined;
    const tx = blocks.reduce((sum, { diff }) => sum + diff.applied.length, before);
    await partitions?.createAhead({ tx, height: Number(last.block.height) });
    const onStored = await write(queries).catch((error: unknown) => {
      // It is not known whether the blocks are stored: the connection may have failed while they were committed.
      known.clear();
      throw error;
    });
    onStored();
    lastTx = tx;
  };
}

/** `utxos` has the unspent outputs, `spent` the IDs of the spent ones. */
type LoadedState = {
  readonly utxos: ReadonlyMap<Id, Utxo>;
  readonly spent: ReadonlySet<Id>;
  readonly assets: ReadonlyMap<Id, Asset | 'not-an-asset'>;
};

/** Outputs that blocks consume: those that this process has stored itself are known without a lookup, others are loaded. */
function createKnownOutputs(reads: ChainRowReads) {
  let clears = 0;
  /**
   * Unspent outputs that this process has stored: most outputs are spent soon after they are created, and are found here without a lookup by
   * hash, which takes PostgreSQL the longer the larger the chain is. No other process changes them.
   */
  const cache = createCache<Id, UnspentOutput>('unspentOutputs', {
    size: (_, { bytes }) => unspentEntrySize(bytes),
    // Another version empties the cache.
    version: () => clears,
  });
  /** The outputs that were last loaded: the next blocks consume them. Rows of outputs change only when blocks are stored. */
  let loaded: ReadonlyMap<Id, ChainOutputRow> = new Map();
  return {
    load: function* (refs: readonly UtxoRef[]): Queries<{ readonly utxos: ReadonlyMap<Id, Utxo>; readonly spent: ReadonlySet<Id> }> {
      const utxos = new Map<Id, Utxo>();
      const spent = new Set<Id>();
      const found = new Map<Id, ChainOutputRow>();
      const unknown: UtxoRef[] = [];
      for (const ref of refs) {
        const cached = cache.get(refId(ref));
        if (cached === undefined) unknown.push(ref);
        else {
          utxos.set(cached.utxo.id, cached.utxo);
          found.set(cached.utxo.id, cached);
        }
      }
      for (const [id, row] of yield* reads.utxoRows(unknown)) {
        found.set(id, row);
        if (row.spent === null) utxos.set(id, decodeStoredUtxo(row.bytes));
        else spent.add(id);
      }
      loaded = found;
      return { utxos, spent };
    },
    /** Returns the outputs that were last loaded, for the blocks that are stored now, and forgets them. */
    takeLoaded: (): ReadonlyMap<Id, ChainOutputRow> => {
      const taken = loaded;
      loaded = new Map();
      return taken;
    },
    /** Called when blocks are committed, with the outputs that they have created and spent. */
    update: (created: readonly UnspentOutput[], spent: ReadonlySet<Id>): void => {
      for (const id of spent) cache.delete(id);
      for (const output of created) cache.set(output.utxo.id, output);
    },
    clear: (): void => {
      clears++;
    },
  };
}

/** Rejects a block that does not follow the last accepted one, as ledger/state/chain-writer.ts does. */
function verifyBlockOrder(blocks: readonly NewBlock[], last: LastBlock): void {
  let parent: { readonly id: Id; readonly height: bigint } = { id: last.id, height: BigInt(last.height) };
  for (const { block } of blocks) {
    if (block.parentID !== parent.id || block.height !== parent.height + 1n)
      throw new IndexError(`block ${idText(block.id)} does not follow the last accepted block ${idText(parent.id)}`, {
        code: 'INDEX_WRONG_PARENT',
        blockID: idText(block.id),
        parentID: idText(block.parentID),
        lastAccepted: idText(parent.id),
      });
    parent = block;
  }
}

const noBlocks = (chainID: Id) =>
  new IndexError(`chain ${idText(chainID)} has no block yet`, { code: 'INDEX_EMPTY', chainID: idText(chainID) });
