import type { Address } from '../../base/bytes/address.ts';
import type { FoundOutput, OutputEntry } from '../../ledger/index-read/index-reads.ts';
import { isMovedOutput } from '../../ledger/state/output-number.ts';
import { verifyStoredUtxo } from '../../ledger/state/stored-utxo.ts';
import type { ServedChain } from '../rest/served-chains.ts';
import type { DataDeps } from './deps.ts';
import { addOwners, addSigners, PageAssets } from './page-contents.ts';
import type { Piece } from './piece-cache.ts';
import { writeOutput } from './write-output.ts';

/**
 * Rendered outputs, in the given order. An output of this chain has two renderings in the cache, unspent and spent: neither changes.
 * `areImportsKnown`: whether imports of their exports by other chains have just been looked up.
 */
export async function readUtxoPieces(
  deps: DataDeps,
  {
    chain,
    hrp,
    epoch,
    entries,
    areImportsKnown,
  }: {
    readonly chain: ServedChain;
    readonly hrp: string;
    readonly epoch: number;
    readonly entries: readonly OutputEntry[];
    readonly areImportsKnown: boolean;
  },
): Promise<Piece[]> {
  const unspent = deps.pieces.space(epoch, `unspent ${hrp} ${chain.id}`);
  const spent = deps.pieces.space(epoch, `spent ${hrp} ${chain.id}`);
  const spaceOf = ({ spent: by }: OutputEntry) => (by === undefined ? unspent : spent);
  const pieces = entries.map((entry) => (isFinal(entry) ? spaceOf(entry).get(entry.seq) : undefined));
  const missing = entries.filter((_, i) => pieces[i] === undefined);
  if (missing.length === 0) return pieces as Piece[];
  const pause = deps.longWork?.begin();
  const assets = new PageAssets();
  assets.addOutputs(missing);
  const signers = new Set<Address>();
  if (deps.publicKeys !== undefined) addSigners(signers, missing);
  const [labels] = await Promise.all([deps.assetLabels(chain)(assets.ids), deps.publicKeys?.load(chain.reads, signers)]);
  const context = { ...deps.renderContext(chain, hrp, labels), mayBeImported: !areImportsKnown };
  const write = (entry: OutputEntry): Uint8Array => {
    verifyStoredUtxo(entry.stored);
    return deps.json.collect(() => writeOutput(deps.json, entry, context));
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

/** Reads labels and public keys into the caches that `readUtxoPieces` uses. What cannot be read is read again there, and fails there. */
export async function loadAhead({ assetLabels, publicKeys }: DataDeps, chain: ServedChain, found: readonly FoundOutput[]): Promise<void> {
  const assets = new PageAssets();
  assets.addOutputs(found);
  const signers = new Set<Address>();
  if (publicKeys !== undefined) for (const { stored, isConsumed } of found) if (isConsumed) addOwners(signers, stored);
  await Promise.allSettled([assetLabels(chain)(assets.ids), publicKeys?.load(chain.reads, signers)]);
}

/** False for outputs that moved between chains: more may become known about them. */
const isFinal = ({ seq, spent }: OutputEntry): boolean => !isMovedOutput(seq) && (spent === undefined || spent.layout !== undefined);
