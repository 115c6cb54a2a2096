import { ignoredSwitches, ignoredValues, unsupportedFlags } from '../src/app/config/avalanchego-flags.ts';
import type { CommandName } from '../src/app/config/command.ts';
import type { CommandKind } from '../src/app/config/command-definition.ts';
import { type FlagDefinition, type FlagGroup, flagGroups } from '../src/app/config/flag-definition.ts';
import { valuePlaceholders } from '../src/app/config/flag-help.ts';
import { flagAliases, flagTable, shortFlags } from '../src/app/config/flag-table.ts';

type FlagRow = readonly [name: string, flag: FlagDefinition];

/** Every flag by group, with its commands, default and meaning, and the flags of AvalancheGo without effect, for docs/reference/flags.md. */
export function renderFlagsPage(): string {
  const groups = Map.groupBy(Object.entries(flagTable) as FlagRow[], ([, { group }]) => group);
  const overview = flagGroups.map((group) => `| [${group}](#${anchorOf(group)}) | ${groupNotes[group]} | ${groups.get(group)?.length} |`);
  return [
    ['| group | flags about | |', '|---|---|---|', ...overview, ...otherGroups].join('\n'),
    ...flagGroups.map((group) => formatGroup(group, groups.get(group) ?? [])),
    ignoredFlags(),
    refusedFlags(),
  ].join('\n\n');
}

const groupNotes: { readonly [G in FlagGroup]: string } = {
  Network: 'which network, its genesis, fees and upgrades',
  Chain: "blocks, accounts and forks of a developer's chain",
  Storage: 'data directory, state files, PostgreSQL, Redis, caches',
  HTTP: 'address, port, allowed hosts and origins, timeouts',
  APIs: 'which interfaces are served, and where',
  Access: 'tokens, API keys, rate limits, proxies',
  Health: 'health checks and free disk space',
  Identity: 'certificate, keys and address of the node',
  Peers: 'first peers, validators, connections of `serac join`',
  Consensus: 'parameters of Snowman',
  'Limits of peers': 'bandwidth and memory that peers may use',
  Testnet: 'AvalancheGo nodes of `serac testnet`',
  Keys: 'what `serac keys create` makes',
  Client: 'commands that ask a running node, and `serac mcp`',
  Program: 'log, background, output, config file, help',
};

const otherGroups = [
  '| [Flags of AvalancheGo without effect](#flags-of-avalanchego-without-effect) | accepted with a warning | |',
  '| [Flags of AvalancheGo that are refused](#flags-of-avalanchego-that-are-refused) | with the reason | |',
];

const formatGroup = (group: FlagGroup, rows: readonly FlagRow[]): string =>
  [`## ${group}`, '', '| flag | default | commands | meaning |', '|---|---|---|---|', ...rows.map(formatFlag)].join('\n');

function formatFlag([name, flag]: FlagRow): string {
  const [letter] = Object.keys(shortFlags).filter((short) => shortFlags[short] === name);
  const others = Object.keys(flagAliases).filter((alias) => flagAliases[alias] === name);
  const value = valuePlaceholders[flag.kind];
  const names = [
    `--${name}${value === '' ? '' : ` ${value}`}`,
    ...(letter === undefined ? [] : [`-${letter}`]),
    ...others.map((alias) => `--${alias}`),
  ];
  const shown = names.map((one) => `\`${one}\``).join(', ');
  const allowed = flag.allowed === undefined ? '' : `; one of ${flag.allowed.map((one) => `\`${one}\``).join(', ')}`;
  return `| ${shown} | ${formatDefault(flag)} | ${formatCommands(flag)} | ${flag.help.replaceAll('|', '\\|')}${allowed} |`;
}

const formatDefault = ({ kind, default: value }: FlagDefinition): string => {
  if (kind === 'boolean') return value === 'true' ? 'on' : '';
  return value === undefined || value === '' ? '' : `\`${value}\``;
};

const formatCommands = ({ commands, group }: FlagDefinition): string =>
  commands === undefined && group === 'Program' ? 'all' : (commands ?? ['server' as const]).map(commandText).join(', ');

const kindTexts: { readonly [K in CommandKind]: string } = { server: 'servers', storage: 'storage', client: 'clients', local: 'local' };

const commandText = (command: CommandName | CommandKind): string =>
  command in kindTexts ? kindTexts[command as CommandKind] : `\`${command === 'dev' ? 'serac' : command}\``;

const ignoredFlags = (): string => {
  const names = [...ignoredSwitches, ...ignoredValues].sort().map((name) => `\`--${name}\``);
  return `## Flags of AvalancheGo without effect\n\nThey are accepted in every command with a warning. Flags of peers and consensus have an effect only in \`serac join\` and \`serac testnet\`.\n\n${names.join(', ')}.`;
};

const refusedFlags = (): string =>
  [
    '## Flags of AvalancheGo that are refused',
    '',
    '| flag | why |',
    '|---|---|',
    ...Object.entries(unsupportedFlags).map(([name, { why }]) => `| \`--${name}\` | ${why} |`),
  ].join('\n');

/** The anchor that a heading gets. */
const anchorOf = (heading: string): string => heading.toLowerCase().replaceAll(' ', '-');
