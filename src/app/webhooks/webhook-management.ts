import type { EventHub } from '../../api/events/hub.ts';
import { createDevAccess } from '../../api/http/dev-access.ts';
import type { ParamContext } from '../../api/rest/param.ts';
import type { TargetPolicy } from '../../api/webhooks/target-policy.ts';
import type { WebhookDeps } from '../../api/webhooks/webhook-routes.ts';
import type { WebhookStore } from '../../api/webhooks/webhook-store.ts';
import { isLoopbackHost } from '../../base/bytes/ip-address.ts';
import type { Config } from '../config/config.ts';
import type { WebhookManagement } from '../servers/api.ts';
import type { TimeEnv } from '../setup/env.ts';

/** Where webhooks may send requests: a developer's chain also to this machine, other servers to public addresses only. */
export const targetPolicyOf = (
  { webhookPrivateTargets, publicApi }: Pick<Config, 'webhookPrivateTargets' | 'publicApi'>,
  isDevChain: boolean,
): TargetPolicy => (webhookPrivateTargets ? 'private' : isDevChain && !publicApi ? 'loopback' : 'public');

type ManagementParts = {
  readonly store: () => Promise<WebhookStore>;
  readonly hub: Pick<EventHub, 'position'>;
  readonly context: ParamContext;
  readonly policy: TargetPolicy;
  readonly formatAddress: WebhookDeps['formatAddress'];
  readonly onChanged: () => void;
};

/**
 * What the routes of webhooks need. Undefined where nobody may use them: a server that other machines can reach, or a public one, has them
 * for callers with the token of `--dev-token` only.
 */
export function createWebhookManagement(
  config: Pick<Config, 'devToken' | 'publicApi' | 'http'>,
  env: TimeEnv,
  { hub, ...parts }: ManagementParts,
): WebhookManagement | undefined {
  const { devToken, publicApi, http } = config;
  if (devToken === undefined && (publicApi || !isLoopbackHost(http.host))) return undefined;
  return {
    ...parts,
    position: hub.position,
    random: env.random,
    now: () => Number(env.clock.unixSeconds()),
    operators: createDevAccess(devToken),
  };
}
