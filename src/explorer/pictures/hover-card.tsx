import type { Cell } from './squarify.ts';

type HoverCardProps = {
  readonly title: string;
  /** The ID beside the title. */
  readonly note: string;
  readonly rows: readonly (readonly [name: string, value: string])[];
  /** What the card is about, and the size of the picture that it stays inside. */
  readonly cell: Pick<Cell, 'x' | 'y' | 'width' | 'height'>;
  readonly width: number;
  readonly height: number;
};

/** The widest usual character and the line height, in pixels. */
const letter = 7.2;
const lineHeight = 18;

/** A card with the facts of a cell, in the middle of the cell and inside the picture. The cell's label has the same facts. */
export function HoverCard({ title, note, rows, cell, width, height }: HoverCardProps) {
  const letters = Math.max(title.length + note.length + 2, ...rows.map(([name, value]) => name.length + value.length + 3));
  const size = { width: Math.min(width, letters * letter + 24), height: (rows.length + 1) * lineHeight + 20 };
  const inside = (wanted: number, room: number): number => Math.max(0, Math.min(wanted, room));
  const x = inside(cell.x + cell.width / 2 - size.width / 2, width - size.width);
  const y = inside(cell.y + cell.height / 2 - size.height / 2, height - size.height);
  const right = x + size.width - 12;
  return (
    <g class="hover-card">
      <rect x={x} y={y} width={size.width} height={size.height} rx={6} class="card-box" />
      <text x={x + 12} y={y + 22} class="cell-title">
        {title}
      </text>
      <text x={right} y={y + 22} text-anchor="end" class="cell-text">
        {note}
      </text>
      {rows.map(([name, value], at) => (
        <>
          <text x={x + 12} y={y + 22 + (at + 1) * lineHeight} class="card-name">
            {name}
          </text>
          <text x={right} y={y + 22 + (at + 1) * lineHeight} text-anchor="end" class="card-value">
            {value}
          </text>
        </>
      ))}
    </g>
  );
}
