import type { Pages } from '../api/route.ts';
import { integer, number, object, text } from '../api/schema.ts';
import type { Era, Page } from './series.ts';

/** What the answers of every series have in common. */

export const MetricsPoint = object('MetricsPoint', {
  value: number(),
  timestamp: integer('When the hour, day, week or month begins that the value covers, in Unix seconds.'),
});

export const nextPageToken = text('Give it as pageToken to get the page after this one. Absent on the last page.');

export const tokenAfter = ({ tip }: Era, { starts, isLast }: Page, pages: Pages): string | undefined => {
  const oldest = starts.at(-1);
  return isLast || oldest === undefined ? undefined : pages.next({ height: pages.asked?.height ?? tip.height, after: oldest });
};
