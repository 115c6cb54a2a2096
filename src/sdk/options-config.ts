import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { type Config, configFrom } from '../app/config/config.ts';
import type { FlagDefinition } from '../app/config/flag-definition.ts';
import { acceptsFlag, flagTable } from '../app/config/flag-table.ts';
import { parseFlags } from '../app/config/flags.ts';
import { findNearestName } from '../base/bytes/nearest-name.ts';
import { excludedFlags, excludedGroups, type NodeOptions, OptionError } from './node-options.ts';

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
  const name = option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  if (!option.includes('-') && isNodeFlag(name)) return name;
  const nearest = findNearestName(option, Object.keys(flagTable).filter(isNodeFlag).map(camelCase));
  const remedy = nearest === undefined ? 'options are flags of `serac help flags` in camel case' : `did you mean ${nearest}?`;
  throw new OptionError(`createNode has no option ${JSON.stringify(option)}; ${remedy}`, {
    code: 'OPTION_UNKNOWN',
    option,
    didYouMean: nearest,
  });
}

/** Whether a node inside another program has the flag of this name. */
function isNodeFlag(name: string): boolean {
  const row = Object.hasOwn(flagTable, name) ? (flagTable as { readonly [name: string]: FlagDefinition })[name] : undefined;
  return (
    row !== undefined &&
    acceptsFlag('dev', row) &&
    !excludedFlags.some((flag) => flag === name) &&
    !excludedGroups.some((group) => group === row.group)
  );
}

const camelCase = (flag: string): string => flag.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
