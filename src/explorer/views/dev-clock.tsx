import { useState } from 'preact/hooks';
import type { DevData } from '../load/load-dev.ts';
import type { ViewProps } from '../load/page-context.ts';
import { clockMarks, maxPosition, offsetAt, positionOf, stepsPerMark } from '../text/clock-scale.ts';
import { spanText } from '../text/text-format.ts';
import { zonedText } from '../text/zone-time.ts';
import { useDevCall } from './actions.ts';
import { FieldForm, FormNote } from './form.tsx';
import { useLive } from './live.ts';
import { Panel } from './parts.tsx';

/** The chain's clock: a slider from now to a year ahead, jumps, freezing, and the time of the next block. */
export function DevClock({ data: { state } }: ViewProps<DevData>) {
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
    <Panel
      title="Clock"
      side={
        <>
          <button type="button" class="link" disabled={isBusy} onClick={() => run('dev.freezeTime', {}, () => 'The clock stands still')}>
            Freeze
          </button>
          <button
            type="button"
            class="link"
            disabled={isBusy}
            onClick={() => run('dev.resetTime', {}, () => 'The clock shows the real time')}
          >
            Reset
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
      <FieldForm
        button="Set"
        isBusy={isBusy}
        onSubmit={(form) => {
          const text = String(form.get('time'));
          const time = `${text.length === 16 ? `${text}:00` : text}Z`;
          void run('dev.setNextBlockTime', { time }, () => `The next block is at ${time}`);
        }}
      >
        <label class="grow">
          Next block at, UTC <input name="time" type="datetime-local" step={1} required />
        </label>
      </FieldForm>
      <FormNote note={note} />
    </Panel>
  );
}

const offsetText = (offset: number): string => (offset === 0 ? 'real time' : `${offset > 0 ? '+' : '−'}${spanText(Math.abs(offset))}`);
