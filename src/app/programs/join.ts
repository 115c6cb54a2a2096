import type { Config } from '../config/config.ts';
import type { JoinConfig } from '../config/join-config.ts';
import { joinedDevMethods } from '../joined/joined-dev-methods.ts';
import { openJoinedChain } from '../joined/joined-x-chain.ts';
import { nodeStore, type StartOptions, withNodeCore } from '../node/node-core.ts';
import { startNodeHealth } from '../node/node-health.ts';
import { joinedStore } from '../node/node-store.ts';
import type { Env } from '../platform/env.ts';
import { type Node, serveNode } from '../servers/node-server.ts';

/** `serac join`: a node on a network of peers, with the APIs over its X-Chain. */
export const runJoinedNode = (join: JoinConfig, config: Config, env: Env, options: StartOptions): Promise<Node> =>
  withNodeCore(config, env, options, async (core) => {
    const { parts } = core;
    const store = parts.add(nodeStore(core, joinedStore));
    const { chains, network } = parts.add(await openJoinedChain(core, store, join));
    if (join.devMethods) parts.add(joinedDevMethods(core, chains, network));
    const { readings } = network;
    const nodeHealth = parts.add(await startNodeHealth({ core, store, chains, readings, counterparts: [] }));
    return serveNode({ core, store, chains, readings, nodeHealth, isAlone: false, hasMempool: true, listens: options.listens });
  });
