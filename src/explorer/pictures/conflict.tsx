import { shortId } from '../text/text-format.ts';

type ConflictEnd = { readonly id: string; readonly note: string; readonly href: string | undefined };
type ConflictProps = {
  readonly title: string;
  readonly note: string;
  readonly winner: ConflictEnd;
  readonly loser: ConflictEnd;
  readonly width: number;
};

const height = 148;

/** An output that two transactions spend: a ribbon to the one that got it, and one to the other. */
export function ConflictPicture({ title, note, winner, loser, width }: ConflictProps) {
  const isWide = width >= 720;
  const left = isWide ? 300 : 12;
  const right = isWide ? width / 2 : width / 3;
  const middle = (left + right) / 2;
  const ribbon = (from: number, to: number): string =>
    `M${left} ${from}C${middle} ${from} ${middle} ${to} ${right} ${to}V${to + 16}C${middle} ${to + 16} ${middle} ${from + 16} ${left} ${from + 16}Z`;
  const label = `${title}, ${note}: spent by ${winner.id}, not by ${loser.id}`;
  return (
    <svg class="picture" viewBox={`0 0 ${width} ${height}`} width="100%" height={height} role="group" aria-label={label} data-arrows>
      <path d={ribbon(58, 26)} class="ribbon fill-1" />
      <path d={ribbon(74, 102)} class="ribbon conflict-lost" />
      <rect x={left - 8} y={56} width={8} height={36} class="mark-fill-1" />
      {isWide && (
        <>
          <text x={left - 20} y={70} text-anchor="end" class="strand-title">
            {title}
          </text>
          <text x={left - 20} y={88} text-anchor="end" class="strand-text">
            {note}
          </text>
        </>
      )}
      <End end={winner} x={right} y={10} width={width - right - 2} name="conflict-winner" />
      <End end={loser} x={right} y={86} width={width - right - 2} name="conflict-loser" />
    </svg>
  );
}

function End({ end: { id, note, href }, x, y, width, name }: { end: ConflictEnd; x: number; y: number; width: number; name: string }) {
  const content = (
    <>
      <title>{`${id}, ${note}`}</title>
      <rect x={x} y={y} width={width} height={48} class={name} />
      <text x={x + 14} y={y + 20} class="strand-title">
        {shortId(id)}
      </text>
      <text x={x + 14} y={y + 38} class="strand-text">
        {note.length * 6.9 + 20 > width ? `${note.slice(0, Math.max(0, Math.floor((width - 28) / 6.9)))}…` : note}
      </text>
    </>
  );
  return href === undefined ? (
    <g role="img" aria-label={`${id}, ${note}`}>
      {content}
    </g>
  ) : (
    <a href={href} class="cell-link">
      {content}
    </a>
  );
}
