import { isPublicNetwork } from '../../avm/network.ts';
import { stripCredentials } from '../../base/log/log.ts';
import type { EventBus } from '../../chain/lifecycle/events.ts';
import type { Config } from '../config/config.ts';
import { FlagError } from '../config/flag-source.ts';
import { openChainSnapshots } from '../dev/chain-snapshots.ts';
import { createFollowCheck } from '../node/health-checks.ts';
import type { NetworkContext } from '../node/network-context.ts';
import { createNodeChain, type NodeChains, openIndexedChain, stopChain } from '../node/node-chain.ts';
import type { NodeCore } from '../node/node-core.ts';
import { extraCheck } from '../node/node-health.ts';
import type { NodeStore } from '../node/node-store.ts';
import type { Contribution } from '../node/parts.ts';
import { describeFollowedChain, startFollowedChain } from './follow.ts';

/** The X-Chain of a node whose blocks come from another node. */
export async function openFollowedChain(
  { config, env, context, bus, parts, chainDeps }: NodeCore,
  store: NodeStore,
  url: string,
): Promise<Contribution & { readonly chains: NodeChains }> {
  const opening = openIndexedChain(store, context.specs[0], env);
  const reorgs = openReorgs(config, store, opening, context, bus);
  const { running, follower, backfillRevision } = await startFollowedChain(url, env, context, opening.opened, chainDeps, reorgs);
  parts.add({ close: () => stopChain(running) });
  return {
    chains: [createNodeChain({ running, opening, context, origin: describeFollowedChain(follower, env), backfillRevision })],
    checks: context.differences.extraChecks ? [extraCheck('follow', createFollowCheck(follower.status))] : [],
    banner: () => ({ following: stripCredentials(url) }),
  };
}

/**
 * Keeps the states after the last blocks, in the way `dev.reorg` of a developer's chain does. Blocks of a public network are final: a node that has
 * others there is not to be believed.
 */
function openReorgs(
  { reorgDepth: depth, network }: Config,
  store: NodeStore,
  { opened, catchUpIndex }: ReturnType<typeof openIndexedChain>,
  { specs: [spec], chain: { longWork } }: NetworkContext,
  events: EventBus,
) {
  const isPublic = isPublicNetwork(network.id);
  if (isPublic && depth > 0)
    throw new FlagError(`--reorg-depth: blocks of ${network.name} are final; it is for followers of a developer's chain`, {
      code: 'FLAG_CLASH',
      flag: 'reorg-depth',
    });
  const { initialize, state } = opened;
  const followed = { spec, lastAccepted: state.lastAccepted, initialize, catchUpIndex };
  const snapshots = openChainSnapshots({ nodeStore: store, chains: [followed], events, parts: [], longWork, reorgDepth: depth });
  if (depth === 0) return { depth, remedy: isPublic ? undefined : reorgRemedy };
  return {
    depth,
    remedy: tooDeepRemedy,
    keptStates: {
      lowestHeight: () => BigInt(snapshots.lowestBlock() ?? Number(state.lastAccepted().height)),
      revertTo: (height: bigint) => snapshots.revertToBlock(Number(height)),
    },
  };
}

const startAgain = 'start again with an empty data directory, or without one';
const reorgRemedy = `if the node is a developer's chain, ${startAgain}; with --reorg-depth 64 this node then goes back with it`;
const tooDeepRemedy = `this node goes back by the --reorg-depth blocks that it has stored since its start; ${startAgain}`;
