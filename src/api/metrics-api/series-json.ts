import { bucketStart } from '../../ledger/index/bucket-start.ts';
import type { MetricName } from '../contract/metrics.ts';
import type { ServedChain } from '../rest/served-chains.ts';
import { type Metric, type MetricValue, metrics } from './metric.ts';
import { type MetricsPeriod, readBuckets, type SeriesPage } from './series.ts';
import type { SeriesCache } from './series-cache.ts';

/** How a point is written; the two versions of the API have another order of members. */
type PointFormat = 'v1' | 'v2';

/**
 * Reads the points of a page and writes them as JSON, without the brackets of the list. Block times never decrease, so time buckets before
 * that of the last block are final: their text is cached, and only the others are read from the index.
 */
export async function readSeriesJson(
  chain: ServedChain,
  name: MetricName,
  page: SeriesPage,
  { tip, now }: MetricsPeriod,
  format: PointFormat,
  cache: SeriesCache,
): Promise<string> {
  const metric: Metric = metrics[name];
  const read = async (starts: readonly number[]): Promise<string> => {
    if (starts.length === 0) return '';
    const part = { ...page, starts };
    const values = await metric.series({ reads: chain.reads, page: part, buckets: await readBuckets(chain.reads, part), now });
    return starts.map((start, i) => pointFormats[format](start, values[i] ?? 0)).join(',');
  };
  const current = bucketStart(page.unit, tip.time);
  const split = metric.isBackfilled ? -1 : page.starts.findIndex((start) => start < current);
  if (split < 0) return read(page.starts);
  const final = page.starts.slice(split);
  const key = `${format} ${name} ${page.unit} ${final[0]} ${final.at(-1)}`;
  const [changing, finalText] = await Promise.all([read(page.starts.slice(0, split)), cache.getOrMake(chain, key, () => read(final))]);
  return changing === '' ? finalText : `${changing},${finalText}`;
}

const pointFormats: { readonly [F in PointFormat]: (timestamp: number, value: MetricValue) => string } = {
  v1: (timestamp, value) => `{"timestamp":${timestamp},"value":${value}}`,
  v2: (timestamp, value) => `{"value":${value},"timestamp":${timestamp}}`,
};
