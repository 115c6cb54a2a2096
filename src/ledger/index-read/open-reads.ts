import type { LongWork } from '../../base/timing/long-work.ts';
import { explorerTablesOf } from '../index/explorer-tables.ts';
import type { Sql } from '../index/sql.ts';
import { indexTablesOf } from '../index/tables.ts';
import { tablesOf } from '../state/schema.ts';
import { storedAsset } from '../state/stored-utxo.ts';
import type { Queries } from '../store/queries.ts';
import { runTogether } from '../store/queries.ts';
import type { IndexedChain, IndexReads, OutputList } from './index-reads.ts';
import { createActivityReads } from './read-activity.ts';
import { createAssetReads } from './read-assets.ts';
import { type BalanceLimits, createBalanceReads } from './read-balances.ts';
import { createBlockReads } from './read-blocks.ts';
import { createBucketReads } from './read-buckets.ts';
import type { ListLimits } from './read-by-amount.ts';
import { createOutputReads } from './read-outputs.ts';
import { createPublicKeyReads } from './read-public-keys.ts';
import { constantReaderOn, latestReaderOn, queryRunnerOn, singleReaderOn, wholeRunnerOn } from './read-runner.ts';
import { createTxReads } from './read-txs.ts';
import { createUtxoReads, type FilterLimits, type ListedOutputs } from './read-utxos.ts';

/**
 * Opens the queries about one chain. With `longWork`, queries that may take long are run in slices
 * (`runWithPauses`), and other requests are handled in between. `limits`: for tests, see `createAmountReads` and `createBalanceReads`.
 */
export function openReads(
  sql: Sql,
  chain: IndexedChain,
  longWork?: LongWork,
  limits?: ListLimits & BalanceLimits & FilterLimits,
): IndexReads {
  const readOne = singleReaderOn(sql);
  const run = queryRunnerOn(sql);
  const runWithPauses = queryRunnerOn(sql, longWork);
  const runWhole = wholeRunnerOn(sql, longWork);
  const tables = { ...tablesOf(chain.number), ...indexTablesOf(chain.number), ...explorerTablesOf(chain.number) };
  const blocks = createBlockReads(sql.dialect, tables, chain.id);
  const outputs = createOutputReads(tables, chain.id, sql);
  const txs = createTxReads(tables, chain, blocks, outputs, sql.dialect);
  const utxos = createUtxoReads(tables, chain, outputs, txs, sql, limits);
  const balances = createBalanceReads(tables, utxos, sql.dialect, limits);
  const assets = createAssetReads(sql.dialect, tables, outputs);
  const activity = createActivityReads(sql.dialect, tables, txs);
  const readPublicKeys = createPublicKeyReads(sql.dialect);
  const buckets = createBucketReads(tables, chain.id);
  // The last block as it is known without a query, if it is: on SQLite as of the last commit, on PostgreSQL as of the last notification.
  const tip = latestReaderOn(sql)(blocks.tip, chain.recentTip);
  const sharesRoundTrips = sql.dialect !== 'sqlite';
  // `onFound` tells callers early which assets and consumers a page shows, so that they fetch those beside the rest of the read. On SQLite they gain
  // nothing: all queries of a read run at once.
  const tellsFound = sharesRoundTrips;
  /**
   * The entries of a list of outputs as of the pinned block. The list as of now is nearly always the same, so its entries are read in the same round
   * trip that finds out whether it is.
   */
  function* entriesAsPinned(listed: ListedOutputs): Queries<OutputList> {
    const [pinned, entries] = yield* runTogether(listed.asPinned(), outputs.toEntries(listed.outputs));
    const all = pinned.outputs === listed.outputs ? entries : yield* outputs.toEntries(pinned.outputs);
    return { outputs: all, readTo: pinned.readTo?.seq };
  }
  return {
    tip: tip.readRecent,
    pinAtHeight: (height) => run(() => blocks.pinAtHeight(height, tip.recent())),
    pinBeforeTime: (time) => run(() => blocks.pinBeforeTime(time, tip.recent())),
    // 0 while the index has no block; what is stored then never changes.
    completeFrom: constantReaderOn(sql)(blocks.completeFrom, 0),
    block: (which) => run(() => blocks.block(which)),
    blockHeights: (query) => run(() => blocks.blockHeights(query)),
    blocks: (heights) => runWithPauses(() => blocks.blocks(heights)),
    txSeq: (id, pin) => run(() => txs.txSeq(id, pin)),
    txSeqs: (query) => runWithPauses(() => txs.txSeqs(query)),
    txs: (seqs, pin, maxBytes) => runWhole(() => txs.txs(seqs, pin, maxBytes)),
    txsById: (ids, pin) => runWhole(() => txs.txsById(ids, pin)),
    tx: (id, isRendered) => runWhole(() => txs.tx(id, isRendered, tip.recent())),
    spentOutputs: (seqs, pin) => run(() => outputs.spentOutputs(seqs, pin)),
    utxos: (query, onFound) =>
      runWithPauses(function* () {
        const listed = yield* utxos.listNow(query);
        if (tellsFound)
          onFound?.(listed.outputs.map(({ stored, spent }) => ({ stored, isConsumed: spent !== undefined && 'tx' in spent })));
        return yield* entriesAsPinned(listed);
      }),
    balances: (addresses, pin, now, onFound) =>
      runWithPauses(function* () {
        const sums = balances.singleOwner(addresses, pin, now);
        const firstPage = balances.otherOutputs(addresses, pin);
        const [singleOwner, listed] = sharesRoundTrips ? yield* runTogether(sums, firstPage) : [yield* sums, yield* firstPage];
        if (tellsFound)
          onFound?.(
            new Set([...singleOwner.map(({ asset }) => asset), ...(listed?.outputs ?? []).map(({ stored }) => storedAsset(stored))]),
          );
        return { singleOwner, others: yield* balances.sumOthers(addresses, pin, now, listed) };
      }),
    asset: (id) => run(() => assets.asset(id)),
    assets: (ids) => run(() => assets.assets(ids)),
    assetDetails: (ids) => run(() => assets.assetDetails(ids)),
    assetNames: (ids) => run(() => assets.assetNames(ids)),
    lastActivity: (addresses, pin) => runWithPauses(() => activity.lastActivity(addresses, pin)),
    seenAddresses: (addresses, pin) => runWithPauses(() => activity.seenAddresses(addresses, pin)),
    publicKeys: (addresses) => runWithPauses(() => readPublicKeys(addresses)),
    // One query, asked often: a transaction around it would take as long again.
    buckets: (unit, from, to, limit) => readOne(buckets.buckets({ unit, from, to }, limit, tip.recent())),
    totals: (metric, times) => run(() => buckets.totals(metric, times)),
    addressesBefore: (time) => run(() => buckets.addressesBefore(time)),
  };
}
