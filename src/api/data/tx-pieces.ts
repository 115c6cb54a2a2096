import { inputFields } from '../../avm/tx/tx-layout.ts';
import type { Address } from '../../base/bytes/address.ts';
import { toHex } from '../../base/bytes/hex.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { AssetDetails, PinnedBlock, TxEntry } from '../../ledger/index-read/index-reads.ts';
import type { ServedChain } from '../rest/served-chains.ts';
import type { DataDeps } from './deps.ts';
import { addSigners, PageAssets } from './page-contents.ts';
import { maxPageBytes } from './paging.ts';
import type { Piece, PieceSpace } from './piece-cache.ts';
import { writeTx } from './write-tx.ts';

/**
 * The JSON of a transaction. It changes only when one of its outputs is spent: it is right as of every block from `validFrom` (the `seq` of
 * the last transaction that spent one of its outputs, or its own) until one of the outputs `unspent` is spent.
 */
export type TxPiece = Piece & {
  /** Bytes of its outputs, or of the transaction if they are more. A list that `maxPageBytes` ended early must have a next page; see `listTxs`. */
  readonly storedBytes: number;
  readonly validFrom: number;
  readonly unspent: readonly number[];
  /** The outputs `unspent` are known to be unspent up to this transaction. */
  checkedTo: number;
};

/**
 * Rendered transactions as of a block, in the order of their numbers `seqs`. The list ends early, behind at least two, if those that must be
 * read have more than `maxPageBytes` in total. `epoch`: when the request began. Those that are cached and that nobody has spent from since are
 * not read again.
 */
