import { chainFlags } from './chain-flags.ts';
import { type CommandName, commandTable } from './command.ts';
import type { FlagDefinition } from './flag-definition.ts';
import type { FlagValues } from './flag-value.ts';
import { peerFlags } from './peer-flags.ts';
import { programFlags } from './program-flags.ts';
import { serverFlags } from './server-flags.ts';

/** Flags of `serac testnet`. */
const testnetFlags = {
  avalanchego: { group: 'Testnet', commands: ['testnet'], kind: 'path', help: 'an AvalancheGo 1.14 binary, for --avalanchego-nodes' },
  'avalanchego-nodes': {
    group: 'Testnet',
    commands: ['testnet'],
    kind: 'integer',
    default: '0',
    max: 20,
    help: 'AvalancheGo nodes beside the Serac nodes',
  },
  'upgrade-at': {
    group: 'Testnet',
    commands: ['testnet'],
    kind: 'list',
    help: 'when upgrades of a custom network become active, from now on or as a date: 30s (granite), or durango=10s,granite=2027-01-31T12:00:00Z; those after the last named never do',
  },
} as const satisfies { readonly [name: string]: FlagDefinition };

/**
 * Every supported flag. The parser, the type of the options and the help text all use this table.
 * Names and defaults are AvalancheGo's where it has the flag. AvalancheGo: config/flags.go.
 */
export const flagTable = { ...chainFlags, ...serverFlags, ...peerFlags, ...testnetFlags, ...programFlags } as const satisfies {
  readonly [name: string]: FlagDefinition;
};

/** Other names of flags: AvalancheGo's, and Anvil's. */
export const flagAliases: { readonly [name: string]: keyof typeof flagTable } = {
  'proposervm-min-block-delay': 'min-block-delay',
  port: 'http-port',
  host: 'http-host',
  quiet: 'silent',
  config: 'config-file',
  token: 'dev-token',
  'rpc-url': 'url',
  'chain-id': 'network-id',
  'no-mine': 'no-mining',
  'allow-origin': 'http-allowed-origins',
};

/** Flags whose values are secrets: they are not shown. */
export const secretFlags: ReadonlySet<string> = new Set([
  'staking-tls-key-file-content',
  'staking-signer-key-file-content',
  'config-file-content',
  'mnemonic',
  'dev-token',
  'api-key',
]);

/** One-letter names, such as `-p`. */
export const shortFlags: { readonly [letter: string]: keyof typeof flagTable } = {
  h: 'help',
  p: 'http-port',
  a: 'accounts',
  m: 'mnemonic',
  b: 'block-time',
  f: 'fork-url',
  s: 'state-interval',
  q: 'silent',
  v: 'verbose',
  V: 'version',
};

/** Whether a command accepts a flag. */
export function acceptsFlag(command: CommandName, { commands, group }: FlagDefinition): boolean {
  if (command === 'config print' || (commands === undefined && group === 'Program')) return true;
  const users: FlagDefinition['commands'] = commands ?? ['server'];
  return users?.includes(command) === true || users?.includes(commandTable[command].kind) === true;
}

/** The value of every flag of the table, by flag name. */
export type Options = { readonly [N in keyof typeof flagTable]: ValueOf<(typeof flagTable)[N]> };

type ValueOf<R extends FlagDefinition> =
  | (R extends { allowed: readonly (infer A)[] } ? A : FlagValues[R['kind']])
  | (R extends { default: string } ? never : undefined);
