import type { Command, CommandName } from '../../app/config/command.ts';
import type { Config } from '../../app/config/config.ts';
import type { Options } from '../../app/config/flag-table.ts';
import type { Env } from '../../app/platform/env.ts';
import { backUp } from './backup.ts';
import { check } from './check.ts';
import { checkPostgres } from './check-postgres.ts';
import { compact } from './compact.ts';
import { manageKeys } from './keys.ts';
import { type CommandResult, reindex } from './reindex.ts';

type DataCommandName = Extract<CommandName, 'check' | 'reindex' | 'backup' | 'compact' | 'keys'>;
type DataCommand = (config: Config, env: Env, flags: { readonly command: Command; readonly options: Options }) => Promise<CommandResult>;

/** The commands about a data directory, or about the database in its place. */
export const dataCommands: { readonly [N in DataCommandName]: DataCommand } = {
  check: async (config, env) => (config.database === undefined ? check(config, env) : checkPostgres(config, env)),
  reindex: async (config, env) => reindex(config, env),
  backup: async (config, env, { command }) => backUp(config, command.args[0] as string, env),
  compact: async (config, env) => compact(config, env),
  keys: async (config, env, { command, options }) => ({
    lines: await manageKeys(command.args, options, config, env),
    isDamaged: false,
  }),
};
