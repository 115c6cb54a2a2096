import { dateText, isoText, timeText } from '../text/text-format.ts';

/** A time in UTC. The browser adds the reader's own time as a tooltip, or beside it if `withLocal`. */
export const TimeText = ({ time, withLocal = false }: { time: number; withLocal?: boolean }) => (
  <>
    <time dateTime={isoText(time)} data-local={withLocal ? undefined : time}>
      {`${dateText(time)} ${timeText(time)}`}
    </time>
    {withLocal && <span class="local-time" data-local-beside={time} />}
  </>
);
