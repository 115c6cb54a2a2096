import type { UtxoRef } from '../../avm/tx/input.ts';
import { refId } from '../../avm/tx/utxo.ts';
import { type Id, idToBytes } from '../../base/bytes/id.ts';
import type { LongWork } from '../../base/timing/long-work.ts';
import { explorerTablesOf } from '../index/explorer-tables.ts';
import type { OutputSetSelection } from '../index/output-set.ts';
import type { Sql } from '../index/sql.ts';
import { indexTablesOf, outputSets } from '../index/tables.ts';
import { tablesOf } from '../state/schema.ts';
import { type Queries, runTogether } from '../store/queries.ts';
import type { ExplorerReads } from './explorer-reads.ts';
import type { IndexedChain, OutputEntry, PinnedBlock } from './index-reads.ts';
import { createAssetDayReads } from './read-asset-days.ts';
import { createAssetListReads } from './read-asset-lists.ts';
import { createAssetReads } from './read-assets.ts';
import { createBalanceHistoryReads } from './read-balance-history.ts';
import { createBlockSumsReads } from './read-block-sums.ts';
import { createBlockReads } from './read-blocks.ts';
import { createHolderReads } from './read-holders.ts';
import { createOutputReads } from './read-outputs.ts';
import { latestReaderOn, queryRunnerOn } from './read-runner.ts';
import { createSearchReads } from './read-search.ts';
import { createTransferReads } from './read-transfers.ts';
import { createTxReads } from './read-txs.ts';
import { createUtxoReads } from './read-utxos.ts';

type ExplorerChain = IndexedChain & {
  /** Whether the database holds what other chains exported to this one: only that of a node that runs the chain itself. */
  readonly hasInbound: boolean;
};

/**
 * Opens the queries of the explorer routes about one chain; see `openReads`. `slowSql`: the same database for holders and days of an asset, where
 * a statement counts or returns up to a million rows and others should not wait for it.
 */
export function openExplorerReads(sql: Sql, chain: ExplorerChain, longWork?: LongWork, slowSql = sql): ExplorerReads {
  const run = queryRunnerOn(sql);
  const runWithPauses = queryRunnerOn(sql, longWork);
  const runSlow = queryRunnerOn(slowSql, longWork);
  const tables = { ...tablesOf(chain.number), ...indexTablesOf(chain.number), ...explorerTablesOf(chain.number) };
  const blocks = createBlockReads(sql.dialect, tables, chain.id);
  const outputs = createOutputReads(tables, chain.id, sql);
  const txs = createTxReads(tables, chain, blocks, outputs, sql.dialect);
  const utxos = createUtxoReads(tables, chain, outputs, txs, sql);
  const details = createAssetReads(sql.dialect, tables, outputs);
  const assets = createAssetListReads(sql.dialect, tables, chain.id, outputs);
  const assetDays = createAssetDayReads(tables, blocks, chain.feeAsset);
  const sums = createBlockSumsReads(sql.dialect, tables, chain.id);
  const balanceHistory = createBalanceHistoryReads(tables);
  const holders = createHolderReads(sql, tables, txs, runSlow);
  const tip = latestReaderOn(sql)(blocks.tip, chain.recentTip);
  const search = createSearchReads(sql.dialect, tables, outputs);
  const transfers = createTransferReads(chain, chain.hasInbound);

  function* outputsByRef(refs: readonly UtxoRef[], pin: PinnedBlock): Queries<OutputEntry[]> {
    const stored = yield* outputs.byRefs(refs);
    const own = yield* outputs.bySeqs(stored.flatMap((row) => row?.seq ?? []));
    // An output that moved between chains is not in this chain's state.
    const others = new Set(refs.filter((_, i) => stored[i] === undefined).map(refId));
    const moved = yield* outputs.movedById([...others].map(idToBytes));
    return yield* outputs.toEntries([...own, ...moved].flatMap((row) => outputs.toPinnedOutput(row, pin) ?? []));
  }

  function* outputById(id: Id, pin: PinnedBlock): Queries<OutputEntry | undefined> {
    const [[moved], seq] = yield* runTogether(outputs.movedById([idToBytes(id)]), outputs.seqById(id));
    const seqs = moved === undefined && seq !== undefined ? [seq] : [];
    const [[own], spenders] = yield* runTogether(outputs.bySeqs(seqs), outputs.spenders.ahead(seqs));
    const row = moved ?? own;
    const pinned = row && outputs.toPinnedOutput(row, pin);
    return pinned && (yield* outputs.toEntries([pinned], spenders))[0];
  }

  return {
    createdAssets: (query) => run(() => assets.createdAssets(query)),
    countedAssets: (ids) => run(() => details.countedAssets(ids)),
    holders: async (asset, offset, limit) => {
      const { height, oldest, counts } = await run(() => assets.countsAt(asset));
      // A revert may have removed the block.
      const pin = (await run(() => blocks.pinAtHeight(height, tip.recent()))) ?? (await tip.read());
      return { pin, counts, holders: await holders(asset, { pin, oldest }, offset, limit) };
    },
    assetDays: (query) => runSlow(() => assetDays(query)),
    nftGroups: (query) => run(() => assets.nftGroups(query)),
    assetsMatching: (text, limit) => runWithPauses(() => search.assetsMatching(text, limit)),
    namesBetween: (kind, range, limit) => run(() => search.namesBetween(kind, range, limit)),
    blockSums: (from, limit) => run(() => sums.blockSums(from, limit)),
    blockSumsAfter: (height, limit) => run(() => sums.blockSumsAfter(height, limit)),
    blockTxs: (which) => run(() => sums.blockTxs(which)),
    txPosition: (id, pin) => run(() => sums.txPosition(id, pin)),
    outputs: (refs, pin) => runWithPauses(() => outputsByRef(refs, pin)),
    outputById: (id, pin) => runWithPauses(() => outputById(id, pin)),
    sharedOutputs: (query) =>
      runWithPauses(function* () {
        const { outputs: found, readTo } = yield* utxos.utxos({ ...query, ownership: 'too-few' }, multiOwnerSets);
        return { outputs: yield* outputs.toEntries(found), readTo: readTo?.seq };
      }),
    balanceHistory: (query) => runWithPauses(() => balanceHistory(query)),
    atomicOutputs: (limit) => run(() => transfers.atomicOutputs(limit)),
    transfers: (query) => run(() => transfers.transfers(query)),
  };
}

const multiOwnerSets: OutputSetSelection = { unspent: [outputSets.multiOwnerUnspent], spent: [outputSets.multiOwnerSpent] };
