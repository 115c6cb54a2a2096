import type { Config } from '../config/config.ts';
import type { StartOptions } from '../node/node-core.ts';
import type { Env } from '../platform/env.ts';
import type { Node } from '../servers/node-server.ts';
import { runDevChain } from './dev-chain.ts';
import { runFollower } from './follow.ts';
import { runJoinedNode } from './join.ts';

/** Starts the node that the configuration describes. Which program runs is asked here and nowhere else. */
export function startNode(config: Config, env: Env, options: StartOptions = { listens: true }): Promise<Node> {
  const { mode } = config;
  switch (mode.kind) {
    case 'solo':
      return runDevChain(config, env, options);
    case 'follow':
      return runFollower(mode.url, config, env, options);
    case 'join':
      return runJoinedNode(mode, config, env, options);
  }
}
