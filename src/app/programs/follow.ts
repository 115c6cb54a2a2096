import type { Config } from '../config/config.ts';
import { openFollowedChain } from '../followed/followed-chain.ts';
import { nodeStore, type StartOptions, withNodeCore } from '../node/node-core.ts';
import { startNodeHealth } from '../node/node-health.ts';
import { followedStore } from '../node/node-store.ts';
import { createFollowerReadings } from '../node/peer-readings.ts';
import type { Env } from '../platform/env.ts';
import { type Node, serveNode } from '../servers/node-server.ts';

/** `serac follow`: the X-Chain of another node, block by block, with the APIs over it. */
export const runFollower = (url: string, config: Config, env: Env, options: StartOptions): Promise<Node> =>
  withNodeCore(config, env, options, async (core) => {
    const { parts } = core;
    const store = parts.add(nodeStore(core, followedStore));
    const { chains } = parts.add(await openFollowedChain(core, store, url));
    const readings = createFollowerReadings(config);
    const nodeHealth = parts.add(await startNodeHealth({ core, store, chains, readings, counterparts: [] }));
    return serveNode({ core, store, chains, readings, nodeHealth, isAlone: false, hasMempool: false, listens: options.listens });
  });
