import type { Id } from '../bytes/id.ts';
import type { Sql } from '../index/sql.ts';
import { indexTablesOf } from '../index/tables.ts';
import { tablesOf } from '../state/schema.ts';
import type { IndexReads } from './index-reads.ts';
import { activityReads } from './read-activity.ts';
import { assetReads } from './read-assets.ts';
import { balanceReads } from './read-balances.ts';
import { blockReads } from './read-blocks.ts';
import { spanReads } from './read-buckets.ts';
import { outputReads } from './read-outputs.ts';
import { runOn } from './read-run.ts';
import { txReads } from './read-txs.ts';
import { utxoReads } from './read-utxos.ts';

/** Answers about one chain; `number` is that of its tables. */
export function openReads(sql: Sql, chain: { readonly number: number; readonly id: Id }): IndexReads {
  const run = runOn(sql);
  const tables = { ...tablesOf(chain.number), ...indexTablesOf(chain.number) };
  const blocks = blockReads(tables, chain.id);
  const outputs = outputReads(tables, chain.id);
  const txs = txReads(tables, chain.id, blocks, outputs);
  const utxos = utxoReads(tables, chain.id, outputs, txs);
  const balances = balanceReads(tables, utxos);
  const assets = assetReads(tables);
  const activity = activityReads(tables, txs);
  const spans = spanReads(tables);
  return {
    tip: () => run(blocks.tip),
    pinAt: (height) => run(() => blocks.pinAt(height)),
    pinBefore: (time) => run(() => blocks.pinBefore(time)),
    completeFrom: () => run(blocks.completeFrom),
    block: (which) => run(() => blocks.block(which)),
    blocks: (query) => run(() => blocks.blocks(query)),
    tx: (id, pin) => run(() => txs.tx(id, pin)),
    txs: (query) => run(() => txs.txs(query)),
    utxos: (query) =>
      run(function* () {
        return yield* outputs.entries(yield* utxos.utxos(query));
      }),
    balances: (addresses, pin) =>
      run(function* () {
        return {
          own: yield* balances.own(addresses, pin),
          shared: yield* outputs.entries(yield* balances.shared(addresses, pin)),
          exported: yield* outputs.entries(yield* balances.exported(addresses, pin)),
        };
      }),
    asset: (id) => run(() => assets.asset(id)),
    assets: (ids) => run(() => assets.assets(ids)),
    lastActivity: (addresses, pin) => run(() => activity.lastActivity(addresses, pin)),
    known: (addresses, pin) => run(() => activity.known(addresses, pin)),
    spans: (unit, from, to, limit) => run(() => spans.spans(unit, from, to, limit)),
    spanBefore: (unit, before) => run(() => spans.spanBefore(unit, before)),
    totals: (of, times) => run(() => spans.totals(of, times)),
    addressesBefore: (time) => run(() => spans.addressesBefore(time)),
  };
}
