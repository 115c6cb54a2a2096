import type { Command } from '../app/config/command.ts';
import type { Config } from '../app/config/config.ts';
import { resolveFollowedNetwork } from '../app/followed/follow.ts';
import type { Env } from '../app/platform/env.ts';
import { runApiServer } from '../app/programs/api.ts';
import { runIndexer } from '../app/programs/index.ts';
import { runReader } from '../app/programs/reader.ts';
import { startNode } from '../app/programs/start-node.ts';
import { resolveForkedNetwork } from '../app/solo/fork.ts';

/**
 * The programs that serve. They are in one module because main.ts imports it when a command needs one: a bundle has a file for every set of modules
 * that two such imports share.
 */
export const serverPrograms = { startNode, runApiServer, runIndexer, runReader } as const;

/** Reads the network of a followed or forked node from the data directory or from the node. */
export const resolveNetwork = async ({ args: [url = ''] }: Command, config: Config, env: Env): Promise<number> =>
  config.fork === undefined ? resolveFollowedNetwork(url, config, env) : resolveForkedNetwork(config.fork.url, config, env);
