import type { JoinConfig } from '../config/join-config.ts';
import { createChainAddressFormat } from '../node/chain-services.ts';
import type { NamedCheck } from '../node/health-checks.ts';
import { createNodeChain, type NodeChains, openIndexedChain, stopChain } from '../node/node-chain.ts';
import type { NodeCore } from '../node/node-core.ts';
import { extraCheck } from '../node/node-health.ts';
import type { NodeStore } from '../node/node-store.ts';
import type { Contribution } from '../node/parts.ts';
import { withImports } from './joined-imports.ts';
import { type JoinedNetwork, openJoinedNetwork } from './joined-network.ts';

/** The X-Chain on a network of peers that this node joins. */
export async function openJoinedChain(
  core: NodeCore,
  store: NodeStore,
  join: JoinConfig,
): Promise<Contribution & { readonly chains: NodeChains; readonly network: JoinedNetwork }> {
  const { config, env, context, identity, parts, stop, writer } = core;
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
  const running = network.runChain(context.specs[0], opening.opened, writer);
  const chain = createNodeChain(running, opening, context);
  const addressFormat = createChainAddressFormat(chain.spec.id, context.chain);
  const avm = withImports(network.imports, context, addressFormat, chain.services.avm);
  const chains: NodeChains = [{ ...chain, services: { ...chain.services, avm } }];
  parts.add({ close: () => stopChain(running) });
  await network.start();
  return {
    chains,
    network,
    metrics: network.registerMetrics,
    checks: context.differences.extraChecks ? extraChecks(network) : [],
    banner: () => ({ peersAt: network.readings.nodeAddress() }),
  };
}

const extraChecks = ({ stakingKeyCheck, validatorsCheck }: JoinedNetwork): NamedCheck[] => [
  extraCheck('stakingkey', stakingKeyCheck),
  ...(validatorsCheck === undefined ? [] : [extraCheck('trusted-validators', validatorsCheck)]),
];
