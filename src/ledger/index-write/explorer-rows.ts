import { operationOutputs } from '../../avm/tx/effects.ts';
import type { Tx } from '../../avm/tx/tx.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { BatchedStatement } from '../index/batched-statement.ts';
import { addressBlob, idBlob } from '../index/blob.ts';
import type { Dialect } from '../index/ddl.ts';
import { explorerSchema, explorerTablesOf, joinIdTexts, maxDerivedIds } from '../index/explorer-tables.ts';
import { insertRows } from '../index/insert-rows.ts';
import { isNft, unitsOf } from '../index/output-amount.ts';
import type { SqlValue } from '../index/sql.ts';
import { type BalanceChange, type BalanceSums, ownPart } from '../state/balance.ts';
import type { Query } from '../store/queries.ts';
import type { BlockToIndex } from './block-facts.ts';
import { type AssetCounts, noAssetCounts } from './row-updates.ts';

/**
 * Computes what accepted blocks change in the two tables that index/explorer-tables.ts describes: `asset_owner` (addresses that have or had an
 * asset) and `block_tx_ids` (transaction IDs of large blocks); and in the counts of assets. block-writer.ts, the writer of all index rows, runs
 * the queries.
 */
type ExplorerRows = {
  /** For new blocks. `changes`: the balances that the blocks change. */
  readonly addBlocks: (blocks: readonly BlockToIndex[], changes: readonly BalanceChange[]) => ExplorerChanges;
  /**
   * For outputs from before linearization (when the chain got blocks), which may become known after later blocks. `changes`: their balances. Adds
   * nothing to what was minted: that counts the transactions of indexed blocks only, and those that created these outputs are unknown.
   */
  readonly addBalances: (changes: readonly BalanceChange[]) => ExplorerChanges;
};

/** Queries to run, and what to add to the counts of assets: the caller writes these with the rest of the assets' rows (`asset_stat`). */
type ExplorerChanges = { readonly queries: readonly Query[]; readonly assets: ReadonlyMap<Id, AssetCounts> };

/** `schema`: prefix of the table names, such as `rebuilt.` while `serac reindex` builds a new index beside the current one. */
export function createExplorerRows(dialect: Dialect, chain: number, schema: '' | `${string}.` = ''): ExplorerRows {
  const names = explorerTablesOf(chain);
  const ownerTable = [schema + names.assetOwner, explorerSchema.assetOwner] as const;
  const addOwners = insertRows(dialect, ...ownerTable);
  // ON CONFLICT is only a safeguard. An address that has the asset from later blocks has a row in `asset_owner` already, but its balance has a row
  // too: so `before` is defined below, and the address is not added again.
  const addEarlierOwners = insertRows(dialect, ...ownerTable, ' ON CONFLICT DO NOTHING');
  const addTxIds = insertRows(dialect, schema + names.blockTxIds, explorerSchema.blockTxIds);

  const change = (balances: readonly BalanceChange[], minted: ReadonlyMap<Id, MintedSum>, add: BatchedStatement): ExplorerChanges => {
    const assets = new Map<Id, { -readonly [K in keyof AssetCounts]: AssetCounts[K] }>();
    const countsOf = (asset: Id) => {
      const counts = assets.get(asset) ?? { ...noAssetCounts };
      assets.set(asset, counts);
      return counts;
    };
    const owners: SqlValue[] = [];
    for (const { address, assetID, part, before, after } of balances) {
      // An address has several balances of an asset, each the sum of a part of its outputs. Only `ownPart` counts here: all outputs that the address
      // owns alone. The parts by lock time are sums of some of these outputs; `sharedPart` is the sum of outputs that are owned with others.
      if (part !== ownPart) continue;
      const counts = countsOf(assetID);
      counts.held += after.amount - (before?.amount ?? 0n);
      counts.holders += Number(isHolder(after)) - Number(before !== undefined && isHolder(before));
      if (before === undefined) owners.push(idBlob(assetID), addressBlob(address));
    }
    for (const [asset, { units, nfts }] of minted) {
      const counts = countsOf(asset);
      counts.minted += units;
      counts.mintedNfts += nfts;
    }
    return { queries: add(owners), assets };
  };

  return {
    addBlocks: (blocks, changes) => {
      const minted = new Map<Id, MintedSum>();
      const txIds: SqlValue[] = [];
      for (const { block, applied } of blocks) {
        const txs = applied.map(({ tx }) => tx);
        for (const tx of txs) addMinted(minted, tx);
        // Of a block with up to `maxDerivedIds` transactions, readers make the list of IDs from the table `tx`. Block 0 comes with the transactions of
        // the genesis, but no list of blocks shows them with it.
        if (block.height > 0n && txs.length > maxDerivedIds) txIds.push(Number(block.height), joinIdTexts(txs.map(({ id }) => id)));
      }
      const { queries, assets } = change(changes, minted, addOwners);
      return { queries: [...queries, ...addTxIds(txIds)], assets };
    },
    addBalances: (changes) => change(changes, nothingMinted, addEarlierOwners),
  };
}

/** Whether an address with this balance counts as a holder of the asset: it has units, NFTs or properties. */
const isHolder = ({ amount, nfts }: BalanceSums): boolean => amount > 0n || nfts > 0;

/** What was minted of an asset: units, and the number of NFTs and properties. */
type MintedSum = { units: bigint; nfts: number };

const nothingMinted: ReadonlyMap<Id, MintedSum> = new Map();

/** Adds what a transaction newly creates of each asset: the outputs of a new asset, and those of mint operations. */
function addMinted(sums: Map<Id, MintedSum>, { id, unsigned }: Tx): void {
  if (unsigned.kind === 'CreateAssetTx') {
    const sum = sumOf(sums, id);
    for (const { outputs } of unsigned.initialStates) for (const output of outputs) addOutput(sum, output);
  }
  if (unsigned.kind !== 'OperationTx') return;
  for (const operation of unsigned.operations)
    if ('mintInput' in operation.operation)
      for (const output of operationOutputs(operation)) addOutput(sumOf(sums, operation.assetID), output);
}

function sumOf(sums: Map<Id, MintedSum>, asset: Id): MintedSum {
  const sum = sums.get(asset) ?? { units: 0n, nfts: 0 };
  sums.set(asset, sum);
  return sum;
}

function addOutput(sum: MintedSum, output: Parameters<typeof unitsOf>[0]): void {
  sum.units += unitsOf(output);
  if (isNft(output)) sum.nfts++;
}
