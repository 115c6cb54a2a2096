import { type Id, idText } from '../bytes/id.ts';
import type { Engine } from '../engine/vm.ts';
import { Fault } from '../fault.ts';
import type { FollowStatus } from '../follow/status.ts';
import { type ChainHealth, chainCheck } from '../health/chain-check.ts';
import { blsCheck, bootstrappedCheck, databaseCheck, diskSpaceCheck, type FileSystem } from '../health/checks.ts';
import type { Health } from '../health/health.ts';
import { futureUpgradeCheck, networkCheck, routerCheck } from '../health/network-checks.ts';
import type { Check } from '../health/result.ts';
import { applicationTag } from '../health/worker.ts';
import type { RunningChain } from './avm-chain.ts';
import type { Bootstrap } from './bootstrap.ts';
import type { Counterpart } from './counterparts.ts';

export type HealthCheckDeps = {
  readonly subnetID: Id;
  readonly chains: readonly RunningChain[];
  readonly bootstrapped: Bootstrap;
  readonly counterparts: readonly Counterpart[];
  /** Alone in its network, a node is its only validator; one that follows another node is none. */
  readonly isValidator: boolean;
  /** Throws if the store would not take a block now; see `storeProbe`. */
  readonly touch: () => void;
  readonly fileSystem: () => FileSystem;
  /** Percentages; `onExhausted` is called whenever less than `required` is left. */
  readonly disk: { readonly required: number; readonly warning: number; readonly onExhausted: () => void };
  readonly blsKey: () => Promise<Uint8Array>;
  /** When the newest scheduled upgrade began, RFC 3339. */
  readonly upgradeTime: string;
  /** Unix nanoseconds. */
  readonly now: () => bigint;
  /** Whether checks that AvalancheGo does not have are registered. */
  readonly extraChecks: boolean;
};

/** Registers what AvalancheGo checks, under its names. Peer: node/node.go, initHealthAPI; chains/manager.go. */
export function registerChecks(health: Health, deps: HealthCheckDeps): void {
  const application = [applicationTag];
  const perChain = [idText(deps.subnetID)];
  for (const { spec, engine, lastAccepted, follower } of deps.chains) {
    health.register(
      'health',
      spec.aliases[0],
      chainCheck(() => (deps.bootstrapped.has(spec.id) ? chainState(engine, lastAccepted()) : { networking: alone })),
      perChain,
    );
    if (follower !== undefined && deps.extraChecks) health.register('health', 'follow', followCheck(follower.status), application);
  }
  for (const { aliases, genesisBlockID, height } of deps.counterparts)
    health.register(
      'health',
      aliases[0],
      chainCheck(() => idleState(genesisBlockID, height)),
      perChain,
    );

  const bootstrapped = bootstrappedCheck(() => (deps.bootstrapped.isDone() ? [] : [deps.subnetID]));
  health.register('readiness', 'bootstrapped', bootstrapped, application);
  health.register('health', 'bootstrapped', bootstrapped, application);
  health.register('health', 'database', databaseCheck(deps.touch), application);
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
  health.register(
    'health',
    'bls',
    blsCheck(deps.blsKey, () => (deps.isValidator ? { publicKey: deps.blsKey } : undefined)),
    application,
  );
  health.register(
    'health',
    'network',
    networkCheck(() => ({ connectedPeers: 0, sendFailRate: 0 }), false),
    application,
  );
  health.register(
    'health',
    'router',
    routerCheck(() => ({ outstandingRequests: 0, longestRunningRequest: 0n })),
    application,
  );
  const upgrade = { localUpgradeTime: deps.upgradeTime, totalWeight: 1n, peers: [] };
  health.register(
    'health',
    'futureupgrade',
    futureUpgradeCheck(() => upgrade, deps.now),
    application,
  );
}

/** A small write may succeed where a block did not: as long as the last commit of a chain failed the store is not well. */
export const storeProbe = (chains: readonly Pick<RunningChain, 'commitFailure'>[], touch: () => void) => (): void => {
  for (const { commitFailure } of chains) {
    const failure = commitFailure();
    if (failure !== undefined) throw failure;
  }
  touch();
};

/** Seconds without all that the followed node has, after which someone should look. */
const longBehind = 60;

/** Whether what is served is what the followed node has. */
const followCheck =
  (status: () => FollowStatus): Check =>
  () => {
    const { state, height, target, behindSeconds, lastError, untoldImports } = status();
    const details = { state, height, behindSeconds, untoldImports, ...(target === undefined ? {} : { target }) };
    if (state === 'waiting' || (state !== 'live' && behindSeconds > longBehind))
      return { details, error: lastError instanceof Fault ? lastError.message : 'the followed node is ahead' };
    return { details };
  };

const alone = { disconnectedValidators: [], percentConnected: 1 };

function chainState(engine: Engine, last: { readonly id: Id; readonly height: bigint }): ChainHealth {
  const { processingBlocks, longestProcessing, averageAcceptance } = engine.report();
  return {
    consensus: {
      avgAcceptanceTime: nanoseconds(averageAcceptance),
      lastAcceptedHeight: last.height,
      lastAcceptedID: last.id,
      longestProcessingBlock: nanoseconds(longestProcessing),
      processingBlocks,
    },
    networking: alone,
  };
}

/** A chain that holds only its place: block 0 is all it ever accepted. Without its id there is nothing to say of its consensus. */
const idleState = (genesisBlockID: Id | undefined, height: bigint): ChainHealth => ({
  consensus: genesisBlockID && {
    avgAcceptanceTime: 0n,
    lastAcceptedHeight: height,
    lastAcceptedID: genesisBlockID,
    longestProcessingBlock: 0n,
    processingBlocks: 0,
  },
  networking: alone,
});

const nanoseconds = (milliseconds: number): bigint => BigInt(Math.round(milliseconds * 1e6));
