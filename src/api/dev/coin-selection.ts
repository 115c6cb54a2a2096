import { effectsOf } from '../../avm/tx/effects.ts';
import type { Tx } from '../../avm/tx/tx.ts';
import { parseUtxo, type Utxo } from '../../avm/tx/utxo.ts';
import type { Key } from '../../avm/wallet/key.ts';
import { findSigners } from '../../avm/wallet/wallet.ts';
import { zeroAddress } from '../../base/bytes/address.ts';
import { checksumLength } from '../../base/bytes/hash.ts';
import { type Id, zeroId } from '../../base/bytes/id.ts';
import type { LongWork } from '../../base/timing/long-work.ts';
import type { AddressUtxoCursor, ReadUtxoPage } from '../rpc/utxo-query.ts';

/** Outputs of a chain as far as the accounts need them. */
export type OutputReads = {
  readonly chainID: Id;
  readonly utxoPage: ReadUtxoPage;
  /** Whether a transaction in the mempool consumes an output. */
  readonly isPending: (utxoID: Id) => boolean;
  /** The transactions in the mempool, oldest first. */
  readonly pendingTxs: () => Iterable<Tx>;
  readonly longWork: LongWork;
};

/** The most inputs of a transaction made here: with signatures they take 41 KB of the 64 KB that a transaction may have. */
export const maxInputs = 256;

/** Outputs read at once, and pages read for one request. */
const pageSize = 1024;
const maxPages = 64;

/** What was found for each asset: the outputs to spend, largest first, or only the sum if that is not enough. */
type CoinSelection = { readonly utxos: readonly Utxo[]; readonly available: ReadonlyMap<Id, bigint>; readonly isComplete: boolean };

/**
 * Selects outputs of the first key that cover the needed amounts: of the accepted state, then of the mempool, without what the mempool consumes.
 * Reads pages until the largest outputs found so far suffice, so an account with few large outputs needs one page. Several keys sign together: all
 * pages are read then, and outputs that need more than one signature are taken first.
 */
export async function selectCoins(
  reads: OutputReads,
  keys: readonly [Key, ...Key[]],
  needed: ReadonlyMap<Id, bigint>,
  now: bigint,
): Promise<CoinSelection> {
  const found = new Map<Id, Utxo[]>([...needed.keys()].map((assetID) => [assetID, []]));
  for await (const page of listOutputs(reads, keys[0])) {
    for (const utxo of page)
      if (utxo.output.kind === 'secp256k1fx.TransferOutput' && findSigners({ keys }, utxo, now) !== undefined)
        found.get(utxo.assetID)?.push(utxo);
    const selection = selectLargest(found, needed);
    if (selection.isComplete && keys.length === 1) return selection;
  }
  return selectLargest(found, needed);
}

/** Finds up to `max` outputs of the keys that pass a test. */
export async function findOutputs(
  reads: OutputReads,
  keys: readonly Key[],
  isWanted: (utxo: Utxo) => boolean,
  max: number,
): Promise<readonly Utxo[]> {
  const found = new Map<Id, Utxo>();
  for (const key of keys)
    for await (const page of listOutputs(reads, key)) {
      for (const utxo of page) if (found.size < max && isWanted(utxo)) found.set(utxo.id, utxo);
      if (found.size >= max) return [...found.values()];
    }
  return [...found.values()];
}

/**
 * The outputs of a key, page by page, without those that the mempool consumes. Those that the mempool creates are last. Pauses when it takes
 * long.
 */
async function* listOutputs({ chainID, utxoPage, isPending, pendingTxs, longWork }: OutputReads, { address }: Key): AsyncGenerator<Utxo[]> {
  const pause = longWork.begin();
  let cursor: AddressUtxoCursor = { address: zeroAddress, utxoID: zeroId };
  for (let page = 0; page < maxPages; page++) {
    const { utxos, end } = utxoPage(chainID, [address], cursor, pageSize);
    yield utxos.map((bytes) => parseUtxo(bytes.subarray(0, -checksumLength))).filter(({ id }) => !isPending(id));
    if (utxos.length < pageSize) break;
    cursor = end;
    await pause();
  }
  const left: Utxo[] = [];
  for (const tx of pendingTxs()) {
    left.push(...effectsOf(tx).created.filter(({ id, output }) => output.addresses.includes(address) && !isPending(id)));
    await pause();
  }
  yield left;
}

function selectLargest(found: ReadonlyMap<Id, readonly Utxo[]>, needed: ReadonlyMap<Id, bigint>): CoinSelection {
  const selected: Utxo[] = [];
  const available = new Map<Id, bigint>();
  let isComplete = true;
  for (const [assetID, need] of needed) {
    let missing = need;
    for (const utxo of [...(found.get(assetID) ?? [])].sort((a, b) => Number(isShared(b)) - Number(isShared(a)) || largestFirst(a, b))) {
      if (missing <= 0n) break;
      selected.push(utxo);
      missing -= amountOf(utxo);
    }
    if (missing > 0n) isComplete = false;
    available.set(assetID, need - missing);
  }
  return { utxos: selected, available, isComplete: isComplete && selected.length <= maxInputs };
}

export const largestFirst = (a: Utxo, b: Utxo): number => Number(amountOf(b) > amountOf(a)) - Number(amountOf(b) < amountOf(a));

/** Whether an output needs more than one signature. */
export const isShared = ({ output }: Utxo): boolean => output.threshold > 1;

export const amountOf = ({ output }: Utxo): bigint => ('amount' in output ? output.amount : 0n);
