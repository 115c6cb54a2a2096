import { consumedIds } from '../../avm/tx/effects.ts';
import type { Address } from '../../base/bytes/address.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { AssetEntry, PinnedBlock, TransferEntry, TxEntry } from '../../ledger/index-read/index-reads.ts';
import type { ServedChain } from '../rest/served-chains.ts';
import type { DataDeps } from './deps.ts';
import { addSigners, addTransferSigners } from './page-signers.ts';
import { maxPageBytes, outputBytes } from './paging.ts';
import type { Piece, PieceSpace } from './piece-cache.ts';
import { assetsOfTxs } from './tx-amounts.ts';
import { assetsOfTransfers, transferEntryBytes, writeTransfer } from './write-transfer.ts';
import { writeTx } from './write-tx.ts';

/**
 * The JSON of a transaction. It changes only when one of its outputs is spent: it is right as of every block from `validFrom` (the `seq` of
 * the last transaction that spent one of its outputs, or its own) until one of the outputs `unspent` is spent.
 */
export type TxPiece = Piece & {
  /** See `txEntryBytes`. */
  readonly storedBytes: number;
  readonly validFrom: number;
  readonly unspent: readonly number[];
  /** The outputs `unspent` are known to be unspent up to this transaction. */
  checkedTo: number;
};

type TxPieceQuery = {
  readonly chain: ServedChain;
  readonly hrp: string;
  readonly epoch: number;
  readonly seqs: readonly number[];
  readonly pin: PinnedBlock;
};

/** Rendered transactions as of a block, in the given order. The list may end early if they have more than `maxPageBytes` in total. */
export async function readTxPieces(deps: DataDeps, { chain, hrp, epoch, seqs, pin }: TxPieceQuery): Promise<TxPiece[]> {
  const space = openSpace(deps, { chain, hrp, epoch });
  const pieces = new Map<number, TxPiece>();
  for (const seq of seqs) {
    const cached = cachedPiece(space, seq, pin);
    if (cached !== undefined) pieces.set(seq, cached);
  }
  await dropOutdated(chain, pieces, pin);
  const missing = seqs.filter((seq) => !pieces.has(seq));
  const entries = missing.length === 0 ? [] : await chain.reads.storedTxs(missing, pin, maxPageBytes);
  if (entries.length > 0) {
    const pause = deps.longWork?.begin();
    const render = await openRenderer(deps, { chain, hrp, space, entries, pin });
    for (const entry of entries) {
      pieces.set(entry.seq, render(entry));
      const resumed = pause?.();
      if (resumed !== undefined) await resumed;
    }
  }
  const end = seqs.findIndex((seq) => !pieces.has(seq));
  return (end < 0 ? seqs : seqs.slice(0, end)).map((seq) => pieces.get(seq) as TxPiece);
}

/** The rendered transaction with an ID as of the last block; undefined if there is none. */
export async function readTxPiece(
  deps: DataDeps,
  { chain, hrp, epoch, id }: Omit<TxPieceQuery, 'seqs' | 'pin'> & { readonly id: Id },
): Promise<TxPiece | undefined> {
  const space = openSpace(deps, { chain, hrp, epoch });
  const found = await chain.reads.storedTx(id, (seq, pin) => cachedPiece(space, seq, pin) !== undefined);
  if (found === undefined) return undefined;
  const { seq, pin, entry } = found;
  if (entry !== undefined) return (await openRenderer(deps, { chain, hrp, space, entries: [entry], pin }))(entry);
  return (await readTxPieces(deps, { chain, hrp, epoch, seqs: [seq], pin }))[0];
}

const openSpace = ({ pieces }: DataDeps, { chain, hrp, epoch }: Omit<TxPieceQuery, 'seqs' | 'pin'>): PieceSpace<TxPiece> =>
  pieces.space<TxPiece>(epoch, `tx ${hrp} ${chain.id}`);

/** A piece that may be right as of a block: later spending is not checked yet. */
function cachedPiece(space: PieceSpace<TxPiece>, seq: number, pin: PinnedBlock): TxPiece | undefined {
  const cached = space.get(seq);
  return cached !== undefined && cached.validFrom <= pin.lastTx ? cached : undefined;
}

type RenderJob = Omit<TxPieceQuery, 'epoch' | 'seqs'> & { readonly space: PieceSpace<TxPiece>; readonly entries: readonly StoredEntry[] };

/** Prepares to render `entries` as of a block. The returned function renders one of them, and caches it if it is final. */
async function openRenderer(deps: DataDeps, { chain, hrp, space, entries, pin }: RenderJob): Promise<(entry: StoredEntry) => TxPiece> {
  const { write, isFinal } = await openTxWriter(deps, chain, hrp, entries);
  return (entry) => {
    const piece = isTransferEntry(entry) ? transferPiece(entry, write(entry), pin) : toPiece(entry, write(entry), pin);
    if (isFinal(entry) && (space.get(entry.seq)?.validFrom ?? 0) <= piece.validFrom) space.set(entry.seq, piece);
    return piece;
  };
}

