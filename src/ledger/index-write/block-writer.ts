import type { Address } from '../../base/bytes/address.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import { addressBlob, idBlob } from '../index/blob.ts';
import type { Dialect } from '../index/ddl.ts';
import { IndexError } from '../index/fault.ts';
import { encodeOpenBuckets } from '../index/open-buckets.ts';
import { isMintOutput } from '../index/output-amount.ts';
import type { SqlValue } from '../index/sql.ts';
import type { BalanceChange } from '../state/balance.ts';
import { pushSpentOwnerRows } from '../state/owner-rows.ts';
import type { NumberedUtxo } from '../state/utxo-table.ts';
import { fetchRows, type Queries } from '../store/queries.ts';
import { changedBalances, raisedBalances } from './balance-rows.ts';
import { type BlockFacts, type BlockToIndex, blockFacts } from './block-facts.ts';
import { counterRows } from './counter-rows.ts';
import { readKnownMovedOutputs, recordMovedOutputs, withKnownImports } from './cross-chain-rows.ts';
import { createExplorerRows } from './explorer-rows.ts';
import { historyRows } from './history-rows.ts';
import type { RecoverSigner } from './incomplete-imports.ts';
import { writePreLinearizationRows } from './pre-linearization-rows.ts';
import { readPreviousRows } from './previous-rows.ts';
import { createWriterCache, type WriterCache } from './writer-cache.ts';
import { type WriterQueries, writerQueries } from './writer-queries.ts';

/** A chain that is indexed. */
export type IndexSpec = {
  /** Number of the chain in the database, part of its table names. */
  readonly number: number;
  readonly id: Id;
  /** The asset that fees are paid in. */
  readonly feeAsset: Id;
  /** Height from which the blocks hold the complete history. If above 0, it is unknown which outputs of the genesis are still unspent. */
  readonly completeFrom: number;
};

/** Returns the public key of a signer if it is at hand. */
export type PublicKeyOf = (signer: Address) => Uint8Array | undefined;

/** What the writer reads about the signers of transactions. */
export type SignerReads = {
  /** Public keys to store for the senders of the blocks; without it none are stored. */
  readonly publicKeyOf?: PublicKeyOf | undefined;
  /** Recovers the signers of imports whose outputs are unknown; without it such outputs are left out. */
  readonly recover?: RecoverSigner | undefined;
};

export type BlockWriter = ReturnType<typeof createBlockWriter>;

/**
 * Creates the writer of all index rows of a chain: `openSqliteIndex` and `openPostgresChain` run its queries. It writes in the caller's transactions
 * and caches rows, so it must be the only writer of its tables. `schema`: see `writerQueries`.
 */
