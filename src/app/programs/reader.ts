import type { Config } from '../config/config.ts';
import { createNetworkContext } from '../node/network-context.ts';
import { ownOrigin } from '../node/node-chain.ts';
import { openNodeStore, soloStore } from '../node/node-store.ts';
import { withParts } from '../node/parts.ts';
import { createProcessMetrics } from '../node/process-metrics.ts';
import { openStoredLabels } from '../node/stored-labels.ts';
import type { Env } from '../platform/env.ts';
import { relayedHealthComponents } from '../processes/relayed-services.ts';
import { serveWriter } from '../processes/writer-link.ts';
import { openNodeAccess } from '../servers/access.ts';
import { createEventParams, createNodeHub, createReaderStreamLimit } from '../servers/event-stream.ts';
import { createRelayedLiveReads } from '../servers/live-reads.ts';
import { openReaderWebhooks } from '../servers/node-webhooks.ts';
import { serveReadOnly } from '../servers/read-only-server.ts';
import { readerRpc } from '../servers/reader-rpc.ts';
import { apisOnMainPort } from '../servers/serve-options.ts';
import { createChainVersionReader, createServedChainsOfNode } from '../servers/served-chains.ts';

/**
 * A reader process: it shares the port, answers reads from the last committed block, and forwards all other calls to the writer process.
 * Answers are of the last commit, so a client that saw a transaction accepted by one process sees it in every process.
 */
export const runReader = (config: Config, env: Env, parent: NonNullable<Env['parent']>): void =>
  serveWriter(env, parent, (message, link) =>
    withParts(link.logError, async (parts) => {
      const { relay, logError } = link;
      const context = createNetworkContext(config, env);
      const store = parts.add(openNodeStore(config, env, context, soloStore, 'read'));
      link.bindClock(context.clock);
      const access = parts.add(await openNodeAccess(config, env, relay));
      const metrics = createProcessMetrics(env);
      const chains = context.specs.map((spec) => ({ spec, origin: ownOrigin, ...store.openChain(spec) }));
      const served = createServedChainsOfNode({
        config,
        context,
        chains,
        builder: message.nodeID,
        liveOf: (id) => createRelayedLiveReads(relay, id),
      });
      const onActive = (isListening: boolean) => link.send({ reader: 'eventsListening', isListening });
      const hub = store.eventLog && createNodeHub(store.eventLog, env, context, openStoredLabels(store.store), { onActive, logError });
      const webhooks = hub && parts.add(openReaderWebhooks(config, env, context, hub, served));
      parts.add(readerRpc(config, env, { context, store, chains, metrics, message, link }));
      await serveReadOnly({
        config,
        env,
        parts,
        index: { served, sealKey: store.pageSecret(), epoch: store.epoch, readChainVersion: createChainVersionReader(chains) },
        access: { gate: access.gate, limiter: access.limiter },
        events: hub && {
          hub,
          params: createEventParams(context, served),
          streamLimit: createReaderStreamLimit(config, env, parent),
          webhooks: webhooks?.management,
        },
        health: relayedHealthComponents(relay, config.data.enabled && apisOnMainPort(config) !== 'metrics' ? 'v1' : 'v2'),
        node: {
          nodeID: message.nodeID,
          differences: context.differences,
          explorerFeatures: { hasLifecycle: true, hasMempool: true },
          onRefused: config.banner === 'none' ? undefined : link.refused.add,
        },
        program: { metrics, longWork: context.chain.longWork, logError, isStopping: link.isStopping },
        recorder: link.recorder,
        listen: { port: message.port, isShared: true, opensOwnPorts: false },
      });
      return {
        families: metrics.registry.families,
        advanceEvents: () => hub?.advance(),
        sendLiveEvent: ({ kind, properties, subject, lastEntry }) =>
          hub?.sendLive(
            kind,
            () => properties,
            subject && (() => subject),
            () => lastEntry,
          ),
        close: parts.close,
      };
    }),
  );
