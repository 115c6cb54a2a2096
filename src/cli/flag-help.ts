import { type CommandName, commands, usageOf } from './command.ts';
import { flags, groups, type Kind, type Row } from './flag-table.ts';

/** The table of flags as `--help` prints it. */
export function helpText(): string {
  const sections = groups.map((group) => {
    const rows = (Object.entries(flags) as [string, Row][]).filter(([, row]) => row.group === group);
    return [
      group,
      ...rows.map(([name, row]) => `  --${name} ${values[row.kind]}`.trimEnd() + `\n      ${row.help}${shownDefault(row)}`),
    ].join('\n');
  });
  return [head, ...sections, foot].join('\n\n');
}

const head = `serac: an Avalanche X-Chain node

Usage: serac [COMMAND] [--flag value | --flag=value | --switch]...

Commands
${(Object.keys(commands) as CommandName[]).map((name) => `  ${usageOf(name)}\n      ${commands[name].help}`).join('\n')}`;

const foot = `A flag may also be an environment variable (SERAC_HTTP_PORT, or AVAGO_HTTP_PORT as AvalancheGo has it) or a key of --config-file.
Flags of AvalancheGo that mean nothing here are accepted with a warning.
`;

function shownDefault(row: Row): string {
  if (row.kind === 'yes') return row.default === 'true' ? ' (on unless =false)' : '';
  return row.default ? ` (${row.default})` : '';
}

const values: { readonly [K in Kind]: string } = {
  text: 'TEXT',
  path: 'PATH',
  choice: 'NAME',
  network: 'NETWORK',
  whole: 'N',
  u64: 'N',
  yes: '',
  duration: 'TIME',
  list: 'A,B',
  ip: 'IP',
  workers: 'N|auto',
  url: 'URL',
};
