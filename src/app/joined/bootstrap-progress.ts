import type { BootstrapPhase, DagProgress } from '../../network/bootstrap/progress.ts';
import type { JoinedChain } from '../../network/joined-chain/joined-chain.ts';
import type { PeerNetwork } from '../../network/peers/network.ts';
import type { ProcessEnv, TimeEnv } from '../platform/env.ts';
import type { JoinedValidators } from './joined-validators.ts';

/** Milliseconds between two drawings. */
const interval = 500;
/** Milliseconds without enough peers after which a warning is logged. */
const peersTimeout = 10_000;

/** Milliseconds between two lines about the DAG, or about validators that are missing. */
const lineInterval = 10_000;

const describeDag = (phase: 'vertices' | 'transactions', { fetched, stopHeight, height }: DagProgress): string =>
  phase === 'vertices'
    ? `the X-Chain fetches its vertices from before linearization: ${fetched} since the start, down to height ${height} from ${stopHeight ?? '?'}`
    : `the X-Chain executes its transactions from before linearization: up to height ${height} of ${stopHeight ?? '?'}`;

/** Shows how far bootstrapping is until it is done, says what it waits for, and logs the end. Returns a function that stops it. */
export function showBootstrap(
  chain: JoinedChain,
  network: Pick<PeerNetwork, 'self' | 'isConnected' | 'peers'>,
  { missingReason, describeMissingPeers }: Pick<JoinedValidators, 'missingReason' | 'describeMissingPeers'>,
  env: ProcessEnv & TimeEnv,
): () => void {
  const started = env.clock.monotonic();
  let isWarned = false;
  let nextDagLine = started;
  let nextValidatorsLine = started + lineInterval;
  let cancel = env.timers.after(interval, tick);

  function tick(): void {
    const { phase, height, tipHeight, blocksPerSecond, secondsLeft, dag } = chain.bootstrap();
    if (chain.isBootstrapped()) {
      env.showProgress(undefined);
      const { length } = network.peers();
      env.log(`the X-Chain is at the tip of the network: height ${height}, ${length} peer${length === 1 ? '' : 's'}`, 'info');
      return;
    }
    if (phase === 'fetching')
      env.showProgress({ done: height, total: tipHeight, blocksPerSecond, txsPerSecond: undefined, eta: secondsLeft });
    if (dag !== undefined && (phase === 'vertices' || phase === 'transactions') && env.clock.monotonic() >= nextDagLine) {
      nextDagLine = env.clock.monotonic() + lineInterval;
      env.log(describeDag(phase, dag), 'info');
    }
    const missing = missingReason();
    if (missing !== undefined && env.clock.monotonic() >= nextValidatorsLine) {
      nextValidatorsLine = env.clock.monotonic() + lineInterval;
      const seconds = Math.round((env.clock.monotonic() - started) / 1000);
      const { length } = network.peers();
      env.log(`the X-Chain has waited ${seconds} s for validators, with ${length} peer${length === 1 ? '' : 's'}: ${missing}`, 'warn');
    }
    const missingPeers = isWarned || env.clock.monotonic() - started <= peersTimeout ? undefined : findMissingPeers(phase);
    if (missingPeers !== undefined) {
      isWarned = true;
      env.log(
        `the X-Chain waits for peers: ${missingPeers}; ` +
          'check that nodes of --bootstrap-ips and --bootstrap-ids run, and that no other node has this staking key',
        'warn',
      );
    }
    cancel = env.timers.after(interval, tick);
  }

  /** Any peer serves the DAG; blocks are fetched once enough beacons are connected. */
  function findMissingPeers(phase: BootstrapPhase): string | undefined {
    if (network.peers().length === 0) return 'no peer is connected';
    return phase === 'connecting' ? describeMissingPeers((node) => node === network.self || network.isConnected(node)) : undefined;
  }

  return () => {
    cancel();
    env.showProgress(undefined);
  };
}
