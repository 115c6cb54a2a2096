import { notBootstrapped } from '../../api/http/node-routes.ts';
import type { JoinedChain } from '../../network/joined-chain/joined-chain.ts';
import type { JoinConfig } from '../config/join-config.ts';
import { createChainAddressFormat } from '../node/chain-services.ts';
import type { NamedCheck } from '../node/health-checks.ts';
import { createNodeChain, type NodeChains, openIndexedChain, stopChain } from '../node/node-chain.ts';
import type { NodeCore } from '../node/node-core.ts';
import { extraCheck } from '../node/node-health.ts';
import type { NodeStore } from '../node/node-store.ts';
import type { Contribution } from '../node/parts.ts';
import { fetchesOfImports } from './joined-imports.ts';
import { type JoinedNetwork, openJoinedNetwork } from './joined-network.ts';

/** The X-Chain on a network of peers that this node joins. */
export async function openJoinedChain(
  core: NodeCore,
  store: NodeStore,
  join: JoinConfig,
): Promise<Contribution & { readonly chains: NodeChains; readonly network: JoinedNetwork }> {
  const { config, env, context, identity, parts, stop, chainDeps } = core;
  const network = await openJoinedNetwork(join, {
    config,
    env,
    context,
    identity,
    store,
    onFatal: (reason) => {
      env.log(`${reason}; stopping`, 'fatal');
      stop.stopAfterFailure();
    },
  });
  parts.add({ close: network.close });
  const opening = openIndexedChain(store, context.specs[0], env);
  const running = network.runChain(context.specs[0], opening.opened, chainDeps);
  const exports = network.openExports(opening.opened);
  const chain = createNodeChain({
    running,
    opening,
    context,
    origin: {
      status: () => 'OK',
      unavailable: () => findBootstrapReason(running.joined),
      backfillAddresses: exports?.backfillAddresses,
      foreignImports: exports === undefined ? 'unknown' : 'looked-up',
      vertices: running.joined.vertices,
    },
    fetches: fetchesOfImports(network.imports, context, createChainAddressFormat(running.spec.id, context.chain)),
    backfillRevision: exports?.backfillRevision,
  });
  parts.add({ close: () => stopChain(running) });
  await network.start();
  return {
    chains: [chain],
    network,
    metrics: network.registerMetrics,
    checks: context.differences.extraChecks ? extraChecks(network) : [],
    banner: () => ({ peersAt: network.readings.nodeAddress() }),
  };
}

/** Why a chain on a network of peers does not answer; undefined when it has reached the tip. */
function findBootstrapReason({ isBootstrapping, bootstrap }: Pick<JoinedChain, 'isBootstrapping' | 'bootstrap'>): string | undefined {
  if (!isBootstrapping()) return undefined;
  const { height, tipHeight } = bootstrap();
  return `${notBootstrapped}: it is at height ${height}${tipHeight === undefined ? '' : ` of ${tipHeight}`}`;
}

const extraChecks = ({ stakingKeyCheck, validatorsCheck }: JoinedNetwork): NamedCheck[] => [
  extraCheck('stakingkey', stakingKeyCheck),
  ...(validatorsCheck === undefined ? [] : [extraCheck('trusted-validators', validatorsCheck)]),
];