export async function readTxPieces(
  deps: DataDeps,
  {
    chain,
    hrp,
    epoch,
    seqs,
    pin,
  }: {
    readonly chain: ServedChain;
    readonly hrp: string;
    readonly epoch: number;
    readonly seqs: readonly number[];
    readonly pin: PinnedBlock;
  },
): Promise<TxPiece[]> {
  const space = openSpace(deps, chain, hrp, epoch);
  const pieces = new Map<number, TxPiece>();
  for (const seq of seqs) {
    const cached = cachedPiece(space, seq, pin);
    if (cached !== undefined) pieces.set(seq, cached);
  }
  await dropOutdated(chain, pieces, pin);
  const missing = seqs.filter((seq) => !pieces.has(seq));
  const entries = missing.length === 0 ? [] : await chain.reads.txs(missing, pin, maxPageBytes);
  if (entries.length > 0) {
    const pause = deps.longWork?.begin();
    const render = await openRenderer(deps, { chain, hrp, space, entries, pin });
    for (const entry of entries) {
      pieces.set(entry.tx.seq, render(entry));
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
  { chain, hrp, epoch, id }: { readonly chain: ServedChain; readonly hrp: string; readonly epoch: number; readonly id: Id },
): Promise<TxPiece | undefined> {
  const space = openSpace(deps, chain, hrp, epoch);
  // Nearly every transaction has the asset that fees are paid with, so its label is read at the same time if it is not cached.
  const [found] = await Promise.all([
    chain.reads.tx(id, (seq, pin) => cachedPiece(space, seq, pin) !== undefined),
    deps.assetLabels(chain)([chain.feeAsset]),
  ]);
  if (found === undefined) return undefined;
  const { seq, pin, entry } = found;
  deps.publicKeys?.add(found.publicKeys);
  if (entry !== undefined) return (await openRenderer(deps, { chain, hrp, space, entries: [entry], pin }))(entry);
  return (await readTxPieces(deps, { chain, hrp, epoch, seqs: [seq], pin }))[0];
}

const openSpace = ({ pieces }: DataDeps, chain: ServedChain, hrp: string, epoch: number): PieceSpace<TxPiece> =>
  pieces.space<TxPiece>(epoch, `tx ${hrp} ${chain.id}`);

/** A piece that may be right as of a block: later spending is not checked yet. */
function cachedPiece(space: PieceSpace<TxPiece>, seq: number, pin: PinnedBlock): TxPiece | undefined {
  const cached = space.get(seq);
  return cached !== undefined && cached.validFrom <= pin.lastTx ? cached : undefined;
}

/**
 * Reads what the JSON of `entries` needs beside them: labels of assets, created assets, public keys of signers. The returned function renders one
 * of them as of a block, and caches it in `space` if it is final.
 */
async function openRenderer(
  deps: DataDeps,
  {
    chain,
    hrp,
    space,
    entries,
    pin,
  }: {
    readonly chain: ServedChain;
    readonly hrp: string;
    readonly space: PieceSpace<TxPiece>;
    readonly entries: readonly TxEntry[];
    readonly pin: PinnedBlock;
  },
): Promise<(entry: TxEntry) => TxPiece> {
  const createdIDs = entries.filter(({ tx }) => tx.layout.kind === 'CreateAssetTx').map(({ tx }) => toHex(tx.id) as Id);
  const [created, labels] = await Promise.all([
    createdIDs.length === 0 ? noAssets : chain.reads.assetDetails(createdIDs),
    deps.assetLabels(chain)(assetsOfTxs(entries)),
    loadSignerKeys(deps, chain, entries),
  ]);
  const context = deps.renderContext(chain, hrp, labels);
  return (entry) => {
    const { kind } = entry.tx.layout;
    const asset = kind === 'CreateAssetTx' ? created.get(toHex(entry.tx.id) as Id) : undefined;
    const piece = toPiece(
      entry,
      deps.json.collect(() => writeTx(deps.json, entry, asset, context)),
      pin,
    );
    // It can only change by spending, unless something of it may be backfilled: a label, a consumed output from before linearization, or
    // anything about an output that moved between chains.
    const isMoving = kind === 'ImportTx' || kind === 'ExportTx';
    const isFinal =
      labels.isComplete && !isMoving && !entry.consumed.includes(undefined) && (kind !== 'CreateAssetTx' || asset !== undefined);
    if (isFinal && (space.get(entry.tx.seq)?.validFrom ?? 0) <= piece.validFrom) space.set(entry.tx.seq, piece);
    return piece;
  };
}

/** IDs of all assets in the JSON of transactions. */
export function assetsOfTxs(entries: readonly Pick<TxEntry, 'tx' | 'consumed' | 'emitted'>[]): ReadonlySet<Id> {
  const assets = new PageAssets();
  for (const { tx, consumed, emitted } of entries) {
    const { inputs, operations } = tx.layout;
    for (const at of inputs) assets.add(tx.bytes, at + inputFields.assetID);
    for (const { assetID } of operations) assets.add(tx.bytes, assetID);
    assets.addOutputs(consumed);
    assets.addOutputs(emitted);
  }
  return assets.ids;
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

/** Reads the stored public keys of all signers of these transactions and of those that spent their outputs. */
async function loadSignerKeys({ publicKeys }: DataDeps, { reads }: ServedChain, entries: readonly TxEntry[]): Promise<void> {
  if (publicKeys === undefined) return;
  const signers = new Set<Address>();
  for (const { consumed, emitted } of entries) {
    addSigners(signers, consumed);
    addSigners(signers, emitted);
  }
  await publicKeys.load(reads, signers);
}

const noAssets: ReadonlyMap<Id, AssetDetails> = new Map();

function toPiece({ tx, consumed, emitted }: TxEntry, bytes: Uint8Array, pin: PinnedBlock): TxPiece {
  let validFrom = tx.seq;
  let outputBytes = 0;
  const unspent: number[] = [];
  for (const output of consumed) if (output !== undefined) outputBytes += output.stored.length;
  for (const { seq, stored, spent } of emitted) {
    outputBytes += stored.length;
    if (spent === undefined) unspent.push(seq);
    else if (spent.layout !== undefined) validFrom = Math.max(validFrom, spent.seq);
  }
  return { bytes, storedBytes: Math.max(tx.bytes.length, outputBytes), validFrom, unspent, checkedTo: pin.lastTx };
}
