import type { EngineBlock, Vm } from '../../avm/vm.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { every } from '../../base/timing/timers.ts';
import { startBootstrapper } from '../bootstrap/bootstrapper.ts';
import { type BootstrapProgress, createProgressMeter, type ProgressMeter } from '../bootstrap/progress.ts';
import { type ConnectedValidators, createConnectedValidators } from '../consensus/connected-validators.ts';
import { createEngineCounters, type EngineCounters } from '../consensus/engine-counters.ts';
import type { EngineParameters } from '../consensus/engine-parameters.ts';
import { createGetter, type Getter, type ServedLimits } from '../consensus/getter.ts';
import { createMajorityLagMeter, type MajorityLag } from '../consensus/majority-lag.ts';
import { type EngineState, type SnowmanEngine, startSnowmanEngine } from '../consensus/snowman-engine.ts';
import { type Dag, startDagBootstrapper } from '../dag/dag-bootstrapper.ts';
import type { GossipParameters } from '../gossip/gossip-parameters.ts';
import { type GossipPool, startTxGossip, type TxGossip } from '../gossip/tx-gossip.ts';
import type { MessageKind } from '../messages/message.ts';
import type { ChainHandler, ChainLink } from '../protocol/transport.ts';
import type { ValidatorSet, Validators } from '../protocol/validators.ts';

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
  /** Milliseconds without any peer; 0 while there is one, and for a node that knows of no other node. */
  readonly isolation: () => number;
  readonly networking: () => { readonly percentConnected: number; readonly disconnectedValidators: readonly NodeId[] };
};

/** A chain on a network: it bootstraps, then takes part in consensus, serves peers and gossips transactions. */
export type JoinedChain = JoinedChainState & {
  /** What the transport calls. */
  readonly handler: ChainHandler;
  /** Tells peers of transactions that were issued here. */
  readonly gossip: Pick<TxGossip, 'issued' | 'counters'>;
  readonly stop: () => void;
};

type JoinedChainParts = ChainLink & {
  readonly vm: Vm;
  /** The chain from before linearization; undefined for a chain that always had blocks. */
  readonly dag?: Dag;
  readonly pool: GossipPool;
  readonly validators: Pick<Validators, 'current'>;
  /** Nodes whose majority decides where bootstrapping ends; undefined while they are not known. */
  readonly beacons: () => ValidatorSet | undefined;
  /** Validators of the P-Chain, who may pull transactions; none without sybil protection. */
  readonly stakers: () => ValidatorSet;
  readonly engineParameters: EngineParameters;
  readonly gossipParameters: GossipParameters;
  /** What peers get; AvalancheGo's defaults if left out. */
  readonly served?: ServedLimits;
  /** Most blocks or vertices that are used of one answer. */
  readonly maxReceived?: number;
  /** The system clock, which may be set: times of blocks are compared with it. Durations are measured by `timers`. */
  readonly unixMilliseconds: () => number;
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
  const { chainId, transport, timers, randomBytes, vm, stakers, events } = parts;
  const link: ChainLink = { chainId, transport, timers, randomBytes };
  const connected = createConnectedValidators(transport.self, parts.validators, randomBytes);
  const counters = createEngineCounters();
  const meter = createProgressMeter(timers.now, createHeightReader(vm));
  const getter = createGetter(link, vm, { served: parts.served, stakers, vertices: parts.dag?.vertices });
  const gossip = startTxGossip(link, {
    pool: parts.pool,
    connected,
    stakers,
    parameters: parts.gossipParameters,
    onError: events.onWarning,
  });
  const lagMeter = createMajorityLagMeter();
  /** When the last peer was lost, or the start; undefined while there are peers. */
  let peerLostAt: number | undefined = timers.now();
  let isStopped = false;

  const stop = (): void => {
    isStopped = true;
    stopCatchUp();
    phases.current().stop();
    gossip.stop();
    getter.stop();
  };
  const stopWith = (error: unknown): void => {
    if (isStopped) return;
    stop();
    events.onFatal(error);
  };
  const phases = startPhases(link, parts, connected, counters, meter, () => isStopped, stopWith);
  /** Measures how far most of the stake is ahead, and bootstraps again if that is far. */
  const catchUp = (): void => {
    const state = phases.engine()?.state();
    const now = timers.now();
    const { height, tipHeight = 0n } = meter.read();
    // While it bootstraps again, the beacons name the tip.
    const majority = state?.majority() ?? { height: phases.isBootstrapped() ? tipHeight : 0n, heardAt: now };
    lagMeter.observe(majority, height, now);
    if (state !== undefined && majority.height > state.lastAccepted.height + maxBehind) phases.bootstrapAgain();
  };
  const stopCatchUp = every(timers, behindInterval, catchUp);

  const receive: ChainHandler['receive'] = (from, message, hold) => {
    if (isStopped || getter.receive(from, message, hold)) return;
    // Transactions are verified on the tip: while the chain bootstraps they would be refused.
    if (isGossip(message.kind)) {
      if (phases.engine() !== undefined) gossip.receive(from, message, hold);
    } else phases.current().receive(from, message, hold);
  };

  return {
    handler: {
      receive,
      failed: (from, failedId, response) => {
        if (!isStopped && response !== 'appResponse') phases.current().failed(from, failedId, response);
      },
      connected: (node) => {
        connected.connected(node);
        if (node !== transport.self) peerLostAt = undefined;
      },
      disconnected: (node) => {
        connected.disconnected(node);
        if (connected.peers().length === 0) peerLostAt = timers.now();
        getter.disconnected(node);
        gossip.disconnected(node);
      },
    },
    gossip,
    isBootstrapped: phases.isBootstrapped,
    isBootstrapping: () => phases.engine() === undefined,
    bootstrap: meter.read,
    engine: () => phases.engine()?.state(),
    counters,
    served: getter.served,
    lag: () => lagMeter.read(timers.now()),
    isolation: () => {
      // Read for every answer of the APIs: without peers only, the beacons are looked through.
      if (peerLostAt === undefined) return 0;
      const knowsOthers = [...(parts.beacons()?.keys() ?? [])].some((node) => node !== transport.self);
      return knowsOthers ? timers.now() - peerLostAt : 0;
    },
    networking: () => ({ percentConnected: connected.share(), disconnectedValidators: connected.missing() }),
    stake: () => {
      const weights = [...parts.validators.current().values()];
      return { validators: weights.length, weight: weights.reduce((sum, weight) => sum + weight, 0n) };
    },
    stop,
  };
}

