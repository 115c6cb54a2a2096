import type { CommandName } from './command.ts';
import type { CommandKind } from './command-definition.ts';

/** The definition of a flag. */
export type FlagDefinition = {
  readonly group: FlagGroup;
  /** The commands, or kinds of commands, that accept the flag. If it is left out: those that serve, or all if the group is Program. */
  readonly commands?: readonly (CommandName | CommandKind)[];
  /** AvalancheGo's flag that all other commands accept too: without effect, with a warning. */
  readonly isIgnoredElsewhere?: true;
  readonly kind: FlagKind;
  readonly help: string;
  /** The default value, as typed on the command line. A flag without a default is undefined unless it is given. */
  readonly default?: string;
  readonly allowed?: readonly string[];
  /** The maximum of a number, or of a duration in milliseconds. */
  readonly max?: number;
};

export type FlagKind =
  | 'text'
  | 'path'
  | 'choice'
  | 'network'
  | 'integer'
  | 'number'
  | 'u64'
  | 'avax'
  | 'boolean'
  | 'duration'
  | 'seconds'
  | 'list'
  | 'ip'
  | 'workers'
  | 'url'
  | 'urls'
  | 'database';

/** Whether a flag may be given several times, and then has all values. */
export const isListKind = (kind: FlagKind): boolean => kind === 'list' || kind === 'urls';

export const flagGroups = [
  'Network',
  'Chain',
  'Storage',
  'HTTP',
  'APIs',
  'Access',
  'Health',
  'Identity',
  'Peers',
  'Consensus',
  'Limits of peers',
  'Testnet',
  'Keys',
  'Client',
  'Program',
] as const;
export type FlagGroup = (typeof flagGroups)[number];
