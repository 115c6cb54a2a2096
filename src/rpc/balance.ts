import type { Address } from '../bytes/address.ts';
import { type Id, idText } from '../bytes/id.ts';
import { maxU64 } from '../bytes/octets.ts';
import { AvmError } from './avm-fault.ts';
import type { LongAnswers } from './long-answers.ts';
import { createTextCache } from './response-text-cache.ts';

/** Sums kept by the state, one row per asset and lock time: what only this address may spend, and what it shares with others. */
export type BalanceRow = { readonly assetID: Id; readonly locktime: bigint; readonly own: bigint; readonly shared: bigint };

export type OwnedTransfer = { readonly txID: Id; readonly outputIndex: number; readonly assetID: Id; readonly amount: bigint };

export type BalanceQuery = { readonly address: Address; readonly partial: boolean; readonly now: bigint };

export type BalanceReads = {
  /** By asset and lock time; at most `limit` rows, all without it. */
  readonly balances: (address: Address, limit?: number) => readonly BalanceRow[];
  /** The latest lock time among an asset's rows that is not after `now`; 0 if there is none. */
  readonly latestUnlock: (address: Address, assetID: Id, now: bigint) => bigint;
  /**
   * Transfer outputs as of one height, newest first; without `partial` only those of one owner whose lock time is not after `now`. One step
   * is a few milliseconds; an address with few outputs needs one.
   */
  readonly transfers: (query: BalanceQuery & { readonly assetID?: Id }) => Generator<void, readonly OwnedTransfer[]>;
  /** A number that changes whenever an output of the address appears or goes, within an epoch. */
  readonly changed: (address: Address) => number;
  readonly epoch: () => number;
};

/** What counts: all with `partial`, else only what one owner alone can spend by now. Peer: vms/avm/service.go, GetBalance. */
const counted = (row: BalanceRow, partial: boolean, now: bigint): bigint =>
  partial ? row.own + row.shared : row.locktime <= now ? row.own : 0n;

/** Kept sums read in one turn. An address with more of them, one for each lock time, has its outputs added up instead. */
const maxRows = 4096;

/** Balances of every asset, ordered by asset; a sum past u64 stays at its end, as the peer's does. */
export function allBalances(reads: BalanceReads, query: BalanceQuery, longAnswers: LongAnswers): Balances | Promise<Balances> {
  const { address, partial, now } = query;
  const rows = reads.balances(address, maxRows);
  if (rows.length < maxRows) return balancesOf(rows, query);
  return longAnswers(`${address}${partial}${reads.changed(address)} ${now}`, addedUp(reads, query));
}

export type Balances = ReadonlyMap<Id, bigint>;

/** The same of rows that are all there are. */
export function balancesOf(rows: readonly BalanceRow[], { partial, now }: Omit<BalanceQuery, 'address'>): Balances {
  const sums = new Map<Id, bigint>();
  for (const row of rows) addTo(sums, row.assetID, counted(row, partial, now));
  return sums;
}

function* addedUp(reads: BalanceReads, query: BalanceQuery): Generator<void, Balances> {
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

type BalanceOf = (query: BalanceQuery & { readonly assetID: Id }) => Uint8Array | Promise<Uint8Array>;

/**
 * One asset's balance with every output it is made of, as JSON. The list may have thousands of entries and is asked for again
 * and again, so the text is kept until an output of the address appears or goes, or one of its lock times passes. A long list is a long answer.
 */
export function createBalanceOf(reads: BalanceReads, longAnswers: LongAnswers): BalanceOf {
  const texts = createTextCache<Uint8Array>(8_000_000);
  return (query) => {
    const { address, assetID, partial, now } = query;
    const unlocked = partial ? '' : reads.latestUnlock(address, assetID, now);
    const key = `${address}${assetID}${partial}${reads.epoch()} ${reads.changed(address)} ${unlocked}`;
    const known = texts.get(key);
    if (known !== undefined) return known;
    const work = balanceText(reads, query);
    const step = work.next();
    const keep = (text: Uint8Array) => texts.of(key, () => text);
    return step.done === true ? keep(step.value) : longAnswers(key, work).then(keep);
  };
}

/** Entries added up or written in one step. */
const entriesInStep = 4096;

function* balanceText(reads: BalanceReads, query: BalanceQuery & { readonly assetID: Id }): Generator<void, Uint8Array> {
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
