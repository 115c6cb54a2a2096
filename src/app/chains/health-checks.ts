import { blsCheck, bootstrappedCheck, databaseCheck, diskSpaceCheck, type FileSystem } from '../../api/health/checks.ts';
import type { Health } from '../../api/health/health.ts';
import { futureUpgradeCheck, networkCheck, routerCheck } from '../../api/health/network-checks.ts';
import { applicationTag } from '../../api/health/worker.ts';
import type { Engine } from '../../avm/vm.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import { Fault } from '../../base/fault.ts';
import { type ChainHealthState, chainCheck, chainLimits } from '../../base/health/chain-check.ts';
import type { Check } from '../../base/health/result.ts';
import type { FollowStatus } from '../../chain/follow/status.ts';
import { chainHealth } from '../../network/joined-chain/chain-health.ts';
import type { RunningChain } from '../setup/avm-chain.ts';
import type { Counterpart } from '../setup/counterparts.ts';
import type { BootstrapState } from './bootstrap.ts';
import type { PeerReadings } from './peer-readings.ts';

export type HealthCheckDeps = {
  readonly subnetID: Id;
  readonly chains: readonly RunningChain[];
  readonly bootstrapped: BootstrapState;
  readonly counterparts: readonly Counterpart[];
  readonly readings: PeerReadings;
  /** Throws if the store cannot commit a block now; see `createStoreProbe`. */
  readonly probeWrite: () => void;
  readonly fileSystem: () => FileSystem;
  /** Percentages of free disk space; `onExhausted` is called at each check that finds less than `required`. */
  readonly disk: { readonly required: number; readonly warning: number; readonly onExhausted: () => void };
  readonly blsKey: () => Promise<Uint8Array>;
  /** Unix nanoseconds. */
  readonly now: () => bigint;
  /** Whether checks that AvalancheGo does not have are registered. */
  readonly extraChecks: boolean;
};

/** Registers AvalancheGo's health checks under its names. AvalancheGo: node/node.go, initHealthAPI; chains/manager.go. */
export function registerChecks(health: Pick<Health, 'register'>, deps: HealthCheckDeps): void {
  const { readings } = deps;
  const application = [applicationTag];
  const perChain = [idText(deps.subnetID)];
  const chainLimitsHere = readings.limits && { ...chainLimits, ...readings.limits.chain };
  for (const { spec, engine, lastAccepted, follower, joined } of deps.chains) {
    const readState = (): ChainHealthState => {
      if (joined !== undefined) return chainHealth(joined);
      const networking = readings.networking(spec.id);
      return deps.bootstrapped.isBootstrapped(spec.id) ? { ...readChainState(engine, lastAccepted()), networking } : { networking };
    };
    health.register('health', spec.aliases[0], chainCheck(readState, chainLimitsHere), perChain);
    if (follower !== undefined && deps.extraChecks) health.register('health', 'follow', createFollowCheck(follower.status), application);
  }
  for (const { aliases, genesisBlockID, height } of deps.counterparts)
    health.register(
      'health',
      aliases[0],
      chainCheck(() => idleState(genesisBlockID, height)),
      perChain,
    );

  const bootstrapped = bootstrappedCheck(() => (deps.bootstrapped.isEveryChainDone() ? [] : [deps.subnetID]));
  health.register('readiness', 'bootstrapped', bootstrapped, application);
  health.register('health', 'bootstrapped', bootstrapped, application);
  health.register('health', 'database', databaseCheck(deps.probeWrite), application);
  health.register(
    'health',
    'diskspace',
    diskSpaceCheck(deps.fileSystem, {
      requiredPercentage: deps.disk.required,
      warningPercentage: deps.disk.warning,
      onExhausted: deps.disk.onExhausted,
    }),
    application,
  );
  health.register('health', 'bls', blsCheck(deps.blsKey, readings.registration), application);
  health.register('health', 'network', networkCheck(readings.network, readings.needsPeers, readings.limits?.network), application);
  health.register('health', 'router', routerCheck(readings.router, readings.limits?.router), application);
  health.register('health', 'futureupgrade', futureUpgradeCheck(readings.upgrade, deps.now), application);
}

/** Returns a probe that throws if the last commit of any chain failed, or if a small write fails now (it may succeed where a block failed). */
export const createStoreProbe = (chains: readonly Pick<RunningChain, 'commitFailure'>[], probeWrite: () => void) => (): void => {
  for (const { commitFailure } of chains) {
    const failure = commitFailure();
    if (failure !== undefined) throw failure;
  }
  probeWrite();
};

/** Seconds behind the followed node after which the check fails. */
const maxBehindSeconds = 60;

/** A check that fails while the followed node does not answer, or if this node is more than `maxBehindSeconds` behind it. */
export const createFollowCheck =
  (status: () => FollowStatus): Check =>
  () => {
    const { state, height, target, behindSeconds, lastError, unknownImports } = status();
    const details = { state, height, behindSeconds, unknownImports, ...(target === undefined ? {} : { target }) };
    if (state === 'waiting' || (state !== 'live' && behindSeconds > maxBehindSeconds))
      return { details, error: lastError instanceof Fault ? lastError.message : 'the followed node is ahead' };
    return { details };
  };

const noPeers = { disconnectedValidators: [], percentConnected: 1 };

function readChainState(engine: Engine, last: { readonly id: Id; readonly height: bigint }): Pick<ChainHealthState, 'consensus'> {
  const { processingBlocks, longestProcessing, averageAcceptance } = engine.report();
  return {
    consensus: {
      avgAcceptanceTime: nanoseconds(averageAcceptance),
      lastAcceptedHeight: last.height,
      lastAcceptedID: last.id,
      longestProcessingBlock: nanoseconds(longestProcessing),
      processingBlocks,
    },
  };
}

/** The health state of a chain that does not run here. Its last accepted block is block 0; without its ID the consensus part is left out. */
const idleState = (genesisBlockID: Id | undefined, height: bigint): ChainHealthState => ({
  consensus: genesisBlockID && {
    avgAcceptanceTime: 0n,
    lastAcceptedHeight: height,
    lastAcceptedID: genesisBlockID,
    longestProcessingBlock: 0n,
    processingBlocks: 0,
  },
  networking: noPeers,
});

const nanoseconds = (milliseconds: number): bigint => BigInt(Math.round(milliseconds * 1e6));
