import type { Address } from '../../base/bytes/address.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import { maxU64 } from '../../base/bytes/octets.ts';
import { createCache, textSize } from '../../base/cache/cache.ts';
import { type AddressBalance, ownPart, sharedPart } from '../../ledger/state/balance.ts';
import { AvmError } from './fault.ts';
import type { RunLongQuery } from './long-queries.ts';

/** A sum of outputs of an address in one asset; `part` says of which. */
type AssetBalanceRow = Pick<AddressBalance, 'assetID' | 'part' | 'amount'>;

/** A transfer output that counts towards a balance. */
type BalanceOutput = { readonly txID: Id; readonly outputIndex: number; readonly assetID: Id; readonly amount: bigint };

/** `includePartial`: also count multi-owner and locked outputs. `now`: Unix seconds. */
type BalanceQuery = { readonly address: Address; readonly includePartial: boolean; readonly now: bigint };

export type AvmBalanceReads = {
  /** All balances, ordered by asset. Lock times that have passed at `now` may be left out. */
  readonly balances: (address: Address, now: bigint) => readonly AssetBalanceRow[];
  /** The same; undefined if they have more than `limit` rows. */
  readonly fewBalances: (address: Address, now: bigint, limit: number) => readonly AssetBalanceRow[] | undefined;
  /** The latest lock time of the asset's rows that is at or before `now`; 0 if no row has one. */
  readonly latestPassedLocktime: (address: Address, assetID: Id, now: bigint) => bigint;
  /**
   * Transfer outputs as of one height, newest first. Without `includePartial` only single-owner outputs with a lock time at or before `now`.
   * Each generator step takes a few milliseconds; an address with few outputs needs one step.
   */
  readonly transfers: (query: BalanceQuery & { readonly assetID?: Id }) => Generator<void, readonly BalanceOutput[]>;
  /** A text that changes whenever the address gains or loses a transfer output of the asset. Comparable only within one epoch. */
  readonly balanceRevision: (address: Address, assetID: Id) => string;
  readonly height: () => bigint;
  readonly epoch: () => number;
};

/**
 * What a row adds to the balance: everything with `includePartial`, else only single-owner outputs that are unlocked, so the rows of lock times
 * after `now` are subtracted. AvalancheGo: vms/avm/service.go, GetBalance.
 */
function countedAmount({ part, amount }: AssetBalanceRow, includePartial: boolean, now: bigint): bigint {
  if (part === ownPart) return amount;
  if (part === sharedPart) return includePartial ? amount : 0n;
  return includePartial || part <= now ? 0n : -amount;
}

/** The most balance rows read in one turn of the event loop. For an address with more (of assets and lock times) the outputs are summed in steps. */
const maxBalanceRows = 2048;

/** Reads the balances of all assets, ordered by asset ID. A sum above the uint64 maximum is reported as that maximum, as in AvalancheGo. */
export async function readAllBalances(reads: AvmBalanceReads, query: BalanceQuery, runLongQuery: RunLongQuery): Promise<AssetBalances> {
  const { address, includePartial, now } = query;
  const rows = reads.fewBalances(address, now, maxBalanceRows);
  if (rows !== undefined) return sumBalanceRows(rows, query);
  return runLongQuery(`${address}${includePartial}${reads.height()} ${now}`, sumTransfers(reads, query));
}

type AssetBalances = ReadonlyMap<Id, bigint>;

/** Sums balance rows by asset. `rows` must be all rows of the address, except those of lock times that have passed. */
function sumBalanceRows(rows: readonly AssetBalanceRow[], { includePartial, now }: Omit<BalanceQuery, 'address'>): AssetBalances {
  const sums = new Map<Id, bigint>();
  for (const row of rows) addTo(sums, row.assetID, countedAmount(row, includePartial, now));
  return inUint64(sums);
}

/** The balances of all assets at once, without locked and shared outputs. */
export const readUnlockedBalances = (reads: Pick<AvmBalanceReads, 'balances'>, address: Address, now: bigint): AssetBalances =>
  sumBalanceRows(reads.balances(address, now), { includePartial: false, now });

function* sumTransfers(reads: AvmBalanceReads, query: BalanceQuery): Generator<void, AssetBalances> {
  const found = yield* reads.transfers(query);
  const sums = new Map<Id, bigint>();
  for (const [i, { assetID, amount }] of found.entries()) {
    if (i % entriesInStep === entriesInStep - 1) yield;
    addTo(sums, assetID, amount);
  }
  return inUint64(new Map([...sums].sort(([a], [b]) => (a < b ? -1 : 1))));
}

const addTo = (sums: Map<Id, bigint>, assetID: Id, amount: bigint): void => void sums.set(assetID, (sums.get(assetID) ?? 0n) + amount);

/** The sums without zeros, and with the uint64 maximum for larger ones. */
function inUint64(sums: Map<Id, bigint>): AssetBalances {
  for (const [assetID, sum] of sums)
    if (sum === 0n) sums.delete(assetID);
    else if (sum > maxU64) sums.set(assetID, maxU64);
  return sums;
}

/**
 * Creates a function that returns the balance of one asset with all its outputs, as JSON. The list can have thousands of entries and clients
 * poll it, so the JSON is cached until the address gains or loses an output, or a lock time passes. A long list runs as a long query.
 */
export function createBalanceJsonReader(reads: AvmBalanceReads, runLongQuery: RunLongQuery) {
  const texts = createCache<string, Uint8Array>('balances', { size: textSize, version: reads.epoch });
  return async (query: BalanceQuery & { readonly assetID: Id }): Promise<Uint8Array> => {
    const { address, assetID, includePartial, now } = query;
    const unlocked = includePartial ? '' : reads.latestPassedLocktime(address, assetID, now);
    const key = `${address}${assetID}${includePartial} ${reads.balanceRevision(address, assetID)} ${unlocked}`;
    const cached = texts.get(key);
    if (cached !== undefined) return cached;
    const epoch = texts.version();
    const work = renderBalance(reads, query);
    const first = work.next();
    const text = first.done === true ? first.value : await runLongQuery(`${key} ${epoch}`, work);
    texts.set(key, text, epoch);
    return text;
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
