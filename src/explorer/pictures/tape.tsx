import type { PendingSum, TapeBlock } from '../load/load-home.ts';
import { allKinds } from '../load/tx-kind.ts';
import { ageText, bytesText, groupDigits, plural } from '../text/text-format.ts';

/** Size of a tile, and the distance from one tile to the next. */
const tile = { width: 84, height: 74, step: 92 };
const facet = 9;
/** The most tiles; older ones are not in the document. */
const maxTiles = 16;

/** The newest blocks, newest left, after a dashed tile that fills with what waits. A fill is the size beside the limit, in layers by kind. */
export function Tape({
  blocks,
  pending,
  limit,
  now,
  isCalm,
  isBusy,
}: {
  blocks: readonly TapeBlock[];
  pending: PendingSum | undefined;
  /** The size at which a block is full. */
  limit: number;
  now: number;
  /** Whether a new block slides in. With many blocks per second none does. */
  isCalm: boolean;
  /** Whether tiles of the document are reused for other blocks: cheaper if many come per second. */
  isBusy: boolean;
}) {
  const shareOf = (bytes: number): number => (limit === 0 ? 0 : Math.min(1, bytes / limit));
  return (
    <section class="tape" aria-label="Latest blocks" data-arrows>
      <div class="tile" title={pending && `${plural(pending.count, 'transaction')} of ${bytesText(pending.bytes)} in the mempool`}>
        <svg width={tile.width} height={tile.height} aria-hidden="true">
          {pending !== undefined && pending.count > 0 && <path d={layer(fillHeight(shareOf(pending.bytes)))} class="tile-waiting" />}
          <path d={outline} class="tile-next" />
        </svg>
        <span class="tile-count">{pending === undefined ? '' : `${groupDigits(pending.count)} tx`}</span>
        <b>next</b>
        <span>{pending === undefined ? '–' : pending.count === 0 ? 'nothing waits' : `${bytesText(pending.bytes)} wait`}</span>
      </div>
      {blocks.slice(0, maxTiles).map((block, at) => (
        <a
          key={isBusy ? at : block.id}
          class={`tile${at === 0 ? ' newest' : ''}${at === 0 && isCalm ? ' slides' : ''}`}
          href={`/block/${block.height}`}
          title={`${kindsText(block)}; ${bytesText(block.bytes)}`}
        >
          <svg width={tile.width} height={tile.height} aria-hidden="true">
            <path d={outline} class="tile-base" />
            <Layers block={block} share={shareOf(block.bytes)} />
            <path d={outline} class="tile-edge" />
          </svg>
          <span class="tile-count">
            {groupDigits(block.txs)} tx <small>{bytesText(block.bytes)}</small>
          </span>
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

/** `12 Transfer, 1 Export`. */
const kindsText = ({ kinds }: TapeBlock): string =>
  allKinds.flatMap(([type, { word }]) => (kinds[type] > 0 ? `${groupDigits(kinds[type])} ${word}` : [])).join(', ') || 'no transactions';

const { width: w, height: h } = tile;
/** The outline of a tile: a rectangle with a cut corner. */
const outline = `M.5 .5H${w - facet}L${w - 0.5} ${facet}V${h - 0.5}H.5Z`;

/** The least height of a fill and of a layer, in pixels: the colour can be seen, however small the block is. */
const [minFill, minLayer] = [10, 4];
const fillHeight = (share: number): number => Math.max(minFill, share * (h - 10));

/** The area of a tile below a slanted surface. */
function layer(height: number): string {
  const top = h - 1 - height;
  const slant = Math.min(6, height / 2);
  return `M1 ${h - 1}V${top + slant}L${w * 0.4} ${top}L${w - 1} ${top + slant / 2}V${h - 1}Z`;
}

/** The fill of a tile: a layer for each kind, as thick as its share of the transactions. Each covers the ones above it. */
function Layers({ block: { kinds, txs }, share }: { block: TapeBlock; share: number }) {
  if (txs === 0) return null;
  const layers: { readonly height: number; readonly color: number }[] = [];
  let height = 0;
  for (const [type, { color }] of allKinds) {
    if (kinds[type] === 0) continue;
    height = Math.min(h - 10, height + Math.max(minLayer, (fillHeight(share) * kinds[type]) / txs));
    layers.unshift({ height, color });
  }
  return (
    <>
      {layers.map((one) => (
        <path d={layer(one.height)} class={`mark-fill-${one.color}`} />
      ))}
    </>
  );
}
