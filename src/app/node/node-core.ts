import { shuttingDownCheck } from '../../api/health/checks.ts';
import { createForcedChecks, type ForcedChecks } from '../../api/health/forced-checks.ts';
import { createHealth, type Health } from '../../api/health/health.ts';
import { applicationTag } from '../../api/health/worker.ts';
import type { Block } from '../../avm/tx/block.ts';
import { isTestMnemonic } from '../../avm/wallet/accounts.ts';
import { checkMnemonic } from '../../avm/wallet/mnemonic.ts';
import { idText } from '../../base/bytes/id.ts';
import { createSignerCache } from '../../base/crypto/recover.ts';
import { createSignerKeys, type SignerKeys } from '../../base/crypto/signer-keys.ts';
import { createEventBus, type EventBus } from '../../chain/lifecycle/events.ts';
import { createRecovery } from '../../chain/recovery/recovery.ts';
import { type Identity, loadIdentity } from '../../network/identity/identity.ts';
import type { Config } from '../config/config.ts';
import { createErrorLog } from '../output/error-log.ts';
import { createStartPhases, type StartPhases } from '../output/start-phases.ts';
import type { Env, ProcessEnv } from '../platform/env.ts';
import { createReaderPool, type ReaderPool } from '../processes/reader-pool.ts';
import type { SharedChainDeps } from './avm-chain.ts';
import { countReaders } from './cache-budget.ts';
import { createNetworkContext, type NetworkContext } from './network-context.ts';
import { type NodeStore, openNodeStore, type StoreKind } from './node-store.ts';
import { type Parts, withParts } from './parts.ts';
import { countAccepted, createProcessMetrics, type ProcessMetrics } from './process-metrics.ts';
import { createStop, type Stop } from './stop.ts';
import { createTxLifecycles, type TxLifecycles } from './tx-lifecycles.ts';

/** The process of a node: its configuration, its environment, and how it ends. */
export type NodeProcess = {
  readonly config: Config;
  readonly env: Env;
  /** What was opened so far and is closed with the process, such as the store, chains and servers; see parts.ts. */
  readonly parts: Parts;
  readonly stop: Stop;
  /** How long the start took so far. */
  readonly phases: StartPhases;
  /** Logs an unexpected error. */
  readonly logError: (error: unknown) => void;
};

/** What watches a node: events, health and metrics. */
export type NodeObservers = {
  readonly bus: EventBus;
  readonly health: Health;
  /** Registers checks with `health` in such a way that a developer can make them fail, to test clients; otherwise they run as usual. */
  readonly forcedChecks: ForcedChecks;
  readonly lifecycles: TxLifecycles;
  readonly metrics: ProcessMetrics;
  /** Blocks and transactions accepted since the start. */
  readonly accepted: ReturnType<typeof countAccepted>;
  /** A number that changes when commits begin to fail or succeed again. The REST API reuses a probe of the database only while it is the same. */
  readonly commitRevision: () => number;
};

/** What a node has before it has a store and chains. The functions that open those, and all later parts, take it as their first argument. */
export type NodeCore = NodeProcess &
  NodeObservers & {
    readonly context: NetworkContext;
    readonly identity: Identity;
    /** The reader processes, which are started with the ports; there are none if the node does not listen. */
    readonly readers: ReaderPool;
    /** What those chains have in common that this process adds blocks to, such as the cache of signers, timers and listeners. */
    readonly chainDeps: SharedChainDeps;
    /** The public keys of signers whose signatures were verified; the index stores them. */
    readonly signerKeys: SignerKeys;
  };

export type StartOptions = {
  /** False: opens no port and starts no reader processes, which share the port. */
  readonly listens: boolean;
};

/** When reader processes start, if `--workers` does not say how many there are: with the node, or when reads keep the writer process busy. */
type ReaderStart = { readonly readersWaitForReads?: boolean };

/**
 * Creates the core of a node, and passes it to `open`, which opens the store, the chains and the servers. If `open` fails, what it has opened is
 * closed again. The programs dev-chain.ts, follow.ts and join.ts in app/programs each consist of one call.
 */
