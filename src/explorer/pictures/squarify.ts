/** A rectangle of a treemap, with the index of its item. */
export type Cell = { readonly index: number; readonly x: number; readonly y: number; readonly width: number; readonly height: number };

/** The smallest area of a cell, in square pixels: large enough to see, and to point at with its neighbours. */
const leastArea = 144;

/** Areas with a floor, so that every cell is seen: in square pixels of a picture. Cells at the floor take at most half of the picture. */
export function withFloor(areas: readonly number[], width: number, height: number, least = leastArea): number[] {
  const total = areas.reduce((sum, area) => sum + area, 0);
  const pixels = width * height;
  if (total <= 0 || pixels <= 0) return [...areas];
  const floor = Math.min(least, pixels / 2 / areas.length);
  const sizes = areas.map((area) => (area / total) * pixels);
  const raised = sizes.filter((size) => size < floor).length * floor;
  const rest = sizes.reduce((sum, size) => (size < floor ? sum : sum + size), 0);
  // The others share what is left, and stay above the floor: they have at least half of the picture.
  return sizes.map((size) => (size < floor ? floor : Math.max(floor, size * ((pixels - raised) / rest))));
}

/**
 * Lays out areas as a squarified treemap (Bruls, Huizing, van Wijk): rows along the shorter side, each as long as that keeps its cells
 * close to squares. Areas must be positive; the caller sorts them, largest first.
 */
export function squarify(areas: readonly number[], width: number, height: number): Cell[] {
  const total = areas.reduce((sum, area) => sum + area, 0);
  if (total <= 0 || width <= 0 || height <= 0) return [];
  const scale = (width * height) / total;
  const cells: Cell[] = [];
  let [x, y, freeWidth, freeHeight] = [0, 0, width, height];
  let start = 0;
  while (start < areas.length) {
    const side = Math.min(freeWidth, freeHeight);
    let sum = 0;
    let end = start;
    let worst = Number.POSITIVE_INFINITY;
    const largest = (areas[start] as number) * scale;
    for (; end < areas.length; end++) {
      const area = (areas[end] as number) * scale;
      const next = sum + area;
      // Areas are sorted, so the first cell of a row is its largest and the new one its smallest.
      const ratio = Math.max((side * side * largest) / (next * next), (next * next) / (side * side * area));
      if (ratio > worst) break;
      worst = ratio;
      sum = next;
    }
    const depth = side === 0 ? 0 : sum / side;
    let along = 0;
    const isColumn = freeWidth >= freeHeight;
    for (let index = start; index < end; index++) {
      const length = depth === 0 ? 0 : ((areas[index] as number) * scale) / depth;
      cells.push(
        isColumn ? { index, x, y: y + along, width: depth, height: length } : { index, x: x + along, y, width: length, height: depth },
      );
      along += length;
    }
    if (isColumn) [x, freeWidth] = [x + depth, freeWidth - depth];
    else [y, freeHeight] = [y + depth, freeHeight - depth];
    start = end;
  }
  return cells;
}
