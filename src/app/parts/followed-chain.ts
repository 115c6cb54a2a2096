import { startFollowedChain } from '../chains/follow.ts';
import { createFollowCheck } from '../chains/health-checks.ts';
import { createNodeChain, type NodeChains, openIndexedChain, stopChain } from '../chains/node-chain.ts';
import type { NodeStore } from '../setup/node-store.ts';
import { stripCredentials } from '../setup/served-network.ts';
import type { NodeCore } from './node-core.ts';
import { extraCheck } from './node-health.ts';
import type { Contribution } from './parts.ts';

/** The X-Chain of a node whose blocks come from another node. */
export async function openFollowedChain(
  { env, context, writer }: NodeCore,
  store: NodeStore,
  url: string,
): Promise<Contribution & { readonly chains: NodeChains }> {
  const opening = openIndexedChain(store, context.specs[0], env);
  const running = await startFollowedChain(url, env, context, opening.opened, writer);
  const { follower } = running;
  return {
    chains: [createNodeChain(running, opening, context)],
    checks: follower !== undefined && context.differences.extraChecks ? [extraCheck('follow', createFollowCheck(follower.status))] : [],
    banner: () => ({ following: stripCredentials(url) }),
    close: () => stopChain(running),
  };
}
