import { useState } from 'preact/hooks';
import type { DevData } from '../load/load-dev.ts';
import type { ViewProps } from '../load/page-context.ts';
import { clockMarks, maxPosition, offsetAt, positionOf, stepsPerMark } from '../text/clock-scale.ts';
import { spanText } from '../text/text-format.ts';
import { zonedText } from '../text/zone-time.ts';
import { useDevCall } from './actions.ts';
import { DevGroup } from './dev-group.tsx';
import { FormNote } from './form.tsx';
import { useLive } from './live.ts';

/** The chain's clock: a slider from now to a year ahead, jumps, freezing, and the time of the next block. */
export function DevClock({ data }: ViewProps<DevData>) {
  const { state } = data;
  const { run, note, isBusy } = useDevCall();
  const live = useLive();
  /** The position while the slider is moved. */
  const [moved, setMoved] = useState<number | undefined>(undefined);
  const offset = moved === undefined ? state.offset : offsetAt(moved);
  const moveTo = async (target: number): Promise<void> => {
    const time = Math.round(live?.now ?? state.time) + target - state.offset;
    await run('dev.setTime', { time }, () => `The clock is at ${offsetText(target)}`);
    setMoved(undefined);
  };
  return (
    <DevGroup
      group="time"
      data={data}
      without={['freezeTime', 'resetTime', 'setTime']}
      state={
        <>
          <button
            id="freezeTime"
            type="button"
            class="link"
            disabled={isBusy}
            onClick={() => run('dev.freezeTime', {}, () => 'The clock stands still')}
          >
            Freeze
          </button>
          <button
            id="resetTime"
            type="button"
            class="link"
            disabled={isBusy}
            onClick={() => run('dev.resetTime', {}, () => 'The clock shows the real time')}
          >
            Back to real time
          </button>
        </>
      }
    >
      <p class="clock padded">
        <time class="mono" data-clock data-time={state.time} data-form="full">
          {zonedText(state.time, 'full')}
        </time>
        <span class="quiet">
          {state.isFrozen ? 'frozen, ' : ''}
          {offsetText(offset)}
        </span>
      </p>
      <div class="padded">
        <input
          id="setTime"
          type="range"
          class="slider"
          min={0}
          max={maxPosition}
          step={1}
          value={moved ?? positionOf(state.offset)}
          aria-label="Clock ahead of real time"
          aria-valuetext={offsetText(offset)}
          disabled={isBusy}
          onInput={({ currentTarget }) => setMoved(Number(currentTarget.value))}
          onChange={({ currentTarget }) => void moveTo(offsetAt(Number(currentTarget.value)))}
        />
        <div class="slider-marks">
          {clockMarks.map(({ word }, at) => (
            <button type="button" class="link" disabled={isBusy} onClick={() => void moveTo(offsetAt(at * stepsPerMark))}>
              {word}
            </button>
          ))}
        </div>
      </div>
      <FormNote note={note} />
    </DevGroup>
  );
}

const offsetText = (offset: number): string => (offset === 0 ? 'real time' : `${offset > 0 ? '+' : '−'}${spanText(Math.abs(offset))}`);
