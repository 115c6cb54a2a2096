import type { Address } from '../../base/bytes/address.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { OutputEntry } from '../../ledger/index-read/index-reads.ts';
import { isMovedOutput } from '../../ledger/state/output-number.ts';
import type { ServedChain } from '../rest/served-chains.ts';
import type { DataDeps } from './deps.ts';
import { addSigners } from './page-signers.ts';
import type { Piece } from './piece-cache.ts';
import { hasBytesAt, storedAssetID, storedOutput, storedOutputID, writeTransferOutput } from './write-transfer-output.ts';
import { createUtxoWriter } from './write-utxo.ts';

type UtxoPieceQuery = {
  readonly chain: ServedChain;
  readonly hrp: string;
  readonly epoch: number;
  readonly entries: readonly OutputEntry[];
  /** Whether imports of their exports by other chains have just been looked up. */
  readonly areImportsKnown: boolean;
};

/** Rendered outputs, in the given order. An output of this chain has two renderings in the cache, unspent and spent: neither changes. */
export async function readUtxoPieces(deps: DataDeps, { chain, hrp, epoch, entries, areImportsKnown }: UtxoPieceQuery): Promise<Piece[]> {
  const unspent = deps.pieces.space(epoch, `unspent ${hrp} ${chain.id}`);
  const spent = deps.pieces.space(epoch, `spent ${hrp} ${chain.id}`);
  const spaceOf = ({ spent: by }: OutputEntry) => (by === undefined ? unspent : spent);
  const pieces = entries.map((entry) => (isFinal(entry) ? spaceOf(entry).get(entry.seq) : undefined));
  const missing = entries.filter((_, i) => pieces[i] === undefined);
  if (missing.length === 0) return pieces as Piece[];
  const pause = deps.longWork?.begin();
  const labels = await deps.assetLabels(chain)(assetsOf(missing));
  const signers = new Set<Address>();
  addSigners(signers, missing);
  await deps.publicKeys?.load(chain.reads, signers);
  const context = deps.transferContext(chain, hrp, labels);
  const writeOther = createUtxoWriter({ ...context, mayBeImported: !areImportsKnown });
  const write = (entry: OutputEntry): Uint8Array => {
    const stored = isFinal(entry) && entry.spent === undefined ? entry.verifiedTransfer?.() : undefined;
    if (stored === undefined) return Buffer.from(writeOther(entry));
    return deps.json.collect(() => {
      writeTransferOutput(deps.json, { stored, time: entry.time, id: storedOutputID(stored) }, context);
      deps.json.ascii('}');
    });
  };
  for (const [i, entry] of entries.entries()) {
    if (pieces[i] !== undefined) continue;
    const piece = { bytes: write(entry) };
    pieces[i] = piece;
    if (labels.isComplete && isFinal(entry)) spaceOf(entry).set(entry.seq, piece);
    const resumed = pause?.();
    if (resumed !== undefined) await resumed;
  }
  return pieces as Piece[];
}

/** The assets of outputs. Stored outputs are not decoded, and consecutive ones mostly have the same asset, which is read once. */
function assetsOf(entries: readonly OutputEntry[]): Set<Id> {
  const assets = new Set<Id>();
  let last: Uint8Array | undefined;
  for (const entry of entries) {
    const { stored } = entry;
    if (stored === undefined) assets.add(entry.utxo.assetID);
    else if (last === undefined || !hasBytesAt(stored, storedOutput, last, storedOutput)) {
      assets.add(storedAssetID(stored));
      last = stored;
    }
  }
  return assets;
}

/** False for outputs that moved between chains: more may become known about them. */
const isFinal = ({ seq, spent }: OutputEntry): boolean => !isMovedOutput(seq) && (spent === undefined || spent.tx !== undefined);
