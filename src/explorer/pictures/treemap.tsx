import { useMemo, useState } from 'preact/hooks';
import { HoverCard } from './hover-card.tsx';
import { type Cell, squarify, withFloor } from './squarify.ts';

/** One cell of a treemap: its area, what it shows, and where its link goes. */
export type TreemapItem = {
  readonly key: string;
  readonly area: number;
  readonly color: number;
  /** Lines of text; each is shown only if it fits as a whole. The first one is bold. */
  readonly lines: readonly string[];
  /** All facts, as the cell's accessible name and tooltip. */
  readonly label: string;
  readonly href?: string;
  readonly isLocked?: boolean;
  readonly isShared?: boolean;
  /** Names and values of the card that is shown while the pointer or the focus is on the cell. */
  readonly card?: readonly (readonly [name: string, value: string])[];
};

/** The most cells; the smallest items beyond it are merged into one. */
const maxCells = 600;

/** Merges the smallest items, so that a picture has at most `maxCells` cells. The result is sorted by area, largest first. */
export function limitItems(items: readonly TreemapItem[]): TreemapItem[] {
  const sorted = items.toSorted((a, b) => b.area - a.area);
  if (sorted.length <= maxCells) return sorted;
  const rest = sorted.slice(maxCells - 1);
  const merged: TreemapItem = {
    key: 'more',
    area: rest.reduce((sum, { area }) => sum + area, 0),
    color: 0,
    lines: [`+${rest.length} more`],
    label: `${rest.length} more, the smallest`,
  };
  return [...sorted.slice(0, maxCells - 1), merged].toSorted((a, b) => b.area - a.area);
}

/** A squarified treemap as SVG, laid out for the given width. */
export function Treemap({ items, width, height, label }: { items: readonly TreemapItem[]; width: number; height: number; label: string }) {
  const [chosen, choose] = useState<string | undefined>(undefined);
  const { shown, cells, content } = useMemo(() => {
    const limited = limitItems(items);
    const areas = limited.map(({ area }) => area);
    const laidOut = squarify(withFloor(areas, width, height), width, height);
    const drawn = laidOut.map((cell) => <TreemapCell cell={cell} item={limited[cell.index] as TreemapItem} />);
    return { shown: limited, cells: laidOut, content: drawn };
  }, [items, width, height]);
  const onCell = ({ target }: Event): void => choose((target as Element).closest('[data-cell]')?.getAttribute('data-cell') ?? undefined);
  const leave = (): void => choose(undefined);
  const found = chosen === undefined ? undefined : cells.find(({ index }) => shown[index]?.key === chosen);
  const item = found && shown[found.index];
  return (
    <svg
      class="picture"
      viewBox={`0 0 ${width} ${height}`}
      width="100%"
      height={height}
      role="group"
      aria-label={label}
      data-arrows
      onPointerOver={onCell}
      onPointerLeave={leave}
      onFocusIn={onCell}
      onFocusOut={leave}
    >
      <Hatch />
      {content}
      {found !== undefined && item?.card !== undefined && (
        <HoverCard title={item.lines[0] ?? ''} note={item.lines.at(-1) ?? ''} rows={item.card} cell={found} width={width} height={height} />
      )}
    </svg>
  );
}

/** The pattern of locked amounts. */
export const Hatch = () => (
  <defs>
    <pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
      <path d="M0 0V6" class="hatch-line" />
    </pattern>
  </defs>
);

export function TreemapCell({ cell, item }: { cell: Cell; item: TreemapItem }) {
  // A gap of 1 px between cells.
  const [width, height] = [round(Math.max(0.5, cell.width - 1)), round(Math.max(0.5, cell.height - 1))];
  const [x, y] = [round(cell.x), round(cell.y)];
  const lines = item.lines.filter((line) => fits(line, width)).slice(0, Math.max(0, Math.floor((height - 10) / 16)));
  const content = (
    <>
      {/* A cell with a card and a text needs no tooltip of the browser. */}
      {item.card === undefined || lines[0] !== item.lines[0] ? <title>{item.label}</title> : <desc>{item.label}</desc>}
      <rect x={x} y={y} width={width} height={height} class={`cell fill-${item.color}`} />
      {item.isLocked && <rect x={x} y={y} width={width} height={height} fill="url(#hatch)" />}
      {item.isShared && width > 8 && height > 8 && <rect x={x + 3} y={y + 3} width={width - 6} height={height - 6} class="shared-inset" />}
      {lines[0] === item.lines[0] &&
        lines.map((line, at) => (
          <text x={x + 7} y={y + 17 + at * 16} class={at === 0 ? 'cell-title' : 'cell-text'}>
            {line}
          </text>
        ))}
    </>
  );
  return item.href === undefined ? (
    <g role="img" aria-label={item.label}>
      {content}
    </g>
  ) : (
    <a href={item.href} class="cell-link" data-cell={item.card && item.key}>
      {content}
    </a>
  );
}

/** Hundredths of a pixel: a picture of 600 cells is a third smaller than with all digits. */
const round = (value: number): number => Math.round(value * 100) / 100;

/** Whether a whole line fits, for the widest usual font. */
const fits = (line: string, width: number): boolean => width >= line.length * 6.9 + 12;
