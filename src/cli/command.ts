/**
 * What the program can be told to do, as data: the parser and the help text read this table. Without a word it runs a node.
 * `words`: what must follow the command's own word, in this order; those in brackets may be left out.
 */
export const commands = {
  run: { words: [], help: 'an X-Chain node with its Node RPC, Data and Metrics interfaces' },
  follow: { words: ['URL'], help: 'the same interfaces for the X-Chain of a node that runs already, AvalancheGo or Serac' },
  index: { words: ['URL'], help: 'follow a node and write its history to PostgreSQL (--database-url); a second one waits to take over' },
  api: { words: [], help: 'serve Data and Metrics from that PostgreSQL; any number of these, with --cache-url shared between them' },
  keys: { words: ['create|list|revoke', '[ID]'], help: 'API keys, in a data directory (--data-dir) or in PostgreSQL (--database-url)' },
  check: {
    words: [],
    help: 'verify everything in a data directory: pages, blocks, outputs, balances, index; exits with 4 if it finds damage',
  },
  reindex: { words: [], help: 'build the history index of a data directory again and compare it with the old one' },
} as const satisfies { readonly [name: string]: { readonly words: readonly string[]; readonly help: string } };

export type CommandName = keyof typeof commands;

export type Command = { readonly name: CommandName; readonly words: readonly string[] };

export const isCommand = (word: string | undefined): word is CommandName => word !== undefined && Object.hasOwn(commands, word);

/** `serac keys create|list|revoke [ID]` */
export const usageOf = (name: CommandName): string => ['serac', ...(name === 'run' ? [] : [name]), ...commands[name].words].join(' ');

/** Why these words do not fit the command; undefined if they do. */
export function wordsFault({ name, words }: Command): string | undefined {
  const wanted: readonly string[] = commands[name].words;
  const least = wanted.filter((word) => !word.startsWith('[')).length;
  if (words.length < least) return `usage: ${usageOf(name)}`;
  const bad = wanted.findIndex((word, i) => word.includes('|') && !word.split('|').includes(words[i] as string));
  return bad < 0 ? undefined : `${JSON.stringify(words[bad])} is not one of ${wanted[bad]?.replaceAll('|', ', ')}; usage: ${usageOf(name)}`;
}
