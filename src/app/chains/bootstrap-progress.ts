import type { JoinedChain } from '../../network/joined-chain/joined-chain.ts';
import type { PeerNetwork } from '../../network/peers/network.ts';
import type { ProcessEnv, TimeEnv } from '../setup/env.ts';

/** Milliseconds between two drawings. */
const interval = 500;
/** Milliseconds without enough first peers after which a warning is logged. */
const peersTimeout = 10_000;

/** Shows how far bootstrapping is until it is done, and logs the end. Returns a function that stops it. */
export function showBootstrap(
  chain: JoinedChain,
  network: Pick<PeerNetwork, 'beaconState' | 'peers'>,
  env: ProcessEnv & TimeEnv,
): () => void {
  const started = env.clock.monotonic();
  let isWarned = false;
  let cancel = env.timers.after(interval, tick);

  function tick(): void {
    const { phase, height, tipHeight, blocksPerSecond, secondsLeft } = chain.bootstrap();
    if (chain.isBootstrapped()) {
      env.showProgress(undefined);
      const { length } = network.peers();
      env.log(`the X-Chain is at the tip of the network: height ${height}, ${length} peer${length === 1 ? '' : 's'}`, 'info');
      return;
    }
    if (phase === 'fetching')
      env.showProgress({ done: height, total: tipHeight, blocksPerSecond, txsPerSecond: undefined, eta: secondsLeft });
    const { connected, required } = network.beaconState();
    if (!isWarned && connected < required && env.clock.monotonic() - started > peersTimeout) {
      isWarned = true;
      env.log(
        `connected to ${connected} of the first peers, ${required} are needed; ` +
          'check that they run, that --bootstrap-ips and --bootstrap-ids name them, and that no other node has this staking key',
        'warn',
      );
    }
    cancel = env.timers.after(interval, tick);
  }

  return () => {
    cancel();
    env.showProgress(undefined);
  };
}
