import type { Id } from '../../base/bytes/id.ts';
import type { LongWork } from '../../base/timing/long-work.ts';
import { explorerTablesOf } from '../index/explorer-tables.ts';
import type { Sql } from '../index/sql.ts';
import { indexTablesOf } from '../index/tables.ts';
import { isMovedOutput } from '../state/output-number.ts';
import { tablesOf } from '../state/schema.ts';
import type { IndexReads } from './index-reads.ts';
import { runTogether } from './merge.ts';
import { atOneTip } from './one-tip.ts';
import { createActivityReads } from './read-activity.ts';
import { createAssetReads } from './read-assets.ts';
import { createBalanceReads } from './read-balances.ts';
import { createBlockReads } from './read-blocks.ts';
import { createBucketReads } from './read-buckets.ts';
import { createOutputReads } from './read-outputs.ts';
import { readPublicKeys } from './read-public-keys.ts';
import { constantReaderOn, latestReaderOn, singleReaderOn, stepRunnerOn } from './read-run.ts';
import { createTxReads } from './read-txs.ts';
import { createUtxoReads } from './read-utxos.ts';

/**
 * Opens the queries about one chain; `number` is the chain number in its table names. With `longWork`, long queries as of a height pause, so
 * that other requests are handled in between. `minListed`: for tests only, see `createAmountReads`.
 */
export function openReads(
  sql: Sql,
  chain: { readonly number: number; readonly id: Id; readonly feeAsset: Id },
  longWork?: LongWork,
  minListed?: number,
): IndexReads {
  const readOne = singleReaderOn(sql);
  const run = stepRunnerOn(sql);
  const runWithPauses = stepRunnerOn(sql, longWork);
  const tables = { ...tablesOf(chain.number), ...indexTablesOf(chain.number), ...explorerTablesOf(chain.number) };
  const blocks = createBlockReads(tables, chain.id);
  const outputs = createOutputReads(tables, chain.id, sql);
  const txs = createTxReads(tables, chain, blocks, outputs);
  const utxos = createUtxoReads(tables, chain.id, outputs, txs, sql, minListed);
  const balances = createBalanceReads(tables, utxos, sql.dialect);
  const assets = createAssetReads(tables, outputs);
  const activity = createActivityReads(tables, txs);
  const buckets = createBucketReads(tables, chain.id);
  const latest = latestReaderOn(sql);
  const tip = latest(blocks.tip);
  return {
    tip: tip.read,
    pinAtHeight: (height) => run(() => blocks.pinAtHeight(height, tip.known())),
    pinBeforeTime: (time) => run(() => blocks.pinBeforeTime(time, tip.known())),
    completeFrom: constantReaderOn(sql)(blocks.completeFrom, 0),
    block: (which) => run(() => blocks.block(which)),
    blockHeights: (query) => run(() => blocks.blockHeights(query)),
    blocks: (heights) => runWithPauses(() => blocks.blocks(heights)),
    txSeq: (id, pin) => run(() => txs.txSeq(id, pin)),
    txSeqs: (query) => runWithPauses(() => txs.txSeqs(query)),
    txs: (seqs, pin, maxBytes) => runWithPauses(() => txs.txs(seqs, pin, maxBytes)),
    tx: (id, isRendered) => runWithPauses(() => txs.tx(id, isRendered, tip.known())),
    spentOutputs: (seqs, pin) => run(() => outputs.spentOutputs(seqs, pin)),
    utxos: (query) =>
      runWithPauses(function* () {
        return yield* outputs.toEntries(yield* utxos.utxos(query));
      }),
    balances: (addresses, pin, now) =>
      runWithPauses(function* () {
        const [singleOwner, found] = yield* runTogether(balances.singleOwner(addresses, pin, now), balances.otherOutputs(addresses, pin));
        if (found.length === 0) return { singleOwner, multiOwner: [], exported: [] };
        const others = yield* outputs.toEntries(found);
        return {
          singleOwner,
          multiOwner: others.filter(({ seq }) => !isMovedOutput(seq)),
          exported: others.filter(({ seq }) => isMovedOutput(seq)),
        };
      }),
    asset: (id) => run(() => assets.asset(id)),
    assets: (ids) => run(() => assets.assets(ids)),
    lastActivity: (addresses, pin) => runWithPauses(() => activity.lastActivity(addresses, pin)),
    seenAddresses: (addresses, pin) => runWithPauses(() => activity.seenAddresses(addresses, pin)),
    publicKeys: (addresses) => runWithPauses(() => readPublicKeys(addresses)),
    buckets: (unit, from, to, limit) => readOne(buckets.buckets({ unit, from, to }, limit, tip.known())),
    lastBucketBefore: (unit, before) => readOne(buckets.lastBucketBefore(unit, before, tip.known())),
    totals: (metric, times) => atOneTip(tip.read, () => run(() => buckets.totals(metric, times))),
    addressesBefore: (time) => atOneTip(tip.read, () => run(() => buckets.addressesBefore(time, tip.known()))),
  };
}