export function createBlockWriter(
  chain: IndexSpec,
  dialect: Dialect,
  { schema = '', publicKeyOf = () => undefined, recover }: SignerReads & { readonly schema?: '' | `${string}.` } = {},
) {
  const q = writerQueries(dialect, chain.number, schema);
  const explorer = createExplorerRows(dialect, chain.number, schema);
  const cache = createWriterCache();
  /** Drops all cached rows. Needed when a revert has changed the tables. */
  const clearCache = cache.clear;

  /** Writes outputs from before linearization. Block 0 must be written. `balances`: those they change, if their rows are written. */
  function* writePreLinearizationUtxos(
    utxos: readonly NumberedUtxo[],
    balances?: readonly BalanceChange[],
    isFirst = false,
  ): Queries<void> {
    clearCache();
    if (utxos.length === 0) return;
    const changed = balances === undefined ? yield* raisedBalances(q, utxos, isFirst) : { changes: balances, queries: [] };
    const { queries, assets } = explorer.addBalances(changed.changes);
    yield* writePreLinearizationRows(q, chain.id, utxos, assets);
    yield [...changed.queries, ...queries];
  }

  /**
   * Writes consecutive blocks, the first of which follows the last one written, or further transactions of block 0. Their rows in the chain's
   * own tables must be stored.
   */
  function* write(stored: readonly BlockToIndex[]): Queries<void> {
    const first = Number(stored[0]?.block.height);
    const last = Number(stored.at(-1)?.block.height);
    const preLinearizationUtxos = stored.flatMap((block) => block.preLinearizationUtxos ?? []);
    // The balances of a stored block include those of its outputs from before linearization.
    const areStored = stored.every(({ balances }) => balances !== undefined);
    if (preLinearizationUtxos.length > 0) yield* writePreLinearizationUtxos(preLinearizationUtxos, areStored ? [] : undefined, first === 0);
    const below = stored[0]?.extendsGenesis === true ? first : first - 1;
    // The last block was written but not stored, or another writer wrote one: the cached rows may be wrong.
    if (cache.height !== below) {
      clearCache();
      yield* checkHeight(q, chain.id, below, first);
    }
    cache.height = undefined;
    const known = yield* readKnownMovedOutputs(q, stored);
    const blocks = withKnownImports(stored, chain.id, known, recover);
    const facts = blocks.map((block) => blockFacts(block, chain.feeAsset));
    const previous = yield* readPreviousRows(q, cache, chain.id, facts);
    const moved = yield* recordMovedOutputs(q, chain, blocks, known);
    const history = yield* historyRows(q, cache, facts, chain.feeAsset);
    const balances = yield* changedBalances(q, cache, blocks, previous);
    const explored = explorer.addBlocks(blocks, balances.changes);
    const counted = counterRows(previous, facts, explored.assets, cache);
    const openBuckets = cache.openBuckets === undefined ? null : encodeOpenBuckets(cache.openBuckets);
    yield [
      ...q.addOwner(spentRows(blocks)),
      ...q.addHistory(history),
      ...q.addMinter(minterRows(blocks)),
      ...balances.queries,
      ...q.addHolder(counted.newHolders),
      ...q.updateHolder(counted.holders),
      ...q.addActive(counted.active),
      ...q.upsertAsset(counted.assets),
      ...q.addBucket(counted.buckets),
      ...q.addMinute(counted.minutes),
      ...moved,
      ...explored.queries,
      ...q.addSignerKeys(signerKeyRows(facts, cache, publicKeyOf)),
      ...q.upsertProgress([idBlob(chain.id), last, chain.completeFrom, openBuckets]),
    ];
    cache.height = last;
  }

  /** Removes the balances at height 0, before the transactions of block 0 are written one by one from stored rows. */
  function* clearGenesisBalances(): Queries<void> {
    yield [q.clearGenesisBalances];
  }

  /** The addresses among these whose public keys are not stored. */
  function* withoutKeys(addresses: readonly Address[]): Queries<readonly Address[]> {
    const unknown = addresses.filter((address) => cache.storedKeys.get(address) === undefined);
    for (const row of yield* fetchRows<{ address: Uint8Array }>(q.storedKeys(unknown.map(addressBlob))))
      cache.storedKeys.set(toHex(row.address) as Address, true);
    return unknown.filter((address) => cache.storedKeys.get(address) === undefined);
  }

  return { write, clearGenesisBalances, writePreLinearizationUtxos, withoutKeys, clearCache };
}

/** Throws unless the index ends at a height: a gap in the index would never be noticed later. `wanted`: the height of the next rows. */
function* checkHeight(q: WriterQueries, chain: Id, expected: number, wanted: number): Queries<void> {
  const [row] = yield* fetchRows<{ height: number }>(q.progress([idBlob(chain)]));
  const height = row?.height ?? -1;
  if (height !== expected)
    throw new IndexError(`the index of chain ${idText(chain)} ends at height ${height}, so block ${wanted} cannot be added`, {
      code: 'INDEX_BEHIND',
      chainID: idText(chain),
      height,
      wanted,
    });
}

/** Rows of the outputs of this chain that the blocks spend. */
function spentRows(blocks: readonly BlockToIndex[]): SqlValue[] {
  const rows: SqlValue[] = [];
  for (const { created, consumed } of blocks) {
    for (const output of consumed) pushSpentOwnerRows(rows, output, addressBlob);
    for (const output of created) if (output.spent !== null) pushSpentOwnerRows(rows, output, addressBlob);
  }
  return rows;
}

/** The public keys of senders that are not known to be stored. */
function signerKeyRows(facts: readonly BlockFacts[], { storedKeys }: WriterCache, publicKeyOf: PublicKeyOf): SqlValue[] {
  const rows: SqlValue[] = [];
  for (const { senders } of facts)
    for (const sender of senders) {
      if (storedKeys.get(sender) !== undefined) continue;
      const key = publicKeyOf(sender);
      if (key === undefined) continue;
      storedKeys.set(sender, true);
      rows.push(addressBlob(sender), key);
    }
  return rows;
}

function minterRows(blocks: readonly BlockToIndex[]): SqlValue[] {
  const rows: SqlValue[] = [];
  for (const { created } of blocks)
    for (const { utxo, seq } of created) if (isMintOutput(utxo.output)) rows.push(idBlob(utxo.assetID), seq);
  return rows;
}
