import type { TapeBlock } from '../load/load-home.ts';
import { ageText, groupDigits } from '../text/text-format.ts';

/** Size of a tile, and the distance from one tile to the next. */
const tile = { width: 84, height: 74, step: 92 };
const facet = 9;
/** The most tiles; older ones are not in the document. */
const maxTiles = 16;

/** The newest blocks, newest left, after a dashed tile for the next one. The fill is the number of transactions beside the largest block. */
export function Tape({
  blocks,
  pending,
  now,
  largest,
  isCalm,
  isBusy,
}: {
  blocks: readonly TapeBlock[];
  pending: number | undefined;
  now: number;
  largest: number;
  /** Whether a new block slides in. With many blocks per second none does. */
  isCalm: boolean;
  /** Whether tiles of the document are reused for other blocks: cheaper if many come per second. */
  isBusy: boolean;
}) {
  return (
    <section class="tape" aria-label="Latest blocks" data-arrows>
      <div class="tile">
        <svg width={tile.width} height={tile.height} aria-hidden="true">
          <path d={outline} class="tile-next" />
        </svg>
        <span class="tile-count">{pending === undefined ? '' : `${groupDigits(pending)} tx`}</span>
        <b>next</b>
        <span>{pending === undefined ? '–' : pending === 0 ? 'nothing waits' : 'pending'}</span>
      </div>
      {blocks.slice(0, maxTiles).map((block, at) => (
        <a
          key={isBusy ? at : block.id}
          class={`tile${at === 0 ? ' newest' : ''}${at === 0 && isCalm ? ' slides' : ''}`}
          href={`/block/${block.height}`}
        >
          <svg width={tile.width} height={tile.height} aria-hidden="true">
            <path d={outline} class="tile-base" />
            <Fill share={Math.min(1, block.txs / Math.max(1, largest))} />
            <path d={outline} class="tile-edge" />
          </svg>
          <span class="tile-count">{groupDigits(block.txs)} tx</span>
          <b>
            <span class="hidden">Block </span>
            {groupDigits(block.height)}
          </b>
          <span>{ageText(now - block.time)}</span>
        </a>
      ))}
    </section>
  );
}

const { width: w, height: h } = tile;
/** The outline of a tile: a rectangle with a cut corner. */
const outline = `M.5 .5H${w - facet}L${w - 0.5} ${facet}V${h - 0.5}H.5Z`;

/** The slanted fill of a tile, in one of four tones. */
function Fill({ share }: { share: number }) {
  if (share <= 0) return null;
  const tone = 2 + Math.min(3, Math.floor(share * 4));
  const top = h - Math.max(2, share * (h - 10));
  const [left, peak, right] = [top + 6, top, top + 3];
  return (
    <g class={`ice-${tone}`}>
      <path d={`M1 ${h - 1}V${left}L${w * 0.4} ${peak}L${w - 1} ${right}V${h - 1}Z`} class="ice-face" />
      <path d={`M1 ${h - 1}V${left}L${w * 0.4} ${peak}L${w * 0.3} ${h - 1}Z`} class="ice-side" />
    </g>
  );
}
