import { createCallerResolver } from '../../api/access/forwarded-caller.ts';
import type { Gate } from '../../api/access/gate.ts';
import { createStreamLimit, type MemoryStreamLimit, maxStreamsPerClient, type StreamLimit } from '../../api/access/stream-limit.ts';
import type { Labels } from '../../api/dev/labels.ts';
import type { BlockWithSpent, EventLog, KnownBlocks } from '../../api/events/event-log.ts';
import { createEventPositionRoute, createEventsRoute, eventPositionPath, eventsPath } from '../../api/events/events-route.ts';
import type { EventParamContext } from '../../api/events/filter.ts';
import { createEventHub, type EventHub, type HubDeps, type LiveKind } from '../../api/events/hub.ts';
import { type ChainText, outputsOf, subjectOf } from '../../api/events/render-entry.ts';
import { renderProperties, type StreamEvent } from '../../api/events/stream-event.ts';
import type { HttpRoute } from '../../api/http/router.ts';
import { createParamContext } from '../../api/rest/addresses.ts';
import { paramContextFor } from '../../api/rest/chain-name.ts';
import type { ServedChains } from '../../api/rest/served-chains.ts';
import type { FindUtxo } from '../../api/summary/summarize-tx.ts';
import type { Tx } from '../../avm/tx/tx.ts';
import { refId } from '../../avm/tx/utxo.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import { createCache } from '../../base/cache/cache.ts';
import type { MetricRegistry } from '../../base/metrics/registry.ts';
import type { EventOf } from '../../chain/lifecycle/events.ts';
import type { StoredBlock } from '../../ledger/state/block-change.ts';
import type { Config } from '../config/config.ts';
import { countReaders } from '../node/cache-budget.ts';
import { createChainAddressFormat } from '../node/chain-services.ts';
import type { NetworkContext } from '../node/network-context.ts';
import type { NodeChains } from '../node/node-chain.ts';
import type { NodeCore } from '../node/node-core.ts';
import type { NodeStore } from '../node/node-store.ts';
import type { Env, TimeEnv } from '../platform/env.ts';
import type { Channel } from '../platform/node-processes.ts';
import { createRelayedStreamLimit } from '../processes/relayed-streams.ts';

/** The limit of a process that does not share it with others; undefined if callers are not limited. */
export const createStreamLimitOf = ({ access }: Pick<Config, 'access'>): MemoryStreamLimit | undefined =>
  access.rateLimits ? createStreamLimit(maxStreamsPerClient) : undefined;

/** The limit of a reader process, which shares it with the other processes of its node. */
export const createReaderStreamLimit = (config: Pick<Config, 'access' | 'workers'>, env: Env, channel: Channel): StreamLimit | undefined =>
  config.access.rateLimits
    ? createRelayedStreamLimit(channel, env.timers.after, { max: maxStreamsPerClient, processes: countReaders(config, env) + 1 })
    : undefined;

/** The routes of the event stream, with their paths. */
export function createEventsRoutesOf(
  hub: EventHub,
  {
    config,
    gate,
    context,
    streamLimit,
  }: {
    readonly config: Pick<Config, 'access'>;
    readonly gate: Gate;
    readonly context: EventParamContext;
    readonly streamLimit: StreamLimit | undefined;
  },
): readonly (readonly [string, HttpRoute])[] {
  const caller = createCallerResolver(config.access.trustedProxies);
  return [
    [eventsPath, createEventsRoute({ hub, gate, context, caller, streamLimit })],
    [eventPositionPath, createEventPositionRoute({ hub, gate, caller })],
  ];
}

/** Shows how many clients the event stream of a process has; webhooks are such clients. */
export const registerEventClients = (registry: MetricRegistry, { size }: Pick<EventHub, 'size'>): void =>
  registry.addReading('gauge', 'serac_event_clients', 'Clients of the event stream, and webhooks.', size);

/** Reads addresses and assets in filters of a node's event stream. */
export function createEventParams({ chain, specs }: NetworkContext, served: ServedChains | undefined): EventParamContext {
  const aliases = new Map(specs[0].genesis.assets.map(({ alias, tx }) => [alias, tx.id]));
  const params = served === undefined ? createParamContext(chain.network.hrp) : paramContextFor(served);
  return { ...params, asset: (alias) => aliases.get(alias) };
}

