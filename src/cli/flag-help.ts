import { type CommandName, commandTable, formatUsage } from './command.ts';
import { type FlagDefinition, type FlagKind, flagGroups, flagTable } from './flag-table.ts';

/** The text of `--help`. */
export function formatHelp(): string {
  const sections = flagGroups.map((group) => {
    const rows = (Object.entries(flagTable) as [string, FlagDefinition][]).filter(([, row]) => row.group === group);
    return [
      group,
      ...rows.map(([name, row]) => `  --${name} ${valuePlaceholders[row.kind]}`.trimEnd() + `\n      ${row.help}${formatDefault(row)}`),
    ].join('\n');
  });
  return [header, ...sections, footer].join('\n\n');
}

const header = `serac: an Avalanche X-Chain node

Usage: serac [COMMAND] [--flag value | --flag=value | --switch]...

Commands
${(Object.keys(commandTable) as CommandName[]).map((name) => `  ${formatUsage(name)}\n      ${commandTable[name].help}`).join('\n')}`;

const footer = `A flag can also be set by an environment variable (SERAC_HTTP_PORT, or AvalancheGo's AVAGO_HTTP_PORT) or in the --config-file.
AvalancheGo flags that have no effect in Serac are accepted with a warning.
`;

function formatDefault(row: FlagDefinition): string {
  if (row.kind === 'boolean') return row.default === 'true' ? ' (on unless =false)' : '';
  return row.default ? ` (${row.default})` : '';
}

const valuePlaceholders: { readonly [K in FlagKind]: string } = {
  text: 'TEXT',
  path: 'PATH',
  choice: 'NAME',
  network: 'NETWORK',
  integer: 'N',
  u64: 'N',
  boolean: '',
  duration: 'TIME',
  seconds: 'SECONDS',
  list: 'A,B',
  ip: 'IP',
  workers: 'N|auto',
  url: 'URL',
};
