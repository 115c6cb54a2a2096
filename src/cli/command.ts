/**
 * The commands of the program; the parser and the help text read this table. Without a command it runs a node.
 * `args`: the positional arguments of the command, in this order; those in brackets are optional.
 */
export const commandTable = {
  run: { args: [], help: 'run an X-Chain node with Node RPC, Data API and Metrics API' },
  follow: { args: ['URL'], help: 'serve the same APIs for the X-Chain of a running node, AvalancheGo or Serac' },
  index: { args: ['URL'], help: 'follow a node and write its history to PostgreSQL (--database-url); a second process waits to take over' },
  api: {
    args: [],
    help: 'serve the Data and Metrics APIs from that PostgreSQL; any number of processes, which share a cache with --cache-url',
  },
  keys: {
    args: ['create|list|revoke', '[ID]'],
    help: 'manage API keys in a data directory (--data-dir) or in PostgreSQL (--database-url)',
  },
  check: {
    args: [],
    help: 'verify everything in a data directory: pages, blocks, outputs, balances, index; exits with 4 if it finds damage',
  },
  reindex: { args: [], help: 'rebuild the history index of a data directory and compare it with the old one' },
} as const satisfies { readonly [name: string]: { readonly args: readonly string[]; readonly help: string } };

export type CommandName = keyof typeof commandTable;

export type Command = { readonly name: CommandName; readonly args: readonly string[] };

export const isCommand = (text: string | undefined): text is CommandName => text !== undefined && Object.hasOwn(commandTable, text);

/** The usage line of a command, such as `serac keys create|list|revoke [ID]`. */
export const formatUsage = (name: CommandName): string =>
  ['serac', ...(name === 'run' ? [] : [name]), ...commandTable[name].args].join(' ');

/** Returns what is wrong with the arguments of a command; undefined if they are valid. */
export function checkArguments({ name, args }: Command): string | undefined {
  const expected: readonly string[] = commandTable[name].args;
  const required = expected.filter((arg) => !arg.startsWith('[')).length;
  if (args.length < required) return `usage: ${formatUsage(name)}`;
  const bad = expected.findIndex((arg, i) => arg.includes('|') && !arg.split('|').includes(args[i] as string));
  return bad < 0
    ? undefined
    : `${JSON.stringify(args[bad])} is not one of ${expected[bad]?.replaceAll('|', ', ')}; usage: ${formatUsage(name)}`;
}
