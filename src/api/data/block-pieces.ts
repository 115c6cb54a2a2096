import type { ServedChain } from '../rest/served-chains.ts';
import type { DataDeps } from './deps.ts';
import type { Piece } from './piece-cache.ts';
import { writeBlock } from './write-block.ts';

/** Rendered blocks by height, in the given order. A block never changes within an epoch. */
export async function readBlockPieces(
  deps: DataDeps,
  { reads, id }: ServedChain,
  epoch: number,
  heights: readonly number[],
): Promise<Piece[]> {
  const space = deps.pieces.space(epoch, `block ${id}`);
  const pieces = new Map<number, Piece>();
  for (const height of heights) {
    const cached = space.get(height);
    if (cached !== undefined) pieces.set(height, cached);
  }
  const missing = heights.filter((height) => !pieces.has(height));
  const pause = deps.longWork?.begin();
  for (const block of missing.length === 0 ? [] : await reads.blocks(missing)) {
    const piece = { bytes: deps.json.collect(() => writeBlock(deps.json, block, deps.served.builder)) };
    pieces.set(block.height, piece);
    space.set(block.height, piece);
    const resumed = pause?.();
    if (resumed !== undefined) await resumed;
  }
  return heights.map((height) => pieces.get(height) as Piece);
}
