import type { ServedChain } from '../api/served-chains.ts';
import type { OutputEntry } from '../index-read/index-reads.ts';
import type { DataDeps } from './deps.ts';
import type { Piece } from './piece-cache.ts';
import { createUtxoWriter } from './write-utxo.ts';

export type UtxoPieceQuery = {
  readonly chain: ServedChain;
  readonly hrp: string;
  readonly epoch: number;
  readonly entries: readonly OutputEntry[];
};

/** Rendered outputs, in the given order. An output of this chain has two renderings in the cache, unspent and spent: neither changes. */
export async function readUtxoPieces(deps: DataDeps, { chain, hrp, epoch, entries }: UtxoPieceQuery): Promise<Piece[]> {
  const unspent = deps.pieces.space(epoch, `unspent ${hrp} ${chain.id}`);
  const spent = deps.pieces.space(epoch, `spent ${hrp} ${chain.id}`);
  const spaceOf = ({ spent: by }: OutputEntry) => (by === undefined ? unspent : spent);
  const pieces = entries.map((entry) => (isFinal(entry) ? spaceOf(entry).get(entry.seq) : undefined));
  const missing = entries.filter((_, i) => pieces[i] === undefined);
  if (missing.length === 0) return pieces as Piece[];
  const pause = deps.longWork?.begin();
  const { labelOf, isComplete } = await deps.assetLabels(chain)(missing.map(({ utxo }) => utxo.assetID));
  const write = createUtxoWriter({ formatAddress: deps.addressFormatter(hrp), publicKeyText: deps.publicKeyText, labelOf });
  for (const [i, entry] of entries.entries()) {
    if (pieces[i] !== undefined) continue;
    const piece = { bytes: Buffer.from(write(entry)) };
    pieces[i] = piece;
    if (isComplete && isFinal(entry)) spaceOf(entry).set(entry.seq, piece);
    const resumed = pause?.();
    if (resumed !== undefined) await resumed;
  }
  return pieces as Piece[];
}

/** False for outputs that moved between chains: more may become known about them. */
const isFinal = ({ seq, spent }: OutputEntry): boolean => seq > 0 && (spent === undefined || spent.tx !== undefined);
