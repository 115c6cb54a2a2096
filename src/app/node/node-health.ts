import type { Health } from '../../api/health/health.ts';
import { Fault } from '../../base/fault.ts';
import type { Check, Outcome } from '../../base/health/result.ts';
import { every, type Timers } from '../../base/timing/timers.ts';
import type { Config } from '../config/config.ts';
import { type BootstrapState, watchBootstrap } from './bootstrap.ts';
import type { Counterpart } from './counterparts.ts';
import { applicationCheck, listNodeChecks, type NamedCheck } from './health-checks.ts';
import type { NodeChains } from './node-chain.ts';
import type { NodeCore } from './node-core.ts';
import type { NodeStore } from './node-store.ts';
import type { Contribution } from './parts.ts';
import type { PeerReadings } from './peer-readings.ts';

/** A health check of the node as a whole that AvalancheGo does not have; docs/understand/differences.md names each. */
export const extraCheck = (name: string, check: Check): NamedCheck => applicationCheck(name, check);

export type NodeHealth = Contribution & {
  readonly bootstrapped: BootstrapState;
  /** Throws if the store cannot commit a block now. */
  readonly probeWrite: () => void;
};

/** Registers the checks of the node and of all parts, and runs the first round. Rejects if the disk of a node with a data directory is full. */
export async function startNodeHealth({
  core: { config, env, context, health, forcedChecks, identity, parts, stop, phases },
  store,
  chains,
  readings,
  counterparts,
}: {
  readonly core: NodeCore;
  readonly store: NodeStore;
  readonly chains: NodeChains;
  readonly readings: PeerReadings;
  /** The P- and C-Chain, if this node answers for them. A follower reports no health for those of its network. */
  readonly counterparts: readonly Counterpart[];
}): Promise<NodeHealth> {
  // The phase began when the store was open (`nodeStore`).
  phases.end('chains');
  const isOnDisk = config.store === 'sqlite';
  let isStarted = false;
  let isDiskExhausted = false;
  // A node with a chain in memory does not stop when the disk is full. AvalancheGo: node/node.go, diskSpaceCheck.
  const onExhausted = (): void => {
    isDiskExhausted = true;
    if (!isStarted || !isOnDisk || stop.isStopping()) return;
    env.log(`${createDiskError(config).message}; stopping`, 'fatal');
    stop.stopAfterFailure();
  };
  const probeWrite = (): void => {
    // A small write may succeed where a block failed.
    for (const { commitFailure } of chains) {
      const failure = commitFailure();
      if (failure !== undefined) throw failure;
    }
    store.probeWrite();
  };
  const bootstrapped = watchBootstrap(chains, counterparts, health);
  const checks = listNodeChecks({
    subnetID: context.subnetID,
    chains,
    bootstrapped,
    counterparts,
    readings,
    probeWrite,
    fileSystem: () => env.fileSystem(config.dataDir ?? '.'),
    disk: { ...config.disk, onExhausted },
    blsKey: identity.signer.publicKey,
    now: context.clock.unixNanos,
  });
  const ofParts = parts.checks();
  // AvalancheGo's readiness only says whether a chain was bootstrapped once.
  const ofReadiness = context.differences.extraChecks ? listFreshnessChecks(chains) : [];
  for (const { kind, name, check, tags } of [...checks, ...ofReadiness, ...ofParts]) forcedChecks.register(kind, name, check, tags);
  await health.start();
  phases.end('health checks');
  if (isDiskExhausted && isOnDisk) {
    health.stop();
    throw createDiskError(config);
  }
  isStarted = true;
  const joined = new Set(chains.filter((chain) => chain.joined !== undefined).map(({ spec }) => spec.aliases[0]));
  // A followed chain has its checks run when its state changes.
  const ofJoined = joined.size === 0 ? [] : [...checks.filter(({ name }) => joined.has(name)), ...ofParts];
  const stopWatch = watchVerdicts([...ofJoined, ...ofReadiness], health, { after: env.timers.after, now: env.clock.monotonic });
  return {
    bootstrapped,
    probeWrite,
    close: () => {
      stopWatch();
      health.stop();
    },
  };
}

/** Readiness of chains that can fall behind: it fails while what they serve is too old. Without details, so that it also fails after it has passed. */
const listFreshnessChecks = (chains: NodeChains): NamedCheck[] =>
  chains.flatMap(({ spec, dataAge }) =>
    dataAge === undefined ? [] : [applicationCheck(spec.aliases[0], () => ({ error: dataAge.notReady() }), 'readiness')],
  );

/** Milliseconds between two looks at a chain on a network and at its trusted nodes. */
const watchInterval = 1000;

/**
 * Runs a check again when its verdict has changed: the next round may be 30 s away, and a chain that falls behind, or
 * whose trusted nodes are away, must not look healthy until then. After a pause of the whole process, a report is the first to notice: it looks
 * itself. These checks only read memory. Returns a function that stops it.
 */
export function watchVerdicts(
  checks: readonly Pick<NamedCheck, 'kind' | 'name' | 'check'>[],
  health: Pick<Health, 'recheck' | 'onReport'>,
  timers: Pick<Timers, 'after' | 'now'>,
): () => void {
  if (checks.length === 0) return () => {};
  const failing = new Map<Check, boolean>();
  let lookedAt = timers.now();
  const compare = ({ kind, name, check }: (typeof checks)[number], { error }: Outcome): void => {
    const isFailing = error !== undefined;
    if (failing.get(check) !== isFailing) void health.recheck(kind, name);
    failing.set(check, isFailing);
  };
  const look = (): void => {
    lookedAt = timers.now();
    for (const one of checks) {
      const outcome = one.check();
      if (outcome instanceof Promise) void outcome.then((later) => compare(one, later));
      else compare(one, outcome);
    }
  };
  health.onReport(() => {
    if (timers.now() - lookedAt > 2 * watchInterval) look();
  });
  return every(timers, watchInterval, look);
}

/** The error of a node that does not start, or stops, because the disk is nearly full. AvalancheGo: node/node.go, diskSpaceCheck. */
function createDiskError({ dataDir, disk: { required } }: Pick<Config, 'dataDir' | 'disk'>): DiskError {
  const flag = '--system-tracker-disk-required-available-space-percentage';
  return new DiskError(`less than ${required} % of the disk of ${dataDir} is free; free some space, or choose a lower ${flag}`, {
    code: 'DISK_EXHAUSTED',
    required,
  });
}

type DiskFault = { code: 'DISK_EXHAUSTED'; required: number };
class DiskError extends Fault<DiskFault> {}
