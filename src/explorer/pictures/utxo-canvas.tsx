import { type Cell, squarify, withFloor } from './squarify.ts';
import { Hatch, limitItems, TreemapCell, type TreemapItem } from './treemap.tsx';

/** The outputs of one asset. */
type Slab = { readonly asset: string; readonly items: readonly TreemapItem[] };

/** The smallest area of an output in square pixels, as of a target for a finger: beside a large change the others would be slivers. */
const leastOutput = 576;

/** Unspent outputs: a slab for each asset, as wide as the square root of its count (at least 15 %); inside, area is the amount. */
export function UtxoCanvas({ slabs, width, height, label }: { slabs: readonly Slab[]; width: number; height: number; label: string }) {
  const gap = 6;
  const free = width - gap * (slabs.length - 1);
  const widths = slabWidths(slabs, free);
  let x = 0;
  return (
    <svg class="picture" viewBox={`0 0 ${width} ${height}`} width="100%" height={height} role="group" aria-label={label} data-arrows>
      <Hatch />
      {slabs.map(({ items }, at) => {
        const shown = limitItems(items);
        const left = x;
        x += (widths[at] as number) + gap;
        const slab = widths[at] as number;
        const areas = shown.map(({ area }) => area);
        return squarify(withFloor(areas, slab, height, leastOutput), slab, height).map((cell: Cell) => (
          <TreemapCell cell={{ ...cell, x: cell.x + left }} item={shown[cell.index] as TreemapItem} />
        ));
      })}
    </svg>
  );
}

function slabWidths(slabs: readonly Slab[], width: number): number[] {
  const roots = slabs.map(({ items }) => Math.sqrt(items.length));
  const total = roots.reduce((sum, root) => sum + root, 0);
  const least = Math.min(0.15, 1 / slabs.length);
  const shares = roots.map((root) => Math.max(least, root / total));
  const sum = shares.reduce((all, share) => all + share, 0);
  return shares.map((share) => (share / sum) * width);
}
