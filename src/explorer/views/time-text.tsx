import { dateText, isoText, timeText } from '../text/text-format.ts';

/** A time in UTC. The browser adds the reader's own time beside it. */
export const TimeText = ({ time }: { time: number }) => (
  <>
    <time dateTime={isoText(time)}>{`${dateText(time)} ${timeText(time)}`}</time>
    <span class="local-time" data-local-beside={time} />
  </>
);

/** A time in a table, as `text`. Its CSV has the whole time, its tooltip the reader's own. */
export const TimeCell = ({ time, text }: { time: number; text: string }) => (
  <time dateTime={isoText(time)} data-local={time}>
    {text}
  </time>
);
