import { type Command, type CommandName, commandTable } from './command.ts';

/** The usage line of a command, such as `serac keys create|list|revoke [ID]`. */
export const formatUsage = (name: CommandName): string =>
  ['serac', ...(name === 'dev' ? [] : [name]), ...commandTable[name].args].join(' ');

/** `A, B and C` */
const joinWords = (words: readonly string[]): string => words.join(', ').replace(/, ([^,]*)$/, ' and $1');

/** The usage of a command and its first example, for messages about wrong arguments. */
export function showUsage(name: CommandName): string {
  const [example] = commandTable[name].examples;
  return `usage: ${formatUsage(name)}${example === '' ? '' : `\n       for example: serac ${example}`}`;
}

/** Returns what is wrong with the arguments of a command; undefined if they are valid. */
export function checkArguments({ name, args }: Command): string | undefined {
  const expected: readonly string[] = commandTable[name].args;
  const missing = expected.filter((arg, i) => i >= args.length && !arg.startsWith('['));
  if (missing.length > 0) return `${joinWords(missing)} ${missing.length > 1 ? 'are' : 'is'} missing; ${showUsage(name)}`;
  // `serac doctor [URL]` also takes HOST:PORT.
  const badUrl = args.find((arg, i) => expected[i] === 'URL' && !isHttpUrl(arg));
  if (badUrl !== undefined) return `${JSON.stringify(badUrl)} is not a URL such as http://127.0.0.1:9650; ${showUsage(name)}`;
  // Lower-case alternatives are words to choose from; upper-case ones, such as ID|HEX, are kinds of values.
  const bad = expected.findIndex((arg, i) => /^[a-z|]+$/.test(arg) && !arg.split('|').includes(args[i] as string));
  return bad < 0 ? undefined : `${JSON.stringify(args[bad])} is not one of ${expected[bad]?.replaceAll('|', ', ')}; ${showUsage(name)}`;
}

/** Whether a text is the URL of an HTTP server. */
export const isHttpUrl = (text: string): boolean => URL.canParse(text) && /^https?:\/\/[^/]/i.test(text);