/** Reads the height of the last accepted block, which is asked for several times a second: a block is read and decoded once. */
function createHeightReader(vm: Pick<Vm, 'lastAccepted' | 'block'>): () => bigint {
  let last: { readonly id: Id; readonly height: bigint } | undefined;
  return () => {
    const id = vm.lastAccepted();
    if (last?.id !== id) last = { id, height: vm.block(id)?.height ?? 0n };
    return last.height;
  };
}

/** What a chain on a network does, one after the other: it fetches and executes the DAG unless it is linearized, bootstraps, runs the engine. */
function startPhases(
  link: ChainLink,
  { vm, dag, validators, beacons, engineParameters, maxReceived, unixMilliseconds, events }: JoinedChainParts,
  connected: ConnectedValidators,
  counters: EngineCounters,
  meter: ProgressMeter,
  isStopped: () => boolean,
  onFatal: (error: unknown) => void,
) {
  const { peers, isConnected } = connected;
  let requestId = 0;
  const nextRequestId = (): number => {
    requestId = (requestId + 1) >>> 0;
    return requestId;
  };
  const onRetry = (error: unknown): void => events.onWarning(error);
  let phase: Pick<SnowmanEngine, 'receive' | 'failed' | 'stop'>;
  let engine: SnowmanEngine | undefined;
  let isBootstrapped = false;

  const bootstrap = (): void => {
    vm.setBootstrapping(true);
    phase = startBootstrapper(link, {
      vm,
      beacons,
      isConnected,
      peers,
      nextRequestId,
      meter,
      maxReceived,
      onFinished: runEngine,
      onRetry,
      onFatal,
    });
  };
  const runEngine = (): void => {
    vm.setBootstrapping(false);
    const wasBootstrapped = isBootstrapped;
    isBootstrapped = true;
    const onInvalid = (block: EngineBlock | undefined, error: unknown): void => events.onWarning(error, block);
    engine = startSnowmanEngine(link, {
      ...{ vm, validators, connected, nextRequestId, parameters: engineParameters, counters, unixMilliseconds },
      ...{ onInvalid, onFatal },
    });
    phase = engine;
    if (!wasBootstrapped) events.onBootstrapped();
  };
  if (dag === undefined || dag.vertices.isLinearized()) bootstrap();
  else {
    vm.setBootstrapping(true);
    phase = startDagBootstrapper(link, { dag, peers, nextRequestId, meter, maxReceived, onFinished: bootstrap, onRetry, onFatal });
  }

  return {
    current: () => phase,
    /** Undefined while the chain bootstraps. */
    engine: () => engine,
    isBootstrapped: () => isBootstrapped,
    /** Leaves the engine, which rejects the blocks that it has not decided. */
    bootstrapAgain: (): void => {
      const left = engine;
      engine = undefined;
      left?.stopAndReject().then(() => void (isStopped() || bootstrap()), onFatal);
    },
  };
}

const isGossip = (kind: MessageKind): boolean =>
  kind === 'appRequest' || kind === 'appGossip' || kind === 'appResponse' || kind === 'appError';
