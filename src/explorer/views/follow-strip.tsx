import { useRef } from 'preact/hooks';
import type { FollowState } from '../load/follow-state.ts';
import { addSample, type SyncSample, syncRate } from '../load/sync-rate.ts';
import { groupDigits, plural, shortNumber, spanText } from '../text/text-format.ts';

const width = 380;

type StripProps = { readonly follow: FollowState; readonly height: number; readonly url: string | undefined };

/** How far this node is behind the one it follows or the network it joined. `height`: the last block here, when the page was made. */
export function FollowStrip({ follow, height, url }: StripProps) {
  const { kind, lagBlocks, lagSeconds, peers, isReady } = follow;
  const { rate, left } = useSyncRate(follow, height);
  const target = height + lagBlocks;
  const share = target === 0 ? 1 : height / target;
  const isAway = lagBlocks === 0 && lagSeconds > 0;
  const isBehind = lagBlocks > 0;
  const isNetwork = kind === 'network';
  const name = isAway ? 'Node away' : isBehind ? 'Syncing' : isNetwork ? (isReady ? 'Joined' : 'Joining') : 'Following';
  return (
    <section
      class={`strip ${isAway || (isNetwork && peers === 0) ? 'warn' : ''}`}
      aria-label={isNetwork ? 'Joined network' : 'Followed node'}
    >
      <div class="bar">
        <b class="strip-name">{name}</b>
        {url !== undefined && <span class="mono breakable">{url}</span>}
        {isNetwork && <span>{plural(peers, 'peer')}</span>}
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
              ? [
                  rate !== undefined && `${shortNumber(rate < 10 ? Math.round(rate * 10) / 10 : Math.round(rate))} blocks/s`,
                  left !== undefined
                    ? `${spanText(Math.ceil(left))} left`
                    : isNetwork
                      ? `${groupDigits(lagBlocks)} to go`
                      : `${spanText(Math.ceil(lagSeconds))} behind`,
                ]
                  .filter((word) => word !== false)
                  .join(' · ')
              : isNetwork
                ? isReady
                  ? 'in step with the network'
                  : 'waiting for the first peers to name the last block'
                : 'in step with the followed node'}
        </span>
      </div>
    </section>
  );
}

/** The rate since this page opened, or of the last minute. Undefined until the page has been loaded again. */
function useSyncRate(follow: FollowState, height: number): ReturnType<typeof syncRate> {
  const seen = useRef<{ follow: FollowState | undefined; samples: readonly SyncSample[] }>({ follow: undefined, samples: [] });
  if (seen.current.follow !== follow)
    seen.current = {
      follow,
      samples: addSample(seen.current.samples, { at: performance.now() / 1000, height, lagBlocks: follow.lagBlocks }),
    };
  return syncRate(seen.current.samples);
}
