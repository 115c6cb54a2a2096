import type { FollowState } from '../follow-state.ts';
import { groupDigits, spanText } from '../text-format.ts';

const width = 380;

/** How far this node is behind the one it follows. `height`: the last block here, when the page was made. */
export function FollowStrip({ follow: { lagBlocks, lagSeconds }, height }: { follow: FollowState; height: number }) {
  const target = height + lagBlocks;
  const share = target === 0 ? 1 : height / target;
  const isAway = lagBlocks === 0 && lagSeconds > 0;
  const isBehind = lagBlocks > 0;
  return (
    <section class={`strip ${isAway ? 'warn' : ''}`} aria-label="Followed node">
      <div class="bar">
        <b class="strip-name">{isAway ? 'Node away' : isBehind ? 'Syncing' : 'Following'}</b>
        <span>
          {isBehind && <b>{(Math.floor(share * 1000) / 10).toFixed(1)} % </b>}
          block {groupDigits(height)}
          {isBehind && ` of ${groupDigits(target)}`}
        </span>
        {isBehind && (
          <svg class="wide-only" width={width} height="6" viewBox={`0 0 ${width} 6`} aria-hidden="true">
            <rect x={0} y={0} width={width} height={6} rx={3} class="fill-0" />
            <rect x={0} y={0} width={share * width} height={6} rx={3} class="mark-fill-1" />
          </svg>
        )}
        <span class="quiet">
          {isAway
            ? `the followed node has not answered for ${spanText(Math.ceil(lagSeconds))}`
            : isBehind
              ? `${spanText(Math.ceil(lagSeconds))} behind`
              : 'in step with the followed node'}
        </span>
      </div>
    </section>
  );
}
