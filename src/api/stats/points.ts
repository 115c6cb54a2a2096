import { integer, number, object, text } from '../contract/schema.ts';
import type { Paging } from '../rest/route.ts';
import type { MetricsPeriod, SeriesPage } from './series.ts';

export const MetricsPointSchema = object('MetricsPoint', {
  value: number(),
  timestamp: integer('Start of the hour, day, week or month that the value covers, in Unix seconds.'),
});

export const nextMetricsPageTokenSchema = text('Pass it as pageToken to get the next page. Absent on the last page.');

export const nextTokenAfter = ({ tip }: MetricsPeriod, { starts, isLast }: SeriesPage, pages: Paging): string | undefined => {
  const oldest = starts.at(-1);
  return isLast || oldest === undefined ? undefined : pages.nextPageToken({ height: pages.cursor?.height ?? tip.height, after: oldest });
};
