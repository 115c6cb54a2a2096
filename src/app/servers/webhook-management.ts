import type { EventHub } from '../../api/events/hub.ts';
import { createDevAccess, type DevAccess } from '../../api/http/dev-access.ts';
import type { ParamContext } from '../../api/rest/param.ts';
import type { TargetPolicy } from '../../api/webhooks/target-policy.ts';
import type { WebhookDeps } from '../../api/webhooks/webhook-routes.ts';
import type { WebhookStore } from '../../api/webhooks/webhook-store.ts';
import { isLoopbackHost } from '../../base/bytes/ip-address.ts';
import type { Config } from '../config/config.ts';
import type { TimeEnv } from '../platform/env.ts';
import type { WebhookManagement } from './api.ts';

/** Where webhooks may send requests: a developer's chain also to this machine, other servers to public addresses only. */
export const targetPolicyOf = (
  { webhookPrivateTargets, publicApi }: Pick<Config, 'webhookPrivateTargets' | 'publicApi'>,
  { isDevChain }: { readonly isDevChain: boolean },
): TargetPolicy => (webhookPrivateTargets ? 'private' : isDevChain && !publicApi ? 'loopback' : 'public');

/**
 * What the routes of webhooks need. On a server that other machines can reach, or a public one, the operator needs the token of `--dev-token`; callers
 * with an API key manage those of the key. Undefined where nobody may use them: such a server without a token and without keys.
 */
export function createWebhookManagement(
  config: Pick<Config, 'devToken' | 'publicApi' | 'http' | 'dataDir' | 'database'>,
  env: TimeEnv,
  {
    store,
    hub,
    context,
    policy,
    formatAddress,
    onChanged,
  }: {
    readonly store: () => Promise<WebhookStore>;
    readonly hub: Pick<EventHub, 'position'>;
    readonly context: ParamContext;
    readonly policy: TargetPolicy;
    readonly formatAddress: WebhookDeps['formatAddress'];
    readonly onChanged: () => void;
  },
): WebhookManagement | undefined {
  const { devToken, publicApi, http } = config;
  const hasOperator = devToken !== undefined || (!publicApi && isLoopbackHost(http.host));
  // Keys are stored in the data directory or in PostgreSQL.
  if (!hasOperator && config.dataDir === undefined && config.database === undefined) return undefined;
  return {
    store,
    context,
    policy,
    formatAddress,
    onChanged,
    position: hub.position,
    random: env.random,
    now: () => Number(env.clock.unixSeconds()),
    operators: hasOperator ? createDevAccess(devToken) : keysOnly,
  };
}

const keysOnly: DevAccess = {
  isAllowed: () => false,
  refusal: 'send an API key in the header X-Service-API-Key: it manages its own webhooks; the operator of this server needs --dev-token',
};
