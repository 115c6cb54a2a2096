import type { Block } from '../../avm/tx/block.ts';
import { effectsOf } from '../../avm/tx/effects.ts';
import type { UtxoRef } from '../../avm/tx/input.ts';
import type { Tx } from '../../avm/tx/tx.ts';
import { refId, type Utxo } from '../../avm/tx/utxo.ts';
import type { Asset } from '../../avm/view.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { type Id, idText, idToBytes } from '../../base/bytes/id.ts';
import { concat } from '../../base/bytes/octets.ts';
import { createCache } from '../../base/cache/cache.ts';
import { versionSize } from '../../base/codec/pack.ts';
import { batchedStatement, placeholders } from '../index/batched-statement.ts';
import { IndexError } from '../index/fault.ts';
import { rowSizes } from '../index/insert-rows.ts';
import { withKeyArrays } from '../index/key-array.ts';
import { incrementBackfillRevision } from '../index/migrate.ts';
import { openPartitions } from '../index/partitions.ts';
import type { WritableSql } from '../index/sql.ts';
import { fetchRows, runSteps, type Steps } from '../index/steps.ts';
import type { ChainOutputRow } from '../index-read/read-chain-outputs.ts';
import { createBlockWriter, type IndexSpec, type SignerReads } from '../index-write/block-writer.ts';
import { type ExportedOutputs, exportedOutputSteps } from '../index-write/exported-outputs.ts';
import type { NewBlock } from '../state/block-change.ts';
import { tablesOf } from '../state/schema.ts';
import { decodeStoredUtxo } from '../state/stored-utxo.ts';
import { unspentEntrySize } from '../state/utxo-table.ts';
import { createChainRowWriter, type LastBlock, type UnspentOutput } from './chain-row-writer.ts';

/** The channel on which PostgreSQL notifies that blocks were stored. The payload is the number of the chain. */
export const blocksChannel = 'serac_blocks';

/** A followed chain and its index in PostgreSQL. The caller makes sure that only one process writes at a time. */
export type PostgresChain = {
  readonly isInitialized: () => Promise<boolean>;
  /** Stores block 0 and the genesis transactions; does nothing if they are already stored. */
  readonly init: (genesisTxs: readonly Tx[], first: Block) => Promise<void>;
  readonly lastAccepted: () => Promise<{ readonly id: Id; readonly height: bigint; readonly time: bigint }>;
  readonly blockAt: (height: bigint) => Promise<Uint8Array | undefined>;
  /** Looks up outputs and assets; unknown ids are left out. `utxos` has the unspent outputs, `spent` the ids of the spent ones. */
  readonly load: (requested: { readonly utxos: readonly UtxoRef[]; readonly assets: readonly Id[] }) => Promise<{
    readonly utxos: ReadonlyMap<Id, Utxo>;
    readonly assets: ReadonlyMap<Id, Asset | 'not-an-asset'>;
    readonly spent: ReadonlySet<Id>;
  }>;
  /** Stores consecutive blocks and their index in one transaction. */
  readonly commit: (blocks: readonly NewBlock[]) => Promise<void>;
  readonly addPreLinearizationUtxos: (utxos: readonly Utxo[]) => Promise<void>;
  readonly exported: ExportedOutputs;
};

export type PostgresChainOptions = SignerReads & {
  /** Transactions or blocks of a new partition; see index/partitions.ts. */
  readonly partitionSize?: number;
};

