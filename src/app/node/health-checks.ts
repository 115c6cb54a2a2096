import { blsCheck, bootstrappedCheck, databaseCheck, diskSpaceCheck, type FileSystem } from '../../api/health/checks.ts';
import { futureUpgradeCheck, networkCheck, routerCheck } from '../../api/health/network-checks.ts';
import { applicationTag } from '../../api/health/worker.ts';
import type { DataAge } from '../../api/rest/data-age.ts';
import type { Engine } from '../../avm/vm.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import { Fault } from '../../base/fault.ts';
import { type ChainHealthState, chainCheck, chainLimits } from '../../base/health/chain-check.ts';
import type { Check } from '../../base/health/result.ts';
import type { Follower } from '../../chain/follow/follower.ts';
import type { FollowStatus } from '../../chain/follow/status.ts';
import { chainHealth } from '../../network/joined-chain/chain-health.ts';
import type { BootstrapState } from './bootstrap.ts';
import type { Counterpart } from './counterparts.ts';
import type { PeerReadings } from './peer-readings.ts';
import type { RunningChain } from './running-chain.ts';

type HealthCheckDeps = {
  readonly subnetID: Id;
  readonly chains: readonly RunningChain[];
  readonly bootstrapped: BootstrapState;
  readonly counterparts: readonly Counterpart[];
  readonly readings: PeerReadings;
  /** Throws if the store cannot commit a block now. */
  readonly probeWrite: () => void;
  readonly fileSystem: () => FileSystem;
  /** Percentages of free disk space; `onExhausted` is called at each check that finds less than `required`. */
  readonly disk: { readonly required: number; readonly warning: number; readonly onExhausted: () => void };
  readonly blsKey: () => Promise<Uint8Array>;
  /** Unix nanoseconds. */
  readonly now: () => bigint;
};

/** A check with its name; `tags`: the subnets and `application`, by which callers select checks. */
export type NamedCheck = {
  readonly kind: 'health' | 'readiness';
  readonly name: string;
  readonly check: Check;
  readonly tags: readonly string[];
};

/** A check of the node as a whole. */
export const applicationCheck = (name: string, check: Check, kind: NamedCheck['kind'] = 'health'): NamedCheck => ({
  kind,
  name,
  check,
  tags: [applicationTag],
});

/** AvalancheGo's health checks under its names. AvalancheGo: node/node.go, initHealthAPI; chains/manager.go. */
export function listNodeChecks(deps: HealthCheckDeps): NamedCheck[] {
  const { readings } = deps;
  const ofChain = (name: string, check: Check): NamedCheck => ({ kind: 'health', name, check, tags: [idText(deps.subnetID)] });
  const limits = readings.limits && { ...chainLimits, ...readings.limits.chain };
  const bootstrapped = bootstrappedCheck(() => (deps.bootstrapped.isEveryChainDone() ? [] : [deps.subnetID]));
  const { required: requiredPercentage, warning: warningPercentage, onExhausted } = deps.disk;
  return [
    ...deps.chains.map((chain) =>
      ofChain(
        chain.spec.aliases[0],
        chainCheck(() => readChainHealth(chain, deps), limits),
      ),
    ),
    ...deps.counterparts.map(({ aliases, genesisBlockID, height }) =>
      ofChain(
        aliases[0],
        chainCheck(() => idleState(genesisBlockID, height)),
      ),
    ),
    applicationCheck('bootstrapped', bootstrapped, 'readiness'),
    applicationCheck('bootstrapped', bootstrapped),
    applicationCheck('database', databaseCheck(deps.probeWrite)),
    applicationCheck('diskspace', diskSpaceCheck(deps.fileSystem, { requiredPercentage, warningPercentage, onExhausted })),
    applicationCheck('bls', blsCheck(deps.blsKey, readings.registration)),
    applicationCheck('network', networkCheck(readings.network, readings.needsPeers, readings.limits?.network)),
    applicationCheck('router', routerCheck(readings.router, readings.limits?.router)),
    applicationCheck('futureupgrade', futureUpgradeCheck(readings.upgrade, deps.now)),
  ];
}

function readChainHealth(
  { spec, engine, lastAccepted, joined }: RunningChain,
  { readings, bootstrapped }: Pick<HealthCheckDeps, 'readings' | 'bootstrapped'>,
): ChainHealthState {
  if (joined !== undefined) return chainHealth(joined);
  const networking = readings.networking(spec.id);
  return bootstrapped.isBootstrapped(spec.id) ? { ...readChainState(engine, lastAccepted()), networking } : { networking };
}

/** Seconds behind the followed node after which the check fails, and a follower is not ready. */
const maxBehindSeconds = 10;

/** A check that fails while the followed node does not answer, or if this node is more than `maxBehindSeconds` behind it. */
export const createFollowCheck =
  (status: () => FollowStatus): Check =>
  () => {
    const now = status();
    const { state, height, target, behindSeconds, unknownImports } = now;
    const details = { state, height, behindSeconds, unknownImports, ...(target === undefined ? {} : { target }) };
    const error = findFollowProblem(now);
    return error === undefined ? { details } : { details, error };
  };

function findFollowProblem({ state, height, target, behindSeconds, lastError }: FollowStatus): string | undefined {
  if (state !== 'waiting' && (state === 'live' || behindSeconds <= maxBehindSeconds)) return undefined;
  return lastError instanceof Fault ? lastError.message : describeGap(height, target);
}

const describeGap = (height: bigint, target: bigint | undefined): string =>
  target !== undefined && target > height
    ? `the followed node is ahead: it is at height ${target}, this node at ${height}`
    : 'the followed node does not answer';

/** How old the data of a follower is. It is not ready while its node answers and is ahead; a silent node changes nothing. */
export const createFollowedAge = ({ status, behindSeconds }: Pick<Follower, 'status' | 'behindSeconds'>): DataAge => ({
  seconds: behindSeconds,
  problem: () => findFollowProblem(status()),
  notReady: () => {
    const { lagSeconds, height, target } = status();
    return lagSeconds <= maxBehindSeconds ? undefined : `${describeGap(height, target)} (for ${Math.floor(lagSeconds)} s)`;
  },
});

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
