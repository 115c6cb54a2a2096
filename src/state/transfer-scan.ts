import type { Address } from '../bytes/address.ts';
import { toHex } from '../bytes/hex.ts';
import { type Id, idLength, idToBytes } from '../bytes/id.ts';
import { parseBlock } from '../tx/block.ts';
import { consumedBy } from '../tx/effects.ts';
import {
  copyAssetID,
  copyTxID,
  isOfAsset,
  isTransfer,
  ownerCount,
  type StoredUtxo,
  storedAmount,
  storedIndex,
  storedLocktime,
} from './stored-utxo.ts';
import type { OwnedRow } from './utxo-page.ts';

/** An unspent transfer output of an address. */
export type OwnedTransfer = { readonly txID: Id; readonly outputIndex: number; readonly assetID: Id; readonly amount: bigint };

export type TransferQuery = {
  readonly address: Address;
  /** Only this asset. */
  readonly assetID?: Id;
  /** Outputs of several owners and locked ones, too; else only those of one owner whose lock time is not after `now`. */
  readonly partial: boolean;
  /** Unix seconds. */
  readonly now: bigint;
};

/**
 * Transfer outputs of an address, newest first. There may be hundreds of thousands, so they are read in steps, between which blocks may be
 * accepted; the result is nevertheless what the address had at one height. Addresses with few outputs need one step.
 */
export type TransferScan = Generator<void, readonly OwnedTransfer[]>;

export type ScanReads = {
  /** Runs reads that must see the same block. */
  readonly read: <T>(work: () => T) => T;
  readonly height: () => bigint;
  readonly changed: (address: Address) => number;
  readonly owned: (address: Address, below: number, limit: number) => OwnedRow[];
  readonly bytesOf: (row: OwnedRow) => StoredUtxo;
  readonly blockAt: (height: bigint) => Uint8Array | undefined;
  /** The number of an output, spent or not. */
  readonly seqOf: (utxoID: Id) => number | undefined;
};

/** Rows read in one step: a few milliseconds. */
const rowsInStep = 2048;

type Entry = OwnedTransfer & { readonly seq: number };
type Page = { readonly rows: readonly OwnedRow[]; readonly entries: Entry[]; readonly height: bigint; readonly changed: number };

/**
 * Numbers only grow: outputs that appear during a pass stand before its first row, so another pass reads just those. Outputs that were
 * spent meanwhile are found in the blocks. A pass during which the address did not change ends the scan.
 */
export function* scanTransfers(reads: ScanReads, query: TransferQuery, limit = rowsInStep): TransferScan {
  const { address } = query;
  const page = (below: number): Page =>
    reads.read(() => {
      const rows = reads.owned(address, below, limit);
      return { rows, entries: entriesOf(rows, query, reads.bytesOf), height: reads.height(), changed: reads.changed(address) };
    });
  let first = page(newest);
  const begin = first.height;
  let found: Entry[] = [];
  let top = -1;
  for (;;) {
    const pass: Entry[][] = [];
    let last = first;
    for (;;) {
      pass.push(last.entries.filter(({ seq }) => seq > top));
      const oldest = last.rows[last.rows.length - 1];
      if (oldest === undefined || oldest.seq <= top || last.rows.length < limit) break;
      yield;
      last = page(oldest.seq);
    }
    found = pass.flat().concat(found);
    top = first.rows[0]?.seq ?? top;
    if (last.changed === first.changed) break;
    first = page(newest);
  }
  const spent = yield* spentSince(reads, begin, first.height);
  return spent.size === 0 ? found : found.filter(({ seq }) => !spent.has(seq));
}

/** Numbers of the outputs that blocks after `from` up to `to` spent. */
function* spentSince({ blockAt, seqOf }: ScanReads, from: bigint, to: bigint): Generator<void, ReadonlySet<number>> {
  const spent = new Set<number>();
  for (let height = from + 1n; height <= to; height++) {
    const bytes = blockAt(height);
    for (const tx of bytes === undefined ? [] : parseBlock(bytes).txs)
      for (const id of consumedBy(tx)) {
        const seq = seqOf(id);
        if (seq !== undefined) spent.add(seq);
      }
    yield;
  }
  return spent;
}

const newest = Number.MAX_SAFE_INTEGER;

/** All ids become text at once: a call into the runtime for each would cost more than the digits. */
function entriesOf(rows: readonly OwnedRow[], query: TransferQuery, bytesOf: (row: OwnedRow) => StoredUtxo): Entry[] {
  const { partial, now } = query;
  const asset = query.assetID === undefined ? undefined : idToBytes(query.assetID);
  const found: { readonly seq: number; readonly bytes: StoredUtxo }[] = [];
  for (const row of rows) {
    const bytes = bytesOf(row);
    if (!isTransfer(bytes) || (asset !== undefined && !isOfAsset(bytes, asset))) continue;
    if (partial || (ownerCount(bytes) === 1 && storedLocktime(bytes) <= now)) found.push({ seq: row.seq, bytes });
  }
  const txIDs = idsOf(found, copyTxID);
  const assetIDs = query.assetID === undefined ? idsOf(found, copyAssetID) : undefined;
  return found.map(({ seq, bytes }, i) => ({
    seq,
    txID: txIDs(i),
    outputIndex: storedIndex(bytes),
    assetID: query.assetID ?? (assetIDs?.(i) as Id),
    amount: storedAmount(bytes),
  }));
}

function idsOf(
  found: readonly { readonly bytes: StoredUtxo }[],
  copy: (from: StoredUtxo, to: Uint8Array, offset: number) => void,
): (at: number) => Id {
  const ids = Buffer.allocUnsafe(found.length * idLength);
  for (const [i, { bytes }] of found.entries()) copy(bytes, ids, i * idLength);
  const digits = toHex(ids);
  const width = idLength * 2;
  return (at) => digits.slice(at * width, (at + 1) * width) as Id;
}
