import type { Address } from '../../base/bytes/address.ts';
import type { Id } from '../../base/bytes/id.ts';
import { addressBlob, idBlob } from '../index/blob.ts';
import { bucketStart, bucketUnitNames } from '../index/bucket-start.ts';
import { decodeOpenBuckets, encodeOpenBuckets, type OpenBuckets } from '../index/open-buckets.ts';
import { isMintOutput } from '../index/output-amount.ts';
import type { SqlValue } from '../index/sql.ts';
import { type BucketUnit, bucketUnits } from '../index/tables.ts';
import { ownersOf } from '../state/balance.ts';
import type { NumberedUtxo } from '../state/utxo-table.ts';
import { fetchRowGroups, fetchRows, type Queries, type Query } from '../store/queries.ts';
import { createSupplySums, type SupplyChange } from './block-facts.ts';
import { assetRow, pushHolderRow } from './counter-rows.ts';
import { type AssetRow, assetStatEntry, type HolderRow, holderEntry } from './previous-rows.ts';
import { type AssetCounts, addAssetCounts, noAssetCounts } from './row-updates.ts';
import type { WriterQueries } from './writer-queries.ts';

/**
 * Adds outputs from before linearization, which no block contains. They existed at block 0, so they are added to all rows written since,
 * and reads as of an earlier height return them too. Their transactions are unknown: they add no history and no activity.
 */
export function* writePreLinearizationRows(
  q: WriterQueries,
  chain: Id,
  utxos: readonly NumberedUtxo[],
  assetChanges: ReadonlyMap<Id, AssetCounts>,
): Queries<void> {
  const [firstBlock] = yield* fetchRows<{ time: number }>(q.times([0]));
  const time = firstBlock?.time ?? 0;
  const supply = createSupplySums();
  const owners = new Set<Address>();
  for (const { utxo } of utxos) {
    supply.add(utxo, 1n);
    for (const address of ownersOf(utxo)) owners.add(address);
  }
  const rows = yield* fetchRowGroups({
    holders: q.holders([...owners].map(addressBlob)),
    assets: q.assets([...supply.changes.keys()].map(idBlob)),
    open: q.openBuckets([idBlob(chain)]),
  });
  const [open] = rows.open as { open_buckets: string | null }[];
  const minters = utxos.flatMap(({ utxo, seq }) => (isMintOutput(utxo.output) ? [idBlob(utxo.assetID), seq] : []));
  yield [
    ...q.addMinter(minters),
    ...firstSeenQueries(
      q,
      chain,
      owners,
      new Map((rows.holders as HolderRow[]).map(holderEntry)),
      time,
      decodeOpenBuckets(open?.open_buckets),
    ),
    ...q.upsertAsset(raisedSupplies(supply.changes, assetChanges, new Map((rows.assets as AssetRow[]).map(assetStatEntry)), time)),
  ];
}

/**
 * Sets the time an address was first seen to that of block 0. An address that a later block had counted as new is subtracted from the
 * time buckets of that block.
 */
function firstSeenQueries(
  q: WriterQueries,
  chain: Id,
  owners: ReadonlySet<Address>,
  known: ReadonlyMap<Address, { first: number; seen: number; sent: number }>,
  time: number,
  open: OpenBuckets | undefined,
): Query[] {
  const rows: SqlValue[] = [];
  const overcounted = new Map<string, SqlValue[]>();
  const overcountedOpen = { hour: 0, day: 0, week: 0, month: 0 };
  for (const address of owners) {
    const previous = known.get(address);
    if (previous !== undefined && previous.first <= time) continue;
    pushHolderRow(rows, address, { first: time, seen: previous?.seen ?? 0, sent: previous?.sent ?? 0 });
    if (previous === undefined) continue;
    for (const unit of bucketUnitNames) {
      const start = bucketStart(unit, previous.first);
      if (open?.buckets[unit].start === start) {
        overcountedOpen[unit]++;
        continue;
      }
      const [count] = overcounted.get(`${unit} ${start}`) ?? [0];
      overcounted.set(`${unit} ${start}`, [Number(count) + 1, bucketUnits[unit], start]);
    }
  }
  const corrected = open && encodeOpenBuckets({ ...open, buckets: subtractNewAddresses(open.buckets, overcountedOpen) });
  return [
    ...q.upsertHolderFirst(rows),
    ...q.subtractNewAddresses([...overcounted.values()].flat()),
    ...(corrected === undefined ? [] : q.setOpenBuckets([corrected, idBlob(chain)])),
  ];
}

function subtractNewAddresses(
  buckets: OpenBuckets['buckets'],
  overcounted: { readonly [U in BucketUnit]: number },
): OpenBuckets['buckets'] {
  const bucket = (unit: BucketUnit) => {
    const { start, counts } = buckets[unit];
    return { start, counts: { ...counts, addresses: counts.addresses - overcounted[unit] } };
  };
  return { hour: bucket('hour'), day: bucket('day'), week: bucket('week'), month: bucket('month') };
}

function raisedSupplies(
  supply: ReadonlyMap<Id, SupplyChange>,
  counts: ReadonlyMap<Id, AssetCounts>,
  known: ReadonlyMap<Id, ReturnType<typeof assetStatEntry>[1]>,
  time: number,
): SqlValue[] {
  return [...supply].flatMap(([asset, { units, nfts }]) => {
    const previous = known.get(asset) ?? { first: time, last: time, txs: 0, supply: 0n, nfts: 0, ...noAssetCounts };
    return assetRow(asset, {
      ...addAssetCounts(previous, counts.get(asset) ?? noAssetCounts),
      first: Math.min(previous.first, time),
      supply: previous.supply + units,
      nfts: previous.nfts + nfts,
    });
  });
}
