import { chainLimits } from '../../base/health/chain-check.ts';
import { every } from '../../base/timing/timers.ts';
import type { JoinedChainState } from '../../network/joined-chain/joined-chain.ts';
import type { Env } from '../setup/env.ts';
import type { RefusedBlocks } from './refused-blocks.ts';

const interval = 1000;
const limit = Number(chainLimits.behindTime / 1_000_000n);

/** Logs when the chain falls behind most of the stake, with the likely cause, and when it has caught up. Returns a function that stops it. */
export function warnOfLag(
  alias: string,
  chain: Pick<JoinedChainState, 'lag' | 'bootstrap' | 'isBootstrapping'>,
  refused: Pick<RefusedBlocks, 'lastReason'>,
  env: Pick<Env, 'log' | 'timers'>,
): () => void {
  let isWarned = false;
  return every(env.timers, interval, () => {
    const lag = chain.lag();
    const { height } = chain.bootstrap();
    if (lag === undefined && isWarned) env.log(`${alias}: caught up with the network at height ${height}`, 'info');
    if (lag === undefined) isWarned = false;
    else if (!isWarned && lag.milliseconds > limit) {
      isWarned = true;
      const reason = refused.lastReason(height);
      const cause = chain.isBootstrapping() ? '; it is catching up' : reason === undefined ? '' : `; the last block was refused: ${reason}`;
      const state =
        lag.majorityHeight > height
          ? `most of the stake is at height ${lag.majorityHeight}, this node stands at ${height}${cause}`
          : `most of the stake has not answered for ${Math.round(lag.milliseconds / 1000)} s; this node stands at ${height}`;
      env.log(`${alias}: ${state}`, 'warn');
    }
  });
}
