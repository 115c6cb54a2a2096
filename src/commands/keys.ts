import { type KeyStore, keyStoreOn } from '../access/key-store.ts';
import { type PlanSource, runKeys } from '../access/keys-command.ts';
import { badCommand, type KeysCommand } from '../access/keys-flags.ts';
import { defaultPlans, type Plans } from '../access/plans.ts';
import { plansInUse, withPlans } from '../access/plans-in-use.ts';
import type { Options } from '../cli/flags.ts';
import type { Config } from '../config.ts';
import type { WritableSql } from '../index/sql.ts';
import type { Env } from '../wiring/env.ts';
import { keysIn, plansIn, routeIds } from '../wiring/gate.ts';

/** `serac keys …`: the lines to print. */
export async function keysCommand(words: readonly string[], options: Options, config: Config, env: Env): Promise<string[]> {
  const { store, sql, close } = await openStore(config, env);
  try {
    return await runKeys(commandOf(words, options), {
      keys: store,
      ...(await plansFor(config, env, sql)),
      routes: routeIds(),
      now: () => Number(env.clock.unixSeconds()),
      random: env.random,
    });
  } finally {
    await close();
  }
}

/** What the server will allow: by the file given to this command, else by what the server that started last has left. */
async function plansFor(config: Config, env: Env, sql: WritableSql): Promise<{ readonly plans: Plans; readonly plansOf: PlanSource }> {
  if (config.access.plansFile !== undefined) return { plans: plansIn(config, env), plansOf: 'file' };
  const inUse = await plansInUse(sql);
  if (inUse === undefined) return { plans: defaultPlans, plansOf: 'defaults' };
  return { plans: withPlans(inUse), plansOf: inUse.counted ? 'server' : 'server that does not count' };
}

type OpenStore = { readonly store: KeyStore; readonly sql: WritableSql; readonly close: () => Promise<void> | void };

async function openStore({ databaseUrl, dataDir }: Config, env: Env): Promise<OpenStore> {
  if (databaseUrl === undefined) return keysIn(dataDir ?? '.', env);
  const sql = env.openPostgres({ url: databaseUrl });
  return { store: await keyStoreOn(sql), sql, close: sql.close };
}

/** What the words and flags after `serac keys` ask for. */
export function commandOf([action, key]: readonly string[], { json, name, plan, expires, routes }: Options): KeysCommand {
  if (action === 'create') return { action, json, name, plan, expires, routes: routes ?? [] };
  if (action !== 'revoke') return { action: 'list', json };
  if (key === undefined) throw badCommand('keys revoke: say which key');
  return { action, json, key };
}