export async function withNodeCore<T>(
  config: Config,
  env: Env,
  { listens, readersWaitForReads = false }: StartOptions & ReaderStart,
  open: (core: NodeCore) => Promise<T>,
): Promise<T> {
  // The test mnemonic, the default, is valid; to check it would load the word list at every start.
  if (!isTestMnemonic(config.accounts.mnemonic)) await checkMnemonic(config.accounts.mnemonic);
  const logError = createErrorLog(env);
  const createReaders = () =>
    createReaderPool(listens ? countReaders(config, env) : 0, env, {
      shutdownTimeout: config.http.shutdownTimeout,
      // A supervisor starts readers that go on answering while the writer process is replaced.
      waitsForReads: readersWaitForReads && config.workers === 'auto' && env.supervisor === undefined,
    });
  return withParts(logError, (parts) => open(createNodeCore(config, env, parts, logError, createReaders())));
}

function createNodeCore(config: Config, env: Env, parts: Parts, logError: (error: unknown) => void, readers: ReaderPool): NodeCore {
  const phases = createStartPhases(env.clock.monotonic);
  const context = createNetworkContext(config, env);
  const { chain, clock } = context;
  const identity = loadIdentity(config.identity, { files: env.files, unixSeconds: env.clock.unixSeconds, random: env.random });
  const bus = createEventBus(logError);
  const health = createHealth({
    now: clock.unixNanos,
    after: env.timers.after,
    interval: config.healthCheckFrequency,
    onChange: (kind, check, { error }) => {
      if (kind === 'health') bus.publish({ kind, check, error, isHealthy: health.report('health', []).healthy });
    },
  });
  const forcedChecks = createForcedChecks(health);
  const signerKeys = createSignerKeys();
  const signers = createSignerCache(env.recoverKey, signerKeys);
  // Recovers signers of many transactions on another thread; `signers` recovers what is left when a transaction is verified.
  const recovery = createRecovery(signers, env);
  parts.add({ close: recovery.close });
  const lifecycles = createTxLifecycles(env, context, bus);
  if (env.log.isShown('trace'))
    bus.subscribe('accepted', ({ chainID, stored }) => logAccepted(env, chain.aliases.primary(chainID), stored.block));
  let commitRevision = 0;
  phases.end('genesis and keys');
  return {
    config,
    env,
    phases,
    context,
    identity,
    parts,
    bus,
    health,
    forcedChecks,
    lifecycles,
    metrics: createProcessMetrics(env),
    accepted: countAccepted(bus),
    readers,
    stop: createStop(config, env, parts, () => {
      forcedChecks.register('health', 'shuttingDown', shuttingDownCheck, [applicationTag]);
      readers.announceStopping();
    }),
    signerKeys,
    chainDeps: {
      context,
      signers,
      recovery,
      timing: {
        timers: { soon: env.timers.soon, after: env.timers.after, now: env.clock.monotonic, unixNanos: clock.unixNanos },
        minBlockDelay: config.minBlockDelay,
        policy: config.mining,
        takeNextBlockTime: clock.takeNextBlockTime,
      },
      listeners: {
        publish: bus.publish,
        observerOf: lifecycles.observerOf,
        logError,
        // Only the X-Chain, the first one, can follow another node. Two checks depend on how that goes: `follow`, and that of the chain, named by its alias.
        onFollowState: () => {
          for (const name of ['follow', context.specs[0].aliases[0]]) void health.recheck('health', name);
        },
        // All checks run again: `database` fails while a block cannot be stored, and others may for the same reason, such as a full disk.
        onCommitState: () => {
          commitRevision++;
          health.refresh();
        },
      },
    },
    commitRevision: () => commitRevision,
    logError,
  };
}

/** Writes a line for an accepted block. */
const logAccepted = ({ log }: ProcessEnv, alias: string, { height, id, txs }: Block): void =>
  log(`${alias}: accepted block ${height}, ${idText(id)}, transactions: ${txs.length}`, 'trace');

/**
 * Opens the store of a node that writes blocks. Its index stores public keys of signers. If an import spends an output of another chain that this
 * node does not know, the index recovers the import's signers and stores them as the owners of that output.
 */
export function nodeStore({ config, env, context, bus, chainDeps, signerKeys, phases }: NodeCore, kind: StoreKind): NodeStore {
  const store = openNodeStore(config, env, context, kind, 'write', bus, {
    recover: chainDeps.signers.recover,
    publicKeyOf: signerKeys.get,
  });
  phases.end('database');
  return store;
}
