import { createCallerResolver } from '../../api/access/forwarded-caller.ts';
import type { AccessDecision, Gate } from '../../api/access/gate.ts';
import type { AdmitCalls } from '../../api/http/router.ts';
import type { Config } from '../config/config.ts';

/**
 * Limits the Node RPC by address with `--public-api`, where rate limits apply. Calls that another process of the node passes on were counted
 * there.
 */
export function createRpcLimit({ publicApi, access }: Pick<Config, 'publicApi' | 'access'>, gate: Gate): AdmitCalls | undefined {
  if (!publicApi || !access.rateLimits) return undefined;
  const callerOf = createCallerResolver(access.trustedProxies);
  const toRefusal = (decision: AccessDecision) => (decision.admitted ? undefined : decision);
  return (request, calls) => {
    if (request.remoteAddress === undefined) return undefined;
    const decision = gate.admit({ api: 'node', route: undefined, isPublic: false, key: undefined, caller: callerOf(request), calls });
    return decision instanceof Promise ? decision.then(toRefusal) : toRefusal(decision);
  };
}
