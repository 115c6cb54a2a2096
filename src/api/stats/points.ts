import type { Paging } from '../rest/route.ts';
import type { MetricsPeriod, SeriesPage } from './series.ts';

export const nextTokenAfter = ({ tip }: MetricsPeriod, { starts, isLast }: SeriesPage, pages: Paging): string | undefined => {
  const oldest = starts.at(-1);
  return isLast || oldest === undefined ? undefined : pages.nextPageToken({ height: pages.cursor?.height ?? tip.height, after: oldest });
};
