import { metricValue } from './process-metrics.ts';
import type { Source } from './source.ts';

/** How far this node is behind the node that it follows, or behind the network that it joined. */
export type FollowState = {
  readonly kind: 'node' | 'network';
  /** Blocks that are not stored here. */
  readonly lagBlocks: number;
  /** Seconds since all blocks of the followed node were stored; 0 while they are, and on a joined network. */
  readonly lagSeconds: number;
  /** Connected peers of a joined network. */
  readonly peers: number;
  /** Whether a joined node votes: it has bootstrapped. True of a node that follows. */
  readonly isReady: boolean;
};

/** Reads the lag from the metrics of the node, which are of this moment; health checks are up to 30 s old. Undefined if it has none. */
export async function loadFollowState(source: Source, height: number): Promise<FollowState | undefined> {
  const { status, body } = await source.getText('/ext/metrics');
  if (status !== 200) return undefined;
  const lagBlocks = metricValue(body, 'serac_follow_lag_blocks');
  const lagSeconds = metricValue(body, 'serac_follow_lag_seconds');
  if (lagBlocks !== undefined && lagSeconds !== undefined) return { kind: 'node', lagBlocks, lagSeconds, peers: 0, isReady: true };
  const peers = metricValue(body, 'avalanche_network_peers');
  if (peers === undefined) return undefined;
  const isReady = metricValue(body, 'avalanche_snowman_bootstrap_finished') === 1;
  const tip = metricValue(body, 'serac_bootstrap_tip_height') ?? 0;
  return { kind: 'network', lagBlocks: isReady ? 0 : Math.max(0, tip - height), lagSeconds: 0, peers, isReady };
}
