import type { Address } from '../../base/bytes/address.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import { maxU64 } from '../../base/bytes/octets.ts';
import { createCache, textSize } from '../../base/cache/cache.ts';
import { AvmError } from './avm-fault.ts';
import type { RunLongQuery } from './long-queries.ts';

/** The sums of single-owner and multi-owner outputs of an address, for one asset and lock time. */
type AssetBalanceRow = {
  readonly assetID: Id;
  readonly locktime: bigint;
  readonly singleOwner: bigint;
  readonly multiOwner: bigint;
};

/** A transfer output that counts towards a balance. */
type BalanceOutput = { readonly txID: Id; readonly outputIndex: number; readonly assetID: Id; readonly amount: bigint };

/** `includePartial`: also count multi-owner and locked outputs. `now`: Unix seconds. */
type BalanceQuery = { readonly address: Address; readonly includePartial: boolean; readonly now: bigint };

export type AvmBalanceReads = {
  /** Rows ordered by asset and lock time: at most `limit`, or all if it is omitted. */
  readonly balances: (address: Address, limit?: number) => readonly AssetBalanceRow[];
  /** The latest lock time of the asset's rows that is at or before `now`; 0 if no row has one. */
  readonly latestPassedLocktime: (address: Address, assetID: Id, now: bigint) => bigint;
  /**
   * Transfer outputs as of one height, newest first. Without `includePartial` only single-owner outputs with a lock time at or before `now`.
   * Each generator step takes a few milliseconds; an address with few outputs needs one step.
   */
  readonly transfers: (query: BalanceQuery & { readonly assetID?: Id }) => Generator<void, readonly BalanceOutput[]>;
  /** A number that changes whenever the address gains or loses an output. Comparable only within one epoch. */
  readonly addressRevision: (address: Address) => number;
  readonly epoch: () => number;
};

/** The amount of a row that counts: everything with `includePartial`, else only single-owner outputs that are unlocked. AvalancheGo: vms/avm/service.go, GetBalance. */
const countedAmount = (row: AssetBalanceRow, includePartial: boolean, now: bigint): bigint =>
  includePartial ? row.singleOwner + row.multiOwner : row.locktime <= now ? row.singleOwner : 0n;

/** The most balance rows read in one turn of the event loop. For an address with more (one per asset and lock time) the outputs are summed in steps. */
const maxBalanceRows = 4096;

/** Reads the balances of all assets, ordered by asset ID. A sum above the uint64 maximum is reported as that maximum, as in AvalancheGo. */
export function readAllBalances(
  reads: AvmBalanceReads,
  query: BalanceQuery,
  runLongQuery: RunLongQuery,
): AssetBalances | Promise<AssetBalances> {
  const { address, includePartial, now } = query;
  const rows = reads.balances(address, maxBalanceRows);
  if (rows.length < maxBalanceRows) return sumBalanceRows(rows, query);
  return runLongQuery(`${address}${includePartial}${reads.addressRevision(address)} ${now}`, sumTransfers(reads, query));
}

type AssetBalances = ReadonlyMap<Id, bigint>;

/** Sums balance rows by asset. `rows` must be all rows of the address. */
export function sumBalanceRows(rows: readonly AssetBalanceRow[], { includePartial, now }: Omit<BalanceQuery, 'address'>): AssetBalances {
  const sums = new Map<Id, bigint>();
  for (const row of rows) addTo(sums, row.assetID, countedAmount(row, includePartial, now));
  return sums;
}

function* sumTransfers(reads: AvmBalanceReads, query: BalanceQuery): Generator<void, AssetBalances> {
  const found = yield* reads.transfers(query);
  const sums = new Map<Id, bigint>();
  for (const [i, { assetID, amount }] of found.entries()) {
    if (i % entriesInStep === entriesInStep - 1) yield;
    addTo(sums, assetID, amount);
  }
  return new Map([...sums].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function addTo(sums: Map<Id, bigint>, assetID: Id, amount: bigint): void {
  if (amount === 0n) return;
  const sum = (sums.get(assetID) ?? 0n) + amount;
  sums.set(assetID, sum > maxU64 ? maxU64 : sum);
}

type ReadBalanceJson = (query: BalanceQuery & { readonly assetID: Id }) => Uint8Array | Promise<Uint8Array>;

/**
 * Creates a function that returns the balance of one asset with all its outputs, as JSON. The list can have thousands of entries and clients
 * poll it, so the JSON is cached until the address gains or loses an output, or a lock time passes. A long list runs as a long query.
 */
export function createBalanceJsonReader(reads: AvmBalanceReads, runLongQuery: RunLongQuery): ReadBalanceJson {
  const texts = createCache<string, Uint8Array>('balances', { size: textSize, version: reads.epoch });
  return (query) => {
    const { address, assetID, includePartial, now } = query;
    const unlocked = includePartial ? '' : reads.latestPassedLocktime(address, assetID, now);
    const key = `${address}${assetID}${includePartial} ${reads.addressRevision(address)} ${unlocked}`;
    const cached = texts.get(key);
    if (cached !== undefined) return cached;
    const epoch = texts.version();
    const work = renderBalance(reads, query);
    const step = work.next();
    const store = (text: Uint8Array): Uint8Array => {
      texts.set(key, text, epoch);
      return text;
    };
    return step.done === true ? store(step.value) : runLongQuery(`${key} ${epoch}`, work).then(store);
  };
}

/** Outputs that one step sums or writes. */
const entriesInStep = 4096;

function* renderBalance(reads: AvmBalanceReads, query: BalanceQuery & { readonly assetID: Id }): Generator<void, Uint8Array> {
  const found = yield* reads.transfers(query);
  const parts: Uint8Array[] = [];
  let sum = 0n;
  for (let at = 0; at < found.length; at += entriesInStep) {
    if (at > 0) yield;
    let text = '';
    for (const { txID, outputIndex, amount } of found.slice(at, at + entriesInStep)) {
      text += `${text === '' && at === 0 ? '' : ','}{"txID":"${idText(txID)}","outputIndex":${outputIndex}}`;
      sum += amount;
    }
    parts.push(Buffer.from(text));
  }
  if (parts.length > 1) yield;
  if (sum > maxU64) throw new AvmError('overflow', { code: 'AVM_BALANCE_OVERFLOW', assetID: idText(query.assetID) });
  return Buffer.concat([Buffer.from(`{"balance":"${sum}","utxoIDs":[`), ...parts, Buffer.from(']}')]);
}
