import { useEffect, useState } from 'preact/hooks';
import { type Box, type LineRange, nearestIndex, placeBox } from './place-box.ts';

/** The values of a plot that a cursor can stand on, in pixels from left to right. Texts are made only for the shown value. */
export type CursorValues = {
  readonly count: number;
  readonly x: (at: number) => number;
  readonly y: (at: number) => number;
  /** Lines of the value box; the first one is bold. */
  readonly lines: (at: number) => readonly string[];
  /** Whether the plot is filled down to its base, so that the box must be above the values. */
  readonly isFilled: boolean;
};

/** The cursor of a plot: it follows the pointer, and the arrow keys while the plot has the focus. */
export function usePlotCursor({ count, x, lines }: CursorValues, width: number) {
  const [chosen, setAt] = useState<number | undefined>(undefined);
  const [isReady, setReady] = useState(false);
  useEffect(() => setReady(true), []);
  // The values may have become fewer since.
  const at = chosen === undefined || count === 0 ? undefined : Math.min(chosen, count - 1);
  const onPointerMove = (event: PointerEvent): void => {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    if (count > 0 && box.width > 0) setAt(nearestIndex(count, x, ((event.clientX - box.left) * width) / box.width));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = moves[event.key]?.(at ?? count, count);
    if (target === undefined) {
      if (event.key === 'Escape') setAt(undefined);
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    setAt(Math.max(0, Math.min(count - 1, target)));
  };
  const leave = (): void => setAt(undefined);
  /** Without script a plot is only a picture. */
  const attributes =
    isReady && count > 1
      ? {
          role: 'slider' as const,
          tabIndex: 0,
          'aria-valuemin': 0,
          'aria-valuemax': count - 1,
          'aria-valuenow': at ?? count - 1,
          'aria-valuetext': lines(at ?? count - 1).join(', '),
          onPointerMove,
          onPointerLeave: leave,
          onKeyDown,
          onBlur: leave,
        }
      : {};
  return { at, attributes };
}

const moves: { readonly [key: string]: (at: number, count: number) => number } = {
  ArrowLeft: (at) => at - 1,
  ArrowDown: (at) => at - 1,
  ArrowRight: (at) => at + 1,
  ArrowUp: (at) => at + 1,
  PageDown: (at) => at - 10,
  PageUp: (at) => at + 10,
  Home: () => 0,
  End: (_, count) => count - 1,
};

/** The widest usual character of the box, and its line height, in pixels. */
const letter = 6.9;
const lineHeight = 16;

/** The dashed line at a value, a ring on it, and a box with its text that keeps out of the line. */
export function PlotCursor({ at, values, area }: { at: number; values: CursorValues; area: Box }) {
  const [x, y] = [values.x(at), values.y(at)];
  const lines = values.lines(at);
  const size = {
    width: Math.min(area.width, Math.max(...lines.map(({ length }) => length)) * letter + 16),
    height: lines.length * lineHeight + 6,
  };
  const box = placeBox(x, size, area, lineRangeOf(values, area));
  return (
    <g class="plot-cursor">
      <path d={`M${x} ${area.y}V${area.y + area.height}`} class="cursor-line" />
      <circle cx={x} cy={y} r={3.5} class="cursor-ring" />
      <rect x={box.x} y={box.y} width={box.width} height={box.height} rx={3} class="cursor-box" />
      {lines.map((line, index) => (
        <text x={box.x + 8} y={box.y + 15 + index * lineHeight} class={index === 0 ? 'cursor-text bold' : 'cursor-text'}>
          {line}
        </text>
      ))}
    </g>
  );
}

/** The range of the line over an x range: of all values in it and the next one on either side, since the line connects them. */
const lineRangeOf =
  ({ count, x, y, isFilled }: CursorValues, area: Box): LineRange =>
  (from, to) => {
    if (count === 0) return undefined;
    let [top, bottom] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    const first = Math.max(0, nearestIndex(count, x, from) - 1);
    for (let at = first; at < count; at++) {
      [top, bottom] = [Math.min(top, y(at)), Math.max(bottom, y(at))];
      if (x(at) > to) break;
    }
    return { top, bottom: isFilled ? area.y + area.height : bottom };
  };
