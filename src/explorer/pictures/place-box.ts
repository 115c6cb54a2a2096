/** A rectangle in pixels. */
export type Box = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };

/** Where the line of a plot is between two x positions: its highest and its lowest pixel. Undefined if it is not there. */
export type LineRange = (from: number, to: number) => { readonly top: number; readonly bottom: number } | undefined;

/** Pixels between the cursor and its box. */
const gap = 8;

/**
 * Places the value box of a plot's cursor beside the cursor, inside the plot, where the line is not. If there is no such place, it is where
 * the line is farthest away.
 */
export function placeBox(cursorX: number, size: Pick<Box, 'width' | 'height'>, area: Box, line: LineRange): Box {
  const { width, height } = size;
  const right = area.x + area.width;
  const sides = [cursorX + gap, cursorX - gap - width].filter((x) => x >= area.x && x + width <= right);
  const xs = sides.length > 0 ? sides : [Math.max(area.x, Math.min(cursorX + gap, right - width))];
  const ys = [area.y + 2, area.y + area.height - height - 4];
  let best: { readonly box: Box; readonly distance: number } | undefined;
  for (const x of xs)
    for (const y of ys) {
      const taken = line(x, x + width);
      const distance = taken === undefined ? Number.POSITIVE_INFINITY : Math.max(taken.top - (y + height), y - taken.bottom);
      if (distance > 2) return { x, y, width, height };
      if (best === undefined || distance > best.distance) best = { box: { x, y, width, height }, distance };
    }
  return best?.box as Box;
}

/** The index of the value nearest to `wanted`; `at` grows with the index. */
export function nearestIndex(count: number, at: (index: number) => number, wanted: number): number {
  let [low, high] = [0, count - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (at(middle) <= wanted) low = middle;
    else high = middle;
  }
  return Math.abs(at(high) - wanted) < Math.abs(wanted - at(low)) ? high : Math.max(0, low);
}
