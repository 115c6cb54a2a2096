import { keyStoreOn } from '../access/key-store.ts';
import { runKeys } from '../access/keys-command.ts';
import { badCommand, type KeysCommand } from '../access/keys-flags.ts';
import { defaultPlans, readPlans } from '../access/plans.ts';
import type { Config } from '../config.ts';
import type { Options } from '../flags.ts';
import type { Env } from './env.ts';
import { keysIn, routeIds } from './gate.ts';

/** `serac keys …`: the lines to print. */
export async function keysCommand(words: readonly string[], options: Options, config: Config, env: Env): Promise<string[]> {
  const { plansFile } = config.access;
  const { store, close } = await openStore(config, env);
  try {
    return await runKeys(commandOf(words, options), {
      keys: store,
      plans: plansFile === undefined ? defaultPlans : readPlans(env.readText(plansFile), routeIds()),
      routes: routeIds(),
      now: () => Number(env.clock.unixSeconds()),
      random: env.random,
    });
  } finally {
    await close();
  }
}

async function openStore({ databaseUrl, dataDir }: Config, env: Env) {
  if (databaseUrl === undefined) return keysIn(dataDir ?? '.', env);
  const sql = env.openPostgres({ url: databaseUrl });
  return { store: await keyStoreOn(sql), close: sql.close };
}

/** What the words and flags after `serac keys` ask for. */
export function commandOf([action, key]: readonly string[], { json, name, plan, expires, routes }: Options): KeysCommand {
  if (action === 'create') return { action, json, name, plan, expires, routes: routes ?? [] };
  if (action !== 'revoke') return { action: 'list', json };
  if (key === undefined) throw badCommand('keys revoke: say which key');
  return { action, json, key };
}
