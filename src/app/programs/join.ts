import type { Config } from '../config/config.ts';
import type { JoinConfig } from '../config/join-config.ts';
import { openJoinedChain } from '../parts/joined-chain.ts';
import { joinedDevMethods } from '../parts/joined-dev-methods.ts';
import { nodeStore, type StartOptions, withNodeCore } from '../parts/node-core.ts';
import { startNodeHealth } from '../parts/node-health.ts';
import { type Node, serveNode } from '../parts/serve-node.ts';
import type { Env } from '../setup/env.ts';
import { joinedStore } from '../setup/node-store.ts';

/** `serac join`: a node on a network of peers, with the APIs over its X-Chain. */
export const runJoinedNode = (join: JoinConfig, config: Config, env: Env, options: StartOptions): Promise<Node> =>
  withNodeCore(config, env, options, async (core) => {
    const { parts } = core;
    const store = parts.add(nodeStore(core, joinedStore));
    const { chains, network } = parts.add(await openJoinedChain(core, store, join));
    if (join.devMethods) parts.add(joinedDevMethods(core, chains, network));
    const checked = { store, chains, readings: network.readings, counterparts: [] };
    const health = parts.add(await startNodeHealth(core, checked));
    return serveNode(core, { ...checked, health, isAlone: false, hasMempool: true }, options);
  });
