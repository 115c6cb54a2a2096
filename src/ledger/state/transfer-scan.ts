import { parseBlock } from '../../avm/tx/block.ts';
import { spentRefs } from '../../avm/tx/effects.ts';
import type { UtxoRef } from '../../avm/tx/input.ts';
import type { Address } from '../../base/bytes/address.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { type Id, idLength, idToBytes } from '../../base/bytes/id.ts';
import { aboveAnyOutput, belowAnyOutput } from './output-number.ts';
import {
  copyAssetID,
  copyTxID,
  hasAsset,
  isTransfer,
  ownerCount,
  type StoredUtxo,
  storedAmount,
  storedLocktime,
  storedOutputIndex,
} from './stored-utxo.ts';
import type { OwnedRow } from './utxo-page.ts';

/** An unspent transfer output of an address. */
export type UnspentTransfer = { readonly txID: Id; readonly outputIndex: number; readonly assetID: Id; readonly amount: bigint };

export type TransferQuery = {
  readonly address: Address;
  /** Only this asset. */
  readonly assetID?: Id;
  /** Also return multi-owner and locked outputs; otherwise only single-owner outputs whose lock time is not after `now`. */
  readonly includePartial: boolean;
  /** Unix seconds. */
  readonly now: bigint;
};

/**
 * Reads the unspent transfer outputs of an address, newest first. There may be hundreds of thousands, so they are read in steps. Blocks may
 * be accepted between two steps, but the result is the state at one height. An address with few outputs needs one step.
 */
export type TransferScan = Generator<void, readonly UnspentTransfer[]>;

export type ScanReads = {
  /** Runs reads that must see the same commit. */
  readonly read: <T>(work: () => T) => T;
  readonly height: () => bigint;
  readonly unspentRows: (address: Address, below: number, limit: number) => OwnedRow[];
  readonly bytesOf: (row: OwnedRow) => StoredUtxo;
  readonly blockAt: (height: bigint) => Uint8Array | undefined;
  /** The number of an output, spent or not. */
  readonly seqOf: (ref: UtxoRef) => number | undefined;
};

/** Rows per step; a step takes a few milliseconds. */
const rowsInStep = 2048;

type TransferRow = UnspentTransfer & { readonly seq: number };
type ScanPage = { readonly rows: readonly OwnedRow[]; readonly transfers: TransferRow[]; readonly height: bigint };

/**
 * Scans from the newest output to the oldest. Outputs of new blocks get larger numbers, so those that appear during a pass are before its
 * first row, and the next pass reads only those. Outputs from before linearization get smaller numbers, so the pass itself reads them. Outputs
 * spent meanwhile are found in the new blocks. The scan ends after a pass during which no block was accepted; every pass after the first is short.
 */
export function* scanTransfers(reads: ScanReads, query: TransferQuery, limit = rowsInStep): TransferScan {
  const { address } = query;
  const readPage = (below: number): ScanPage =>
    reads.read(() => {
      const rows = reads.unspentRows(address, below, limit);
      return {
        rows,
        transfers: selectTransfers(rows, query, reads.bytesOf),
        height: reads.height(),
      };
    });
  let first = readPage(aboveAnyOutput);
  const startHeight = first.height;
  let found: TransferRow[] = [];
  let highestSeq = belowAnyOutput;
  for (;;) {
    const pass: TransferRow[][] = [];
    let last = first;
    for (;;) {
      pass.push(last.transfers.filter(({ seq }) => seq > highestSeq));
      const oldest = last.rows[last.rows.length - 1];
      if (oldest === undefined || oldest.seq <= highestSeq || last.rows.length < limit) break;
      yield;
      last = readPage(oldest.seq);
    }
    found = pass.flat().concat(found);
    highestSeq = first.rows[0]?.seq ?? highestSeq;
    if (last.height === first.height) break;
    first = readPage(aboveAnyOutput);
  }
  const spent = yield* findSpentBetween(reads, startHeight, first.height);
  return spent.size === 0 ? found : found.filter(({ seq }) => !spent.has(seq));
}

/** Returns the numbers of the outputs that were spent by blocks after height `from` up to height `to`. */
function* findSpentBetween({ blockAt, seqOf }: ScanReads, from: bigint, to: bigint): Generator<void, ReadonlySet<number>> {
  const spent = new Set<number>();
  for (let height = from + 1n; height <= to; height++) {
    const bytes = blockAt(height);
    for (const tx of bytes === undefined ? [] : parseBlock(bytes).txs)
      for (const ref of spentRefs(tx.unsigned)) {
        const seq = seqOf(ref);
        if (seq !== undefined) spent.add(seq);
      }
    yield;
  }
  return spent;
}

/** Selects the transfer outputs that match the query. All IDs are converted to hex in one call: one call per ID would be slower. */
function selectTransfers(rows: readonly OwnedRow[], query: TransferQuery, bytesOf: (row: OwnedRow) => StoredUtxo): TransferRow[] {
  const { includePartial, now } = query;
  const asset = query.assetID === undefined ? undefined : idToBytes(query.assetID);
  const found: { readonly seq: number; readonly bytes: StoredUtxo }[] = [];
  for (const row of rows) {
    const bytes = bytesOf(row);
    if (!isTransfer(bytes) || (asset !== undefined && !hasAsset(bytes, asset))) continue;
    if (includePartial || (ownerCount(bytes) === 1 && storedLocktime(bytes) <= now)) found.push({ seq: row.seq, bytes });
  }
  const txIDs = collectIds(found, copyTxID);
  const assetIDs = query.assetID === undefined ? collectIds(found, copyAssetID) : undefined;
  return found.map(({ seq, bytes }, i) => ({
    seq,
    txID: txIDs(i),
    outputIndex: storedOutputIndex(bytes),
    assetID: query.assetID ?? (assetIDs?.(i) as Id),
    amount: storedAmount(bytes),
  }));
}

function collectIds(
  found: readonly { readonly bytes: StoredUtxo }[],
  copy: (from: StoredUtxo, to: Uint8Array, offset: number) => void,
): (at: number) => Id {
  const ids = Buffer.allocUnsafe(found.length * idLength);
  for (const [i, { bytes }] of found.entries()) copy(bytes, ids, i * idLength);
  const digits = toHex(ids);
  const width = idLength * 2;
  return (at) => digits.slice(at * width, (at + 1) * width) as Id;
}
