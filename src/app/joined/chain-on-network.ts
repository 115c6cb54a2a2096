import type { DataAge } from '../../api/rest/data-age.ts';
import { stopVertexId } from '../../avm/genesis/genesis-block.ts';
import type { Network } from '../../avm/network.ts';
import { packVertex, parseVertex } from '../../avm/tx/vertex.ts';
import type { EngineReport } from '../../avm/vm.ts';
import { parseRfc3339 } from '../../base/bytes/rfc3339.ts';
import { chainLimits, splitText } from '../../base/health/chain-check.ts';
import { createForwardClock } from '../../base/timing/forward-clock.ts';
import { every } from '../../base/timing/timers.ts';
import type { TxVerifier } from '../../chain/lifecycle/tx-verifier.ts';
import { createDagExecutor } from '../../chain/linearize/dag-executor.ts';
import type { Store } from '../../ledger/store/store.ts';
import { openVertexReads } from '../../ledger/vertices/vertex-reads.ts';
import { openVertexStore } from '../../ledger/vertices/vertex-store.ts';
import type { Dag } from '../../network/dag/dag-bootstrapper.ts';
import { defaultGossipParameters } from '../../network/gossip/gossip-parameters.ts';
import type { Identity } from '../../network/identity/identity.ts';
import { signStaking, verifyStakingSignature } from '../../network/identity/staking-certificate.ts';
import { describeStaleness } from '../../network/joined-chain/chain-health.ts';
import { type JoinedChain, type JoinedChainState, startJoinedChain } from '../../network/joined-chain/joined-chain.ts';
import { openOuterStore } from '../../network/outer-chain/outer-store.ts';
import { createOuterVm } from '../../network/outer-chain/outer-vm.ts';
import type { ChildRules } from '../../network/proposervm/verify-child.ts';
import type { Transport } from '../../network/protocol/transport.ts';
import type { JoinConfig } from '../config/join-config.ts';
import { createAvmChain, type SharedChainDeps } from '../node/avm-chain.ts';
import type { OpenedChain } from '../node/node-store.ts';
import type { AvmChainSpec, RunningChain } from '../node/running-chain.ts';
import type { Env } from '../platform/env.ts';
import type { JoinedImports } from './joined-imports.ts';
import type { JoinedValidators } from './joined-validators.ts';
import { createPeerPool } from './peer-pool.ts';
import { createRefusedBlocks, type RefusedBlocks } from './refused-blocks.ts';

/** Runs a chain on the network of peers: wrapped in outer blocks, it bootstraps, votes, builds blocks and gossips transactions. */
export function startChainOnNetwork({
  spec,
  opened,
  chainDeps,
  join,
  env,
  network,
  store,
  identity,
  validators: { validators, beacons, stakers },
  transport,
  imports,
  onFatal,
}: {
  readonly spec: AvmChainSpec;
  readonly opened: OpenedChain;
  readonly chainDeps: SharedChainDeps;
  readonly join: JoinConfig;
  readonly env: Env;
  readonly network: Network;
  readonly store: Store;
  readonly identity: Identity;
  readonly validators: JoinedValidators;
  readonly transport: Transport;
  /** What other chains export; undefined without a trusted node. */
  readonly imports: JoinedImports | undefined;
  /** A decided block could not be stored or executed: the node must stop. */
  readonly onFatal: (error: unknown) => void;
}): RunningChain &
  Required<Pick<RunningChain, 'joined'>> & {
    /** The P-Chain height to which blocks of the network refer; undefined if none is known. */
    readonly referredPChainHeight: () => bigint | undefined;
  } {
  const { chain, verifier, running } = createAvmChain({
    spec,
    ledger: opened.ledger,
    chainDeps,
    // Outputs that the P- and C-Chain exported may be unknown here: of such an import, only the signatures can be verified.
    acceptUnknownImports: true,
    fetchInputs: imports?.fetchInputs,
    onPooled: (tx) => {
      chainDeps.listeners.publish({ kind: 'pooled', chainID: spec.id, tx });
      // Transactions of peers are not pushed to peers again.
      if (!pool.isAdding(tx.id)) joined?.gossip.issued(tx);
    },
  });
  const pool = createPeerPool(chain);
  const unixMilliseconds = (): number => Number(env.clock.unixNanos() / 1_000_000n);
  const vm = createOuterVm({
    inner: chain,
    store: openOuterStore(store, spec.id, opened.state.blockAt),
    chainID: spec.id,
    rules: outerRules(network),
    validators,
    verifySignature: verifyStakingSignature,
    proposer: {
      nodeId: transport.self,
      certificate: identity.certificate,
      sign: (message) => signStaking(identity.privateKey, message),
    },
    now: unixMilliseconds,
    minBlockDelay: chainDeps.timing.minBlockDelay,
  });
  const caughtUp = Promise.withResolvers<void>();
  const dag = openDag(spec, store, opened, verifier);
  const refused = createRefusedBlocks(spec.aliases[0], env);
  let joined: JoinedChain | undefined;
  joined = startJoinedChain({
    chainId: spec.id,
    vm,
    dag,
    pool,
    transport,
    validators,
    beacons,
    stakers,
    timers: { now: createForwardClock(unixMilliseconds, env.clock.monotonic), after: env.timers.after },
    unixMilliseconds,
    randomBytes: env.random,
    ...join.chain,
    gossipParameters: defaultGossipParameters,
    events: {
      onBootstrapped: caughtUp.resolve,
      onWarning: (error, block) => {
        if (block !== undefined) refused.add(block, error);
        else env.log(`${spec.aliases[0]}: ${(error as { message?: string } | null)?.message ?? error}`, 'debug');
      },
      onFatal,
    },
  });
  const started = joined;
  const readLastTime = (): number => Number(vm.block(vm.lastAccepted())?.time ?? 0n);
  const stopWarning = warnOfLag(spec.aliases[0], started, refused, env);
  const stop = (): void => {
    stopWarning();
    started.stop();
  };
  const referredPChainHeight = (): bigint | undefined => {
    // Anyone can send a block with any P-Chain height. Refused blocks count only while most of the stake has blocks that this node lacks.
    const refusedHeight = started.lag() === undefined ? undefined : refused.unknownPChainHeight(started.bootstrap().height);
    return refusedHeight ?? vm.acceptedPChainHeight();
  };
  return {
    ...running,
    referredPChainHeight,
    engine: { report: () => reportOf(started), isBlockDue: () => !started.isBootstrapping(), stop },
    dataAge: createJoinedAge(started, () => Number(env.clock.unixSeconds()) - readLastTime()),
    joined: { ...started, caughtUp: caughtUp.promise, vertices: openVertexReads(store, spec.id, dag.vertices) },
  };
}

