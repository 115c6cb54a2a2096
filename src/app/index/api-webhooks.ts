import type { EventHub } from '../../api/events/hub.ts';
import type { ServedChains } from '../../api/rest/served-chains.ts';
import { createWebhookStore } from '../../api/webhooks/webhook-store.ts';
import { createAddressFormatter } from '../../base/bytes/address.ts';
import { createApiEventParams } from '../../cluster/api-server/api-events.ts';
import type { PrimarySql } from '../../cluster/hosts/primary-sql.ts';
import type { Config } from '../config/config.ts';
import type { Contribution } from '../node/parts.ts';
import type { Env } from '../platform/env.ts';
import type { WebhookManagement } from '../servers/api.ts';
import { createWebhookManagement, targetPolicyOf } from '../servers/webhook-management.ts';

/**
 * Lets `serac api` (programs/api.ts, its only caller) register and list webhooks in PostgreSQL; `serac index` sends the events to them. The
 * result is a part of the process: it is closed with it, and closes `sql`.
 */
export function openApiWebhooks(
  config: Config,
  env: Env,
  sql: PrimarySql,
  hub: EventHub,
  served: ServedChains,
): Contribution & { readonly management: WebhookManagement | undefined } {
  const store = createWebhookStore(sql);
  // Addresses of webhooks are shown as those of the X-Chain, which is the first chain.
  const [{ aliases }] = served.chains;
  const formatAddress = createAddressFormatter(aliases[0], served.network.hrp);
  const management = createWebhookManagement(config, env, {
    hub,
    store: async () => store,
    context: createApiEventParams(served),
    // Only a developer's chain may send to this machine without a flag.
    policy: targetPolicyOf(config, { isDevChain: false }),
    formatAddress: () => formatAddress,
    // `serac index` looks for changes once a second.
    onChanged: () => {},
  });
  return { management, close: sql.close };
}
