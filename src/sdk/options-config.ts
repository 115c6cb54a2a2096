import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { type Config, configFrom } from '../app/config/config.ts';
import type { FlagDefinition, FlagGroup } from '../app/config/flag-definition.ts';
import { acceptsFlag, flagTable } from '../app/config/flag-table.ts';
import { parseFlags } from '../app/config/flags.ts';
import { findNearestName } from '../base/bytes/nearest-name.ts';
import { type NodeOptions, OptionError } from './node-options.ts';

/** Creates the configuration of a node from options. Throws an OptionError. */
export function configFromOptions({ log: _, logLevel = 'warn', ...options }: NodeOptions): Config {
  const flags = Object.entries(options).filter(([, value]) => value !== undefined);
  const parsed = parseFlags([`--log-level=${logLevel}`, ...flags.map(([name, value]) => `--${flagOf(name)}=${value}`)], {
    home: homedir(),
  });
  if (parsed.kind === 'run') return configFrom(parsed.options, parsed.command, (path) => readFileSync(path, 'utf8'));
  throw new OptionError(parsed.kind === 'error' ? parsed.message : 'unusable options', { code: 'OPTION_INVALID' });
}

/** Returns the flag of an option. Throws if the library has no such option. */
function flagOf(option: string): string {
  const flag = nodeFlags.find(([name]) => camelCase(name) === option);
  if (flag !== undefined) return flag[0];
  const nearest = findNearestName(
    option,
    nodeFlags.map(([name]) => camelCase(name)),
  );
  const remedy = nearest === undefined ? 'options are flags of `serac help flags` in camel case' : `did you mean ${nearest}?`;
  throw new OptionError(`createNode has no option ${JSON.stringify(option)}; ${remedy}`, {
    code: 'OPTION_UNKNOWN',
    option,
    didYouMean: nearest,
  });
}

/** Flags that a node inside another program does not have: it starts no processes, and `listen` chooses the port. */
const excludedFlags: ReadonlySet<string> = new Set(['workers', 'http-port', 'data-port', 'metrics-port']);
/** Groups of flags that only the program `serac` has. */
const excludedGroups: ReadonlySet<FlagGroup> = new Set(['Program', 'Keys']);

/** The flags that are options of `createNode`; NodeOptions is written from them (tools/node-options.ts). */
export const nodeFlags: readonly (readonly [name: string, flag: FlagDefinition])[] = Object.entries<FlagDefinition>(flagTable).filter(
  ([name, flag]) => acceptsFlag('dev', flag) && !excludedFlags.has(name) && !excludedGroups.has(flag.group),
);

export const camelCase = (flag: string): string => flag.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