/** How old the data of a joined chain is. `lastBlockAge`: seconds since its last block. Others may have newer data, so it is not ready while its data is old. */
const createJoinedAge = (chain: JoinedChain, lastBlockAge: () => number): DataAge => ({
  seconds: () => (chain.isBootstrapped() ? Math.max(chain.lag()?.milliseconds ?? 0, chain.isolation()) / 1000 : lastBlockAge()),
  problem: () => describeStaleness(chain),
  notReady: () => describeStaleness(chain),
});

/**
 * What the chain was before linearization. The stop vertex is the parent of block 0. Without transactions before it, there is nothing to fetch:
 * it is stored here and served, as AvalancheGo does.
 */
function openDag({ id, genesisBlock }: AvmChainSpec, store: Store, { extendGenesis, state }: OpenedChain, verifier: TxVerifier): Dag {
  const stopVertexID = genesisBlock.parentID;
  const vertices = openVertexStore(store, id, state.txBytes);
  if (stopVertexID === stopVertexId(id) && !vertices.isLinearized()) {
    vertices.add([parseVertex(packVertex({ chainID: id, height: 0n, parentIDs: [], txs: [] }), id)]);
    store.write(() => vertices.markExecuted({ txIDs: [], numbered: [], position: undefined, isLinearized: true }));
  }
  const { step } = createDagExecutor({ vertices, view: state, verifier, extendGenesis });
  return { stopVertexID, vertices, step };
}

/** The time of an upgrade in Unix seconds. */
export const parseUpgradeTime = (text: string): bigint => parseRfc3339(text) as bigint;

/** AvalancheGo: upgrade/upgrade.go; vms/proposervm. */
const outerRules = ({ upgrades }: Network): ChildRules => ({
  durangoTime: parseUpgradeTime(upgrades.durangoTime),
  graniteTime: parseUpgradeTime(upgrades.graniteTime),
  epochSeconds: BigInt(upgrades.graniteEpochDuration) / 1_000_000_000n,
  minPChainHeight: BigInt(upgrades.apricotPhase4MinPChainHeight),
});

const idle: EngineReport = { processingBlocks: 0, longestProcessing: 0, averageAcceptance: 0 };

function reportOf(joined: JoinedChain): EngineReport {
  const engine = joined.engine();
  if (engine === undefined) return idle;
  const { processingBlocks, longestProcessing, averageAcceptance } = engine;
  return { processingBlocks, longestProcessing, averageAcceptance };
}

const interval = 1000;
const limit = Number(chainLimits.behindTime / 1_000_000n);

/** Logs when the chain falls behind most of the stake, with the likely cause, when it has caught up, and when it has another chain than the others. Returns a function that stops it. */
function warnOfLag(
  alias: string,
  chain: Pick<JoinedChainState, 'lag' | 'bootstrap' | 'isBootstrapping' | 'engine'>,
  refused: Pick<RefusedBlocks, 'lastReason'>,
  env: Pick<Env, 'log' | 'timers'>,
): () => void {
  let isWarned = false;
  let wasSplit = false;
  return every(env.timers, interval, () => {
    const isSplit = chain.engine()?.isSplit() ?? false;
    if (isSplit && !wasSplit) env.log(`${alias}: ${splitText}`, 'error');
    wasSplit = isSplit;
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