/** For `SignerReads` see `BlockWriterOptions`. */
export function openPostgresChain(
  sql: WritableSql,
  chain: IndexSpec,
  { partitionSize, ...signers }: PostgresChainOptions = {},
): PostgresChain {
  const t = tablesOf(chain.number);
  const rows = createChainRowWriter(chain.number, chain.feeAsset);
  const writer = createBlockWriter(chain, 'postgres', signers);
  const exported = exportedOutputSteps(chain, 'postgres');
  const assetsById = batchedStatement(rowSizes.postgres, 1, (n) => `SELECT id, fxs FROM ${t.asset} WHERE id IN (${placeholders(n)})`);
  const partitions = openPartitions(sql, chain.number, partitionSize);
  const txsById = batchedStatement(rowSizes.postgres, 1, (n) => `SELECT id FROM ${t.tx} WHERE id IN (${placeholders(n)})`);

  /** The outputs that were last loaded: the next blocks consume them. Rows of outputs change only when blocks are stored. */
  let loaded: ReadonlyMap<Id, ChainOutputRow> = new Map();
  const unspent = createUnspentOutputs();

  function* storeBlocks(blocks: readonly NewBlock[], tip: LastBlock | undefined): Steps<() => void> {
    const known = loaded;
    loaded = new Map();
    const { stored, queries, mergeIds, ...changed } = yield* rows.numberBlocks(blocks, tip?.unspent ?? 0, known);
    // The index writer looks up when outputs were created, so the blocks are inserted first.
    yield queries;
    yield* mergeIds;
    yield* writer.write(stored);
    // PostgreSQL delivers it to `serac api` when the transaction commits.
    yield [{ text: 'SELECT pg_notify(?, ?)', values: [blocksChannel, String(chain.number)] }];
    return () => unspent.update(changed.unspent, changed.spentIDs);
  }

  function* loadSteps(requested: Parameters<PostgresChain['load']>[0]): Steps<Awaited<ReturnType<PostgresChain['load']>>> {
    const utxos = new Map<Id, Utxo>();
    const spent = new Set<Id>();
    const found = new Map<Id, ChainOutputRow>();
    const unknown: UtxoRef[] = [];
    for (const ref of requested.utxos) {
      const cached = unspent.get(refId(ref));
      if (cached === undefined) unknown.push(ref);
      else {
        utxos.set(cached.utxo.id, cached.utxo);
        found.set(cached.utxo.id, { ...cached, spent: null });
      }
    }
    for (const [id, row] of yield* rows.utxoRows(unknown)) {
      found.set(id, row);
      if (row.spent === null) utxos.set(id, decodeStoredUtxo(row.bytes));
      else spent.add(id);
    }
    loaded = found;
    const assets = new Map<Id, Asset | 'not-an-asset'>();
    for (const row of yield* fetchRows<{ id: Uint8Array; fxs: string }>(assetsById(requested.assets.map(idToBytes)))) {
      const id = toHex(row.id) as Id;
      assets.set(id, { id, fxs: row.fxs.split(' ').filter(Boolean).map(Number) });
    }
    const others = requested.assets.filter((id) => !assets.has(id));
    for (const row of yield* fetchRows<{ id: Uint8Array }>(txsById(others.map(idToBytes)))) assets.set(toHex(row.id) as Id, 'not-an-asset');
    return { utxos, assets, spent };
  }

  function* blockBytes(height: bigint): Steps<Uint8Array | undefined> {
    if (height > Number.MAX_SAFE_INTEGER) return undefined;
    const [block] = yield* fetchRows<{ header: Uint8Array; first_tx: number; tx_count: number }>([
      { text: `SELECT header, first_tx, tx_count FROM ${t.block} WHERE height = ?`, values: [Number(height)] },
    ]);
    if (block === undefined) return undefined;
    const txs = yield* fetchRows<{ bytes: Uint8Array }>([
      {
        text: `SELECT bytes FROM ${t.tx} WHERE seq >= ? AND seq < ? ORDER BY seq`,
        values: [block.first_tx, block.first_tx + block.tx_count],
      },
    ]);
    return concat([block.header, ...txs.map(({ bytes }) => bytes.subarray(versionSize))]);
  }

  /** The number of the last stored transaction; undefined until it is read, and after a failed commit. */
  let lastTx: number | undefined;

  /** Stores blocks in one transaction, after the creation of the partitions that they need. */
  const storeInPartitions = async (blocks: readonly NewBlock[], steps: () => Steps<() => void>): Promise<void> => {
    const last = blocks[blocks.length - 1] as NewBlock;
    const before = lastTx ?? (await runSteps(sql, rows.lastTx()));
    lastTx = undefined;
    const tx = blocks.reduce((sum, { diff }) => sum + diff.applied.length, before);
    await partitions.createAhead({ tx, height: Number(last.block.height) });
    const onStored = await inTransaction(steps).catch((error: unknown) => {
      // It is not known whether the blocks are stored: the connection may have failed while they were committed.
      unspent.clear();
      throw error;
    });
    onStored();
    lastTx = tx;
  };

  const inTransaction = async <T>(steps: () => Steps<T>): Promise<T> => sql.write((tx) => runSteps(withKeyArrays(tx), steps()));

  return {
    isInitialized: async () => (await runSteps(sql, rows.lastBlock())) !== undefined,
    init: async (genesisTxs, first) => {
      const effects = (tx: Tx) => (chain.completeFrom === 0 ? effectsOf(tx) : { ...effectsOf(tx), created: [] });
      const diff = { applied: genesisTxs.map((tx) => ({ tx, effects: effects(tx) })), consumed: new Map() };
      const blocks = [{ block: first, diff }];
      if ((await runSteps(sql, rows.lastBlock())) !== undefined) return;
      await storeInPartitions(blocks, () => storeBlocks(blocks, undefined));
    },
    lastAccepted: async () => {
      const last = await runSteps(sql, rows.lastBlock());
      if (last === undefined) throw noBlocks(chain.id);
      return { id: last.id, height: BigInt(last.height), time: BigInt(last.time) };
    },
    blockAt: (height) => runSteps(sql, blockBytes(height)),
    load: (requested) => runSteps(withKeyArrays(sql), loadSteps(requested)),
    commit: async (blocks) => {
      if (blocks.length === 0) return;
      await storeInPartitions(blocks, function* () {
        const last = yield* rows.lastBlock();
        if (last === undefined) throw noBlocks(chain.id);
        verifyBlockOrder(blocks, last);
        return yield* storeBlocks(blocks, last);
      });
    },
    addPreLinearizationUtxos: async (utxos) => {
      if (utxos.length === 0) return;
      await inTransaction(function* () {
        const added = yield* rows.addPreLinearizationUtxos(utxos);
        if (added.length === 0) return;
        yield* writer.writePreLinearizationUtxos(added);
        yield [incrementBackfillRevision];
      });
    },
    exported: {
      listUnspent: (address) => runSteps(sql, exported.listUnspent(address)),
      markSpent: async (outputs) => {
        await inTransaction(function* () {
          if ((yield* exported.markSpent(outputs)) > 0) yield [incrementBackfillRevision];
        });
      },
    },
  };
}

/**
 * Unspent outputs that this process has stored: most outputs are spent soon after they are created, and are found here without a lookup by hash,
 * which takes PostgreSQL the longer the larger the chain is. No other process changes them.
 */
function createUnspentOutputs() {
  let clears = 0;
  const cache = createCache<Id, UnspentOutput>('unspentOutputs', {
    size: (_, { bytes }) => unspentEntrySize(bytes),
    version: () => clears,
  });
  return {
    get: (id: Id) => cache.get(id),
    update: (created: readonly UnspentOutput[], spent: ReadonlySet<Id>): void => {
      for (const id of spent) cache.delete(id);
      for (const output of created) cache.set(output.utxo.id, output);
    },
    clear: (): void => {
      clears++;
    },
  };
}

/** Rejects a block that does not follow the last accepted one, as ledger/state/chain-state.ts does. */
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
