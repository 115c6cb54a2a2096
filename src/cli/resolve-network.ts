import type { Command } from '../app/config/command.ts';
import type { Config } from '../app/config/config.ts';
import type { Env } from '../app/platform/env.ts';

/** Reads the ID of the network of a followed or forked node from the data directory or from the node. The code of the command is imported when it runs. */
export async function resolveNetwork({ args: [url = ''] }: Command, config: Config, env: Env): Promise<number> {
  if (config.fork === undefined) {
    const { resolveFollowedNetwork } = await import('../app/followed/follow.ts');
    return resolveFollowedNetwork(url, config, env);
  }
  const { resolveForkedNetwork } = await import('../app/solo/fork.ts');
  return resolveForkedNetwork(config.fork.url, config, env);
}
