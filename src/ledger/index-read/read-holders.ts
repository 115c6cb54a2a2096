import { type Address, addressToBytes } from '../../base/bytes/address.ts';
import { type Id, idToBytes } from '../../base/bytes/id.ts';
import { createCache } from '../../base/cache/cache.ts';
import { processCaches } from '../../base/cache/cache-budget.ts';
import type { ExplorerTables } from '../index/explorer-tables.ts';
import { keyLookup } from '../index/key-lookup.ts';
import type { Sql } from '../index/sql.ts';
import { ownPart, partToBytes } from '../state/balance.ts';
import { abovePreLinearization } from '../state/output-number.ts';
import type { Tables } from '../state/schema.ts';
import { decodeStoredUtxo, type StoredUtxo } from '../state/stored-utxo.ts';
import { fetchRows, type Queries } from '../store/queries.ts';
import type { AssetHolder } from './explorer-reads.ts';
import {
  bytesOfHolders,
  createTopHolders,
  type HolderRow,
  hasFirst,
  maxCachedRows,
  maxRows,
  readTopHolders,
  type TopHolders,
  updateTopHolders,
} from './holder-list.ts';
import type { OutputEntry, PinnedBlock } from './index-reads.ts';
import type { RunQueries } from './read-runner.ts';
import type { TxReads } from './read-txs.ts';

/** The largest holders. `owners`: rows read to make the list. */
type CachedList = ListedAsOf & { readonly owners: number; readonly top: TopHolders };

/** As of which block holders are listed, and the number of the oldest output then: see `oldestOf`. */
export type ListedAsOf = { readonly pin: PinnedBlock; readonly oldest: number };

/** From the lowest number in `old_utxo`: only outputs from before linearization have numbers below the result. */
export const oldestOf = (lowest: number | null): number => Math.min(lowest ?? 0, abovePreLinearization);

/** Owners whose balances one query reads: a few milliseconds on SQLite, where a long read pauses between queries; fewer round trips on PostgreSQL. */
const ownersPerQuery: { readonly [D in Sql['dialect']]: number } = { sqlite: 512, postgres: 16_384, citus: 16_384 };

/** Transactions that are read at once to bring a list up to date. */
const txsPerStep = 64;

/** How many owners are read in the time that one transaction takes. */
const ownersInTimeOfTx = 20;

/** Outputs that one query looks through, and how many take the time of one owner. */
const outputsPerQuery = 5000;
const outputsPerOwner = 8;

/**
 * Reads the largest holders of an asset. The list is made when it is asked for, from the balances of all its owners as of one block, and
 * cached; later it is brought up to date from the transactions of the asset since. So blocks write nothing for it. `run` pauses during long
 * reads. `ownersPerTx`: for tests only.
 */
export function createHolderReads(
  sql: Pick<Sql, 'epoch' | 'dialect'>,
  t: Tables & ExplorerTables,
  txReads: Pick<TxReads, 'txSeqs' | 'txs'>,
  run: RunQueries,
  ownersPerTx = ownersInTimeOfTx,
) {
  const lists = createCache<Id, CachedList>('holders', { size: (_, { top }) => bytesOfHolders(top), version: sql.epoch ?? (() => 0) });
  const cachedRows = (): number => maxCachedRows(processCaches.bytesOf('holders'));
  const { makeList, updateList } = createListReads(sql.dialect, t, txReads, ownersPerTx);

  function* readList(asset: Id, { pin, oldest }: ListedAsOf, count: number): Queries<CachedList> {
    const epoch = lists.version();
    const cached = lists.get(asset);
    const updated =
      cached === undefined || cached.pin.height > pin.height ? undefined : yield* updateList(asset, cached, pin, oldest, cachedRows());
    const isEnough = updated !== undefined && hasFirst(updated.top, count);
    if (isEnough) {
      if (updated !== cached) lists.set(asset, updated, epoch);
      return updated;
    }
    // A page further down than the cache has room for: its list is made for this page only.
    const isTooLong = count > cachedRows();
    const list = yield* makeList(asset, pin, oldest, isTooLong ? Math.min(count, maxRows) : cachedRows());
    if (!isTooLong) lists.set(asset, list, epoch);
    return list;
  }

  /**
   * Lists that are being read, by asset. Making one takes long, so callers for the same asset do it one after the other; who waited for a list
   * as of the same block takes that one, even if the cache has no room for it.
   */
  const running = new Map<Id, Promise<CachedList>>();

  return async (asset: Id, asOf: ListedAsOf, offset: number, limit: number): Promise<AssetHolder[]> => {
    const { pin } = asOf;
    const count = offset + limit;
    const epoch = lists.version();
    for (let current = running.get(asset); current !== undefined; current = running.get(asset)) {
      const list = await current.catch(() => undefined);
      const isSame = list !== undefined && list.pin.id === pin.id && lists.version() === epoch && hasFirst(list.top, count);
      if (isSame) return readTopHolders(list.top, offset, limit);
    }
    const reading = run(() => readList(asset, asOf, count));
    running.set(asset, reading);
    try {
      return readTopHolders((await reading).top, offset, limit);
    } finally {
      running.delete(asset);
    }
  };
}

