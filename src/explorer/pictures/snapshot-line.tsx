import { groupDigits } from '../text/text-format.ts';

const height = 92;

/** The chain as a line from block 0 to the last block, with snapshots as rings. Those above the last block are left behind by a revert. */
export function SnapshotLine({
  snapshots,
  height: tip,
  width,
}: {
  snapshots: readonly { readonly name: string; readonly height: number }[];
  height: number;
  width: number;
}) {
  const last = Math.max(tip, 1, ...snapshots.map(({ height: at }) => at));
  const atX = (block: number): number => 16 + (block / last) * (width - 110);
  const label = `The chain up to block ${tip}, with ${snapshots.length} snapshots; the table below lists them`;
  return (
    <svg class="picture" viewBox={`0 0 ${width} ${height}`} width="100%" height={height} role="img" aria-label={label}>
      <path d={`M16 50H${atX(tip)}`} class="chain-line" />
      {tip < last && <path d={`M${atX(tip)} 50H${atX(last)}`} class="chain-left-behind" />}
      {snapshots.slice(0, 8).map(({ name, height: at }, index) => (
        <>
          <circle cx={atX(at)} cy={50} r={6} class="ring" />
          <text x={atX(at)} y={index % 2 === 0 ? 32 : 16} class="trunk-title">
            {name.length > 14 ? `${name.slice(0, 13)}…` : name}
          </text>
        </>
      ))}
      <path d={`M${atX(tip) - 7} 43h10l4 4v10h-14z`} class="chain-now" />
      <text x={atX(tip) + 12} y={44} class="cell-text">
        {groupDigits(tip)}
      </text>
      <text x={atX(tip)} y={80} class="axis-text middle">
        now
      </text>
    </svg>
  );
}