/** Removes the pieces of which an output was spent since they were rendered. */
async function dropOutdated({ reads }: ServedChain, pieces: Map<number, TxPiece>, pin: PinnedBlock): Promise<void> {
  const unchecked = [...pieces].filter(([, { checkedTo, unspent }]) => checkedTo < pin.lastTx && unspent.length > 0);
  if (unchecked.length === 0) return;
  const spent = await reads.spentOutputs(
    unchecked.flatMap(([, { unspent }]) => unspent),
    pin,
  );
  for (const [seq, piece] of unchecked) {
    if (piece.unspent.some((output) => spent.has(output))) pieces.delete(seq);
    else piece.checkedTo = Math.max(piece.checkedTo, pin.lastTx);
  }
}

type StoredEntry = TxEntry | TransferEntry;

const isTransferEntry = (entry: StoredEntry): entry is TransferEntry => 'layout' in entry;

async function openTxWriter(deps: DataDeps, chain: ServedChain, hrp: string, entries: readonly StoredEntry[]) {
  const transfers = entries.filter(isTransferEntry);
  const others = transfers.length === entries.length ? [] : entries.filter((entry): entry is TxEntry => !isTransferEntry(entry));
  const createdIDs = others.filter(({ tx }) => tx.unsigned.kind === 'CreateAssetTx').map(({ tx }) => tx.id);
  const created: ReadonlyMap<Id, AssetEntry> = createdIDs.length === 0 ? noAssets : await chain.reads.assets(createdIDs);
  const assets = assetsOfTransfers(transfers);
  if (others.length > 0) for (const asset of assetsOfTxs(others)) assets.add(asset);
  const found = deps.assetLabels(chain)(assets);
  const labels = found instanceof Promise ? await found : found;
  const loading = loadSignerKeys(deps, chain, transfers, others);
  if (loading !== undefined) await loading;
  const context = deps.transferContext(chain, hrp, labels);
  /** True for a transaction other than a transfer whose assets and outputs are all known. */
  const isKnown = ({ tx, consumed }: TxEntry): boolean =>
    tx.unsigned.kind !== 'ImportTx' &&
    tx.unsigned.kind !== 'ExportTx' &&
    consumed.length === consumedIds(tx).length &&
    (tx.unsigned.kind !== 'CreateAssetTx' || created.has(tx.id));
  return {
    write: (entry: StoredEntry): Uint8Array => {
      if (!isTransferEntry(entry)) return Buffer.from(writeTx(entry, created.get(entry.tx.id), context));
      return deps.json.collect(() => writeTransfer(deps.json, entry, context));
    },
    /**
     * Whether the rendering can only change by spending. A label, a consumed output from before linearization, and everything about an output
     * that moved between chains may be backfilled later.
     */
    isFinal: (entry: StoredEntry): boolean =>
      labels.isComplete && (isTransferEntry(entry) ? !entry.consumed.includes(undefined) : isKnown(entry)),
  };
}

/** Reads the stored public keys of all signers of these transactions and of those that spent their outputs. */
function loadSignerKeys({ publicKeys }: DataDeps, { reads }: ServedChain, transfers: readonly TransferEntry[], others: readonly TxEntry[]) {
  if (publicKeys === undefined) return undefined;
  const signers = new Set<Address>();
  addTransferSigners(signers, transfers, publicKeys.texts);
  for (const { consumed, emitted } of others) {
    addSigners(signers, consumed);
    addSigners(signers, emitted);
  }
  return publicKeys.load(reads, signers);
}

const noAssets: ReadonlyMap<Id, AssetEntry> = new Map();

function toPiece(entry: TxEntry, bytes: Uint8Array, pin: PinnedBlock): TxPiece {
  let validFrom = entry.seq;
  const unspent: number[] = [];
  for (const { seq, spent } of entry.emitted) {
    if (spent === undefined) unspent.push(seq);
    else if (spent.tx !== undefined) validFrom = Math.max(validFrom, spent.seq);
  }
  return { bytes, storedBytes: txEntryBytes(entry), validFrom, unspent, checkedTo: pin.lastTx };
}

function transferPiece(entry: TransferEntry, bytes: Uint8Array, pin: PinnedBlock): TxPiece {
  let validFrom = entry.seq;
  const unspent: number[] = [];
  for (const { seq, spender } of entry.emitted) {
    if (spender === undefined) unspent.push(seq);
    else validFrom = Math.max(validFrom, spender.seq);
  }
  return { bytes, storedBytes: transferEntryBytes(entry), validFrom, unspent, checkedTo: pin.lastTx };
}

/** At least the size of the transaction itself: a list that `maxPageBytes` cut short must have a next page. */
const txEntryBytes = ({ tx, consumed, emitted }: TxEntry): number =>
  Math.max(tx.bytes.length, outputBytes(consumed) + outputBytes(emitted));