/** Reads lists of holders, each as of a block. */
function createListReads(
  dialect: Sql['dialect'],
  t: Tables & ExplorerTables,
  { txSeqs, txs }: Pick<TxReads, 'txSeqs' | 'txs'>,
  ownersPerTx: number,
) {
  const own = partToBytes(ownPart);
  const pageSize = ownersPerQuery[dialect];
  const isNewest = (address: string): string =>
    `b.height = (SELECT max(n.height) FROM ${t.balance} n WHERE n.address = ${address} AND n.asset = ? AND n.part = ? AND n.height <= ?)`;
  const withBalance = `LEFT JOIN ${t.balance} b ON b.address = o.address AND b.asset = ? AND b.part = ? AND ${isNewest('o.address')}`;
  const nextOwners =
    dialect === 'citus'
      ? // The shards of both tables are joined in pairs, so the limit comes last.
        `SELECT o.address, b.amount, b.nfts FROM ${t.assetOwner} o ${withBalance} WHERE o.asset = ? AND o.address > ? ORDER BY o.address LIMIT ? + 0`
      : `SELECT o.address, b.amount, b.nfts FROM (SELECT address FROM ${t.assetOwner} WHERE asset = ? AND address > ? ORDER BY address LIMIT ? + 0) o
         ${withBalance} ORDER BY o.address`;
  const balancesOf = keyLookup(
    dialect,
    (isKey) => `SELECT b.address, b.amount, b.nfts FROM ${t.balance} b WHERE b.asset = ? AND b.part = ? AND ${isNewest('b.address')}
      AND b.address ${isKey}`,
  );
  const utxosBetween = `SELECT bytes FROM ${t.oldUtxo} WHERE seq >= ? AND seq < ?`;

  function* makeList(asset: Id, pin: PinnedBlock, oldest: number, rows: number): Queries<CachedList> {
    const key = idToBytes(asset);
    const top = createTopHolders(undefined, rows);
    let owners = 0;
    for (let after = new Uint8Array(0); ; ) {
      const [page, balance] = [
        [key, after, pageSize],
        [key, own, key, own, pin.height],
      ];
      const values = dialect === 'citus' ? [...balance, ...page] : [...page, ...balance];
      const found = yield* fetchRows<HolderRow>([{ text: nextOwners, values }]);
      for (const row of found) top.add(row);
      owners += found.length;
      const last = found.at(-1);
      if (last === undefined || found.length < pageSize) return { pin, oldest, owners, top: top.list() };
      after = new Uint8Array(last.address);
    }
  }

  /** The list as of a later block; undefined if making it again takes less time. */
  function* updateList(asset: Id, list: CachedList, pin: PinnedBlock, oldest: number, maxListed: number): Queries<CachedList | undefined> {
    if (pin.id === list.pin.id && oldest === list.oldest) return list;
    if (list.oldest - oldest > outputsPerOwner * list.owners + outputsPerQuery) return undefined;
    const limit = Math.ceil(list.owners / ownersPerTx);
    const query = { pin, subjects: [{ asset }], kinds: undefined, times: { from: undefined, to: undefined }, order: 'asc' } as const;
    const seqs = yield* txSeqs({ ...query, after: list.pin.lastTx, limit: limit + 1 });
    if (seqs.length > limit) return undefined;
    const changed = new Set<Address>();
    const addOwner = ({ utxo: { assetID, output } }: Pick<OutputEntry, 'utxo'>): void => {
      const [owner] = output.addresses;
      if (assetID === asset && owner !== undefined && output.addresses.length === 1) changed.add(owner);
    };
    for (let at = 0; at < seqs.length; at += txsPerStep)
      for (const { consumed, emitted } of yield* txs(seqs.slice(at, at + txsPerStep), pin)) {
        for (const output of [...consumed, ...emitted]) if (output !== undefined) addOwner(output);
      }
    // Outputs from before linearization change balances without a transaction. They are numbered down.
    for (let below = list.oldest; below > oldest; below -= outputsPerQuery) {
      const values = [Math.max(oldest, below - outputsPerQuery), below];
      for (const { bytes } of yield* fetchRows<{ bytes: StoredUtxo }>([{ text: utxosBetween, values }]))
        addOwner({ utxo: decodeStoredUtxo(bytes) });
    }
    if (changed.size === 0) return { ...list, pin, oldest };
    const values = [idToBytes(asset), own, idToBytes(asset), own, pin.height];
    const rows = yield* fetchRows<HolderRow>(balancesOf([...changed].map(addressToBytes), values));
    return { pin, oldest, owners: list.owners + changed.size, top: updateTopHolders(list.top, changed, rows, maxListed) };
  }

  return { makeList, updateList };
}
