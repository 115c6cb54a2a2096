import { type CommandName, commandNames, commandTable } from './command.ts';
import { formatUsage } from './command-arguments.ts';
import type { CommandKind } from './command-definition.ts';
import { type FlagDefinition, type FlagKind, flagGroups } from './flag-definition.ts';
import { acceptsFlag, flagAliases, flagTable, shortFlags } from './flag-table.ts';

/** Lines of help are at most this long. */
const columns = 80;

/** The text of `serac help commands`: every command with its explanation. */
export const formatCommandList = (): string =>
  [
    ...commandKinds.map(([kind, title]) => [title, ...commandRows(kind)].join('\n')),
    wrap('serac help COMMAND explains a command and its flags.'),
  ].join('\n\n') + '\n';

/** The text of `serac help flags`: every flag of every command. */
export const formatFlagList = (): string =>
  [...flagSections(() => true), wrap('serac help COMMAND lists the flags of a command.'), footer('dev')].join('\n\n') + '\n';

/** The text of `serac COMMAND --help`. */
export const formatHelp = (command: CommandName): string =>
  [commandHead(command), ...flagSections((row) => acceptsFlag(command, row)), footer(command)].join('\n\n') + '\n';

/** The text of `serac help snapshot`: the commands that begin with a word, and their examples. */
export function formatGroupHelp(group: string): string {
  const names = commandNames.filter((name) => name.startsWith(`${group} `));
  const examples = names.flatMap((name) => commandTable[name].examples.map((example) => `  serac ${example}`));
  return (
    [
      ['Examples', ...examples].join('\n'),
      ['Commands', ...names.map(commandRow)].join('\n'),
      `serac help ${names[0]} explains a command and its flags.`,
    ].join('\n\n') + '\n'
  );
}

const commandKinds: readonly (readonly [CommandKind, string])[] = [
  ['server', 'Run a node or server'],
  ['client', 'Ask or change a running node (--url)'],
  ['storage', 'Work on a data directory or database'],
  ['local', 'Nodes in the background, and help'],
];

/** One line per command, with its explanation beside it, or below it if the name is long. */
const commandRows = (kind: CommandKind): string[] => commandNames.filter((name) => commandTable[name].kind === kind).map(commandRow);

function commandRow(name: CommandName): string {
  const usage = `  ${formatUsage(name)}`;
  return usage.length < helpColumn
    ? wrap(`${usage.padEnd(helpColumn)}${commandTable[name].help}`, helpColumn)
    : `${usage}\n${wrap(' '.repeat(helpColumn) + commandTable[name].help, helpColumn)}`;
}

const helpColumn = 30;

function commandHead(name: CommandName): string {
  const { help, examples } = commandTable[name];
  const lines = examples.map((example) => wrap(`  serac ${example}`.trimEnd(), 6));
  return [
    `${wrap(`${formatUsage(name).replace(/ .*/s, '')} ${name}: ${help}`)}`,
    ['Examples', ...lines].join('\n'),
    [`Usage: ${formatUsage(name)} [FLAGS]`, ...argumentNotes(name)].join('\n'),
  ].join('\n\n');
}

/** What may be given for an argument, where its name does not say all of it. */
const notes: { readonly [arg: string]: string } = {
  ADDRESS: 'ADDRESS is an address, the number of an account (serac accounts) or a label (serac label).',
};

const argumentNotes = (name: CommandName): string[] =>
  commandTable[name].args.flatMap((arg) => {
    const note = notes[arg.replace(/^\[|\]$/g, '')];
    return note === undefined ? [] : [wrap(note)];
  });

/** The flags for which `isShown` is true, by group. */
function flagSections(isShown: (row: FlagDefinition) => boolean): string[] {
  return flagGroups.flatMap((group) => {
    const rows = (Object.entries(flagTable) as [string, FlagDefinition][]).filter(([, row]) => row.group === group && isShown(row));
    return rows.length === 0 ? [] : [[group, ...rows.map(([name, row]) => formatFlag(name, row))].join('\n')];
  });
}

function formatFlag(name: string, row: FlagDefinition): string {
  const aliases = Object.keys(flagAliases).filter((alias) => flagAliases[alias] === name && !alias.startsWith('proposervm'));
  return `  ${flagNames(name, row, aliases)}\n${wrap(`      ${row.help}${formatDefault(row)}`, 6)}`;
}

/** The letter of a flag, its name and aliases, and what its value is: `-p, --http-port, --port N`. */
export function flagNames(name: string, row: FlagDefinition, aliases: readonly string[] = []): string {
  const letter = Object.keys(shortFlags).find((short) => shortFlags[short] === name);
  const names = [...(letter === undefined ? [] : [`-${letter}`]), ...[name, ...aliases].map((one) => `--${one}`)].join(', ');
  return `${names} ${valuePlaceholders[row.kind]}`.trimEnd();
}

const footer = (command: CommandName): string =>
  commandTable[command].kind === 'client'
    ? wrap('Every flag can be set by an environment variable too, for example SERAC_URL.')
    : wrap(
        "A flag can also be set by an environment variable (SERAC_HTTP_PORT, or AvalancheGo's AVAGO_HTTP_PORT) or in the --config-file. " +
          'AvalancheGo flags that have no effect in Serac are accepted with a warning.',
      );

/** Breaks a text into lines of at most 80 columns; lines after the first are indented. */
export function wrap(text: string, indent = 0): string {
  const start = /^ */.exec(text)?.[0] ?? '';
  const lines: string[] = [];
  let line = start;
  let isEmpty = true;
  // Runs of blanks inside the text, which align columns, are kept.
  for (const word of text.slice(start.length).split(/ (?=\S)/)) {
    if (!isEmpty && line.length + 1 + word.length > columns) {
      lines.push(line.trimEnd());
      line = ' '.repeat(indent) + word;
    } else line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line].join('\n');
}

function formatDefault(row: FlagDefinition): string {
  if (row.kind === 'boolean') return row.default === 'true' ? ' (on unless =false)' : '';
  return row.default ? ` (${row.default})` : '';
}

/** What stands for the value of a flag in help texts. */
export const valuePlaceholders: { readonly [K in FlagKind]: string } = {
  text: 'TEXT',
  path: 'PATH',
  choice: 'NAME',
  network: 'NETWORK',
  integer: 'N',
  number: 'X',
  u64: 'N',
  avax: 'AVAX',
  boolean: '',
  duration: 'TIME',
  seconds: 'SECONDS',
  list: 'A,B',
  ip: 'IP',
  workers: 'N|auto',
  url: 'URL',
  urls: 'URL,URL',
  database: 'URL',
};
