import { isoText } from '../text/text-format.ts';
import { type TimeForm, utcTexts, zonedText } from '../text/zone-time.ts';

/** A time in the reader's zone, which is named; UTC on the server. A tooltip has it in UTC and for programs. */
export const TimeText = ({ time }: { time: number }) => <TimeCell time={time} form="full" />;

/** A time in a table. Its CSV has the whole time. */
export const TimeCell = ({ time, form }: { time: number; form: TimeForm }) => (
  <time dateTime={isoText(time)} title={utcTexts(time)} data-time={time} data-form={form}>
    {zonedText(time, form)}
  </time>
);

/** The time of a bucket that begins and ends by UTC, as `text`. */
export const BucketTime = ({ time, text }: { time: number; text: string }) => (
  <time dateTime={isoText(time)} title={utcTexts(time)}>
    {text}
  </time>
);
