import type { EngineBlock, Vm } from '../../avm/vm.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { every } from '../../base/timing/timers.ts';
import { startBootstrapper } from '../bootstrap/bootstrapper.ts';
import { type BootstrapProgress, createProgressMeter } from '../bootstrap/progress.ts';
import { createConnectedValidators } from '../consensus/connected-validators.ts';
import { createEngineCounters, type EngineCounters } from '../consensus/counters.ts';
import type { EngineParameters } from '../consensus/engine-parameters.ts';
import type { EngineState } from '../consensus/engine-state.ts';
import { createGetter, type Getter, type ServedLimits } from '../consensus/getter.ts';
import { type SnowmanEngine, startSnowmanEngine } from '../consensus/snowman-engine.ts';
import { type Dag, startDagBootstrapper } from '../dag/dag-bootstrapper.ts';
import type { GossipParameters } from '../gossip/gossip-parameters.ts';
import type { GossipPool } from '../gossip/gossip-pool.ts';
import { startTxGossip, type TxGossip } from '../gossip/tx-gossip.ts';
import type { MessageKind } from '../messages/message.ts';
import type { ChainHandler, ChainLink } from '../protocol/transport.ts';
import type { ValidatorSet, Validators } from '../protocol/validators.ts';
import { createMajorityLagMeter, type MajorityLag } from './majority-lag.ts';

/** What health checks and metrics read of a chain on a network. */
export type JoinedChainState = {
  /** Latches: stays true if the chain falls behind later and catches up by bootstrapping. */
  readonly isBootstrapped: () => boolean;
  readonly bootstrap: () => BootstrapProgress;
  /** Whether the chain bootstraps, for the first time or because it fell behind. */
  readonly isBootstrapping: () => boolean;
  /** The engine in normal operation; undefined while the chain bootstraps. */
  readonly engine: () => EngineState | undefined;
  readonly counters: EngineCounters;
  readonly served: Getter['served'];
  /** The validators of the chain and their stake. */
  readonly stake: () => { readonly validators: number; readonly weight: bigint };
  /** How far the chain is behind the majority since it first bootstrapped; undefined while it has all of its blocks. */
  readonly lag: () => MajorityLag | undefined;
  readonly networking: () => { readonly percentConnected: number; readonly disconnectedValidators: readonly NodeId[] };
};

/** A chain on a network: it bootstraps, then takes part in consensus, serves peers and gossips transactions. */
export type JoinedChain = JoinedChainState & {
  /** What the transport calls. */
  readonly handler: ChainHandler;
  /** Tells peers of transactions that were issued here. */
  readonly gossip: Pick<TxGossip, 'issued' | 'counters'>;
  readonly isBlockDue: () => boolean;
  readonly stop: () => void;
};

type JoinedChainParts = ChainLink & {
  readonly vm: Vm;
  /** The chain from before linearization; undefined for a chain that always had blocks. */
  readonly dag?: Dag;
  readonly pool: GossipPool;
  readonly validators: Pick<Validators, 'current'>;
  /** Nodes whose majority decides where bootstrapping ends. */
  readonly beacons: () => ValidatorSet;
  /** Validators of the P-Chain, who may pull transactions; none without sybil protection. */
  readonly stakers: () => ValidatorSet;
  readonly engineParameters: EngineParameters;
  readonly gossipParameters: GossipParameters;
  /** What peers get; AvalancheGo's defaults if left out. */
  readonly served?: ServedLimits;
  readonly maxReceivedBlocks?: number;
  readonly events: ChainEvents;
};

type ChainEvents = {
  /** The chain has reached the tip for the first time. */
  readonly onBootstrapped: () => void;
  /** Bootstrapping tries again, or a block was refused or could not be built. */
  readonly onWarning: (error: unknown, block?: EngineBlock) => void;
  /** The chain has stopped: a decided block could not be executed. */
  readonly onFatal: (error: unknown) => void;
};

/** An engine so many blocks behind the majority bootstraps again: it would fetch them one by one. */
const maxBehind = 256n;
const behindInterval = 1000;