/** Creates the hub of a process of a node, writer or reader. */
export function createNodeHub(
  log: EventLog,
  env: TimeEnv,
  { chain, specs }: NetworkContext,
  labels: Labels | undefined,
  more: Pick<HubDeps, 'known' | 'onActive' | 'logError'>,
): EventHub {
  const texts = new Map(
    specs.map(({ id, aliases: [alias] }): [Id, ChainText] => [
      id,
      { alias, json: { address: createChainAddressFormat(id, chain).format, id: idText }, labels: labels?.all },
    ]),
  );
  return createEventHub({
    log,
    textOf: (chainID) => texts.get(chainID) as ChainText,
    timers: env.timers,
    longWork: chain.longWork,
    ...more,
  });
}

/** The event stream of a node that writes blocks, in this process and in the reader processes; undefined with --strict. `labels`: of a developer's chain. */
export function openEventStream(
  { config, env, context, bus, readers, logError }: NodeCore,
  { eventLog: log, onReverted }: NodeStore,
  chains: NodeChains,
  labels: Labels | undefined,
): EventHub | undefined {
  if (log === undefined) return undefined;
  const findUtxo = (chainID: Id): FindUtxo => chains.find(({ spec }) => spec.id === chainID)?.findUtxo ?? (() => undefined);
  const blocks = createRecentBlocks();
  const hub = createNodeHub(log, env, context, labels, {
    known: blocks.get,
    logError,
    onActive: (isActive) => !isActive && blocks.clear(),
  });
  let isScheduled = false;
  /** Readers are notified once for all commits of a turn. */
  const advance = (): void => {
    hub.advance();
    if (isScheduled || !readers.hasListeners()) return;
    isScheduled = true;
    env.timers.soon(() => {
      isScheduled = false;
      readers.sendToListeners({ reader: 'eventsAdvanced' });
    });
  };
  const sendLive = (kind: LiveKind, properties: () => string, subject?: () => NonNullable<StreamEvent['subject']>): void => {
    hub.sendLive(kind, properties, subject, log.lastNumber);
    if (readers.hasListeners())
      readers.sendToListeners({ reader: 'liveEvent', kind, properties: properties(), subject: subject?.(), lastEntry: log.lastNumber() });
  };
  const sendMempool = ({ chainID, tx }: { chainID: Id; tx: Tx }, action: 'in' | 'out', reason?: EventOf<'dropped'>['reason']): void => {
    const properties = () =>
      renderProperties({
        chain: context.chain.aliases.primary(chainID),
        chainID: idText(chainID),
        action,
        txID: idText(tx.id),
        txType: tx.unsigned.kind,
        sizeBytes: tx.bytes.length,
        reason: reason && { code: reason.fault.code, message: reason.message },
      });
    sendLive('mempool', properties, () => subjectOf(outputsOf(tx, findUtxo(chainID))));
  };
  bus.subscribe('accepted', ({ stored }) => {
    if (hub.size() > 0) blocks.add(stored);
    advance();
  });
  onReverted(advance);
  bus.subscribe('pooled', (event) => sendMempool(event, 'in'));
  bus.subscribe('dropped', (event) => sendMempool(event, 'out', event.reason));
  // A public endpoint does not show health and clock of the node.
  if (config.publicApi) return hub;
  bus.subscribe('time', ({ time, offset, isFrozen }) =>
    sendLive('time', () => renderProperties({ time: Number(time), offset: Number(offset), frozen: isFrozen })),
  );
  bus.subscribe('settings', ({ changed }) => sendLive('settings', () => renderProperties({ changed })));
  bus.subscribe('calls', ({ last }) => sendLive('calls', () => renderProperties({ last })));
  bus.subscribe('health', ({ check, error, isHealthy }) =>
    sendLive('health', () => renderProperties({ healthy: isHealthy, check, error })),
  );
  return hub;
}

/** The last accepted blocks with the outputs that they spend, so that the hub need not read them again. */
function createRecentBlocks() {
  let clears = 0;
  const recent = createCache<Id, BlockWithSpent>('recentBlocks', { size: blockSize, version: () => clears });
  const get: KnownBlocks = (blockID) => recent.get(blockID);
  return {
    get,
    add: ({ block, consumed, created }: StoredBlock): void => {
      const spent = new Map([...consumed, ...created].map(({ utxo }) => [utxo.id, utxo]));
      recent.set(block.id, { block, spent: (ref) => spent.get(refId(ref)) });
    },
    clear: () => {
      clears++;
    },
  };
}

/** Bytes in memory of a decoded block with its outputs, per byte of the block. */
const decodedFactor = 12;
const blockSize = (_: Id, { block }: BlockWithSpent): number => block.bytes.length * decodedFactor;
