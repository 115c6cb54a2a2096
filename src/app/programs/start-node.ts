import type { Config } from '../config/config.ts';
import type { StartOptions } from '../node/node-core.ts';
import type { Env } from '../platform/env.ts';
import type { Node } from '../servers/node-server.ts';

/** Starts the node that the configuration describes. Which program runs is asked here and nowhere else, and only that program is loaded. */
export async function startNode(config: Config, env: Env, options: StartOptions = { listens: true }): Promise<Node> {
  const { mode } = config;
  switch (mode.kind) {
    case 'solo': {
      const { runDevChain } = await import('./dev-chain.ts');
      return runDevChain(config, env, options);
    }
    case 'follow': {
      const { runFollower } = await import('./follow.ts');
      return runFollower(mode.url, config, env, options);
    }
    case 'join': {
      const { runJoinedNode } = await import('./join.ts');
      return runJoinedNode(mode, config, env, options);
    }
  }
}
