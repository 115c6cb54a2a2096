import type { EventHub } from '../../api/events/hub.ts';
import type { ServedChains } from '../../api/rest/served-chains.ts';
import type { RunnerDeps } from '../../api/webhooks/hook-runner.ts';
import type { Config } from '../config/config.ts';
import { createChainAddressFormat } from '../node/chain-services.ts';
import type { NetworkContext } from '../node/network-context.ts';
import type { NodeCore } from '../node/node-core.ts';
import { extraCheck } from '../node/node-health.ts';
import type { Contribution } from '../node/parts.ts';
import { checkDeliveries, registerDeliveryMetrics, startWebhookDelivery } from '../node/webhook-delivery.ts';
import type { Env } from '../platform/env.ts';
import type { WebhookManagement } from './api.ts';
import { createEventParams } from './event-stream.ts';
import { openWebhookDatabase, openWebhooksOnUse } from './webhook-database.ts';
import { createWebhookManagement, targetPolicyOf } from './webhook-management.ts';

type NodeWebhooks = Contribution & { readonly management: WebhookManagement | undefined };

/** The webhooks of a node: this process, which writes the blocks, delivers; reader processes manage them too. */
export async function openNodeWebhooks(
  { config, env, context, logError }: NodeCore,
  hub: EventHub,
  served: ServedChains | undefined,
): Promise<NodeWebhooks> {
  const formatAddress = createFormats(context);
  const policy = targetPolicyOf(config, { isDevChain: config.mode.kind === 'solo' });
  const database = await openWebhookDatabase(config, env, false);
  // In memory there is one connection. On disk a webhook must not be lost that its creator was told of.
  const managed = config.store === 'memory' ? { store: async () => database.store, close: async () => {} } : openWebhooksOnUse(config, env);
  const deliverer = startWebhookDelivery(env, { store: database.store, hub, policy, formatAddress, logError });
  return {
    management: createWebhookManagement(config, env, {
      hub,
      policy,
      formatAddress,
      store: managed.store,
      context: createEventParams(context, served),
      onChanged: deliverer.refresh,
    }),
    checks: [extraCheck('webhooks', () => checkDeliveries(deliverer.read()))],
    metrics: (registry) => registerDeliveryMetrics(registry, deliverer.read),
    close: async () => {
      await deliverer.close();
      database.close();
      await managed.close();
    },
  };
}

/** The webhooks as a reader process manages them: in the file that the writer process delivers from. */
export function openReaderWebhooks(
  config: Config,
  env: Env,
  context: NetworkContext,
  hub: EventHub,
  served: ServedChains | undefined,
): NodeWebhooks {
  const { store, close } = openWebhooksOnUse(config, env);
  const management = createWebhookManagement(config, env, {
    hub,
    policy: targetPolicyOf(config, { isDevChain: config.mode.kind === 'solo' }),
    formatAddress: createFormats(context),
    store,
    context: createEventParams(context, served),
    // The writer process looks for changes once a second.
    onChanged: () => {},
  });
  return { management, close };
}

function createFormats({ specs, chain }: NetworkContext): RunnerDeps['formatAddress'] {
  const formats = new Map(specs.map(({ id }) => [id, createChainAddressFormat(id, chain).format]));
  const first = createChainAddressFormat(specs[0].id, chain).format;
  return (chainID) => formats.get(chainID) ?? first;
}
