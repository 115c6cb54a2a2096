import { metricValue } from './process-metrics.ts';
import type { Source } from './source.ts';

/** How far this node is behind the node that it follows. */
export type FollowState = {
  /** Blocks of the followed node that are not stored here. */
  readonly lagBlocks: number;
  /** Seconds since all its blocks were stored; 0 while they are. */
  readonly lagSeconds: number;
};

/** Reads the lag from the metrics of the node, which are of this moment; health checks are up to 30 s old. Undefined if it has none. */
export async function loadFollowState(source: Source): Promise<FollowState | undefined> {
  const { status, body } = await source.getText('/ext/metrics');
  if (status !== 200) return undefined;
  const lagBlocks = metricValue(body, 'serac_follow_lag_blocks');
  const lagSeconds = metricValue(body, 'serac_follow_lag_seconds');
  return lagBlocks === undefined || lagSeconds === undefined ? undefined : { lagBlocks, lagSeconds };
}