export function startJoinedChain(parts: JoinedChainParts): JoinedChain {
  const { chainId, vm, transport, timers, randomBytes, events } = parts;
  const connected = createConnectedValidators(transport.self, parts.validators, randomBytes);
  const counters = createEngineCounters();
  const meter = createProgressMeter(timers.now, () => vm.block(vm.lastAccepted())?.height ?? 0n);
  const { dag } = parts;
  const getter = createGetter({ ...parts, ...(dag && { vertices: dag.vertices }) });
  const gossip = startTxGossip({ ...parts, connected, parameters: parts.gossipParameters, onError: events.onWarning });
  let requestId = 0;
  const nextRequestId = (): number => {
    requestId = (requestId + 1) >>> 0;
    return requestId;
  };
  const lagMeter = createMajorityLagMeter();
  let phase: Pick<SnowmanEngine, 'receive' | 'failed' | 'stop'>;
  let engine: SnowmanEngine | undefined;
  let isBootstrapped = false;
  let isStopped = false;

  /** Fetches and executes the DAG first, unless the chain is linearized. */
  const linearize = (): void => {
    if (dag === undefined || dag.vertices.isLinearized()) {
      bootstrap();
      return;
    }
    vm.setBootstrapping(true);
    phase = startDagBootstrapper({
      chainId,
      dag,
      transport,
      peers: connected.peers,
      timers,
      randomBytes,
      nextRequestId,
      meter,
      ...(parts.maxReceivedBlocks !== undefined && { maxReceivedVertices: parts.maxReceivedBlocks }),
      onFinished: bootstrap,
      onRetry: events.onWarning,
      onFatal: stopWith,
    });
  };
  const bootstrap = (): void => {
    vm.setBootstrapping(true);
    phase = startBootstrapper({
      chainId,
      vm,
      transport,
      beacons: parts.beacons,
      isConnected: connected.isConnected,
      peers: connected.peers,
      timers,
      randomBytes,
      nextRequestId,
      meter,
      ...(parts.maxReceivedBlocks !== undefined && { maxReceivedBlocks: parts.maxReceivedBlocks }),
      onFinished: runEngine,
      onRetry: events.onWarning,
      onFatal: stopWith,
    });
  };
  const runEngine = (): void => {
    vm.setBootstrapping(false);
    const wasBootstrapped = isBootstrapped;
    isBootstrapped = true;
    engine = startSnowmanEngine({
      ...parts,
      connected,
      nextRequestId,
      parameters: parts.engineParameters,
      counters,
      onInvalid: (block, error) => events.onWarning(error, block),
      onFatal: stopWith,
    });
    phase = engine;
    if (!wasBootstrapped) events.onBootstrapped();
  };
  /** Measures how far most of the stake is ahead, and bootstraps again if that is far. */
  const catchUp = (): void => {
    const state = engine?.state();
    const now = timers.now();
    const majority = { height: state?.majorityHeight ?? 0n, heardAt: state?.majorityHeardAt ?? now };
    lagMeter.observe(majority, meter.read().height, now);
    if (engine === undefined || state === undefined || state.majorityHeight <= state.lastAccepted.height + maxBehind) return;
    const left = engine;
    engine = undefined;
    left.stopAndReject().then(() => {
      if (!isStopped) bootstrap();
    }, stopWith);
  };
  const stop = (): void => {
    isStopped = true;
    stopCatchUp();
    phase.stop();
    gossip.stop();
    getter.stop();
  };
  function stopWith(error: unknown): void {
    if (isStopped) return;
    stop();
    events.onFatal(error);
  }

  const stopCatchUp = every(timers, behindInterval, catchUp);
  linearize();
  const receive: ChainHandler['receive'] = (from, message, hold) => {
    if (isStopped || getter.receive(from, message, hold)) return;
    // Transactions are verified on the tip: while the chain bootstraps they would be refused.
    if (isGossip(message.kind)) {
      if (engine !== undefined) gossip.receive(from, message, hold);
    } else phase.receive(from, message, hold);
  };

  return {
    handler: {
      receive,
      failed: (from, failedId, response) => {
        if (!isStopped && response !== 'appResponse') phase.failed(from, failedId, response);
      },
      connected: connected.connected,
      disconnected: (node) => {
        connected.disconnected(node);
        getter.disconnected(node);
        gossip.disconnected(node);
      },
    },
    gossip,
    isBootstrapped: () => isBootstrapped,
    isBootstrapping: () => engine === undefined,
    bootstrap: meter.read,
    engine: () => engine?.state(),
    counters,
    served: getter.served,
    lag: () => lagMeter.read(timers.now()),
    networking: () => ({ percentConnected: connected.share(), disconnectedValidators: connected.missing() }),
    stake: () => {
      const weights = [...parts.validators.current().values()];
      return { validators: weights.length, weight: weights.reduce((sum, weight) => sum + weight, 0n) };
    },
    isBlockDue: () => engine?.isBlockDue() ?? false,
    stop,
  };
}

const isGossip = (kind: MessageKind): boolean =>
  kind === 'appRequest' || kind === 'appGossip' || kind === 'appResponse' || kind === 'appError';
