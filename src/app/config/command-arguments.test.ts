import { expect, test } from 'bun:test';
import { type CommandName, commandTable } from './command.ts';
import { checkArguments, formatUsage, isHttpUrl, showUsage } from './command-arguments.ts';

const check = (name: CommandName, ...args: string[]): string | undefined => checkArguments({ name, args });

test('missing arguments are named together, with the usage and an example', () => {
  const usage = showUsage('send');
  expect(usage).toStartWith(`usage: ${formatUsage('send')}\n       for example: serac `);
  const [first, second, ...others] = commandTable.send.args;
  expect([check('send'), others.filter((arg) => !arg.startsWith('['))]).toEqual([`${first} and ${second} are missing; ${usage}`, []]);
  expect(check('send', 'bob')).toBe(`${second} is missing; ${usage}`);
  expect(check('send', 'bob', '5')).toBeUndefined();
  expect([formatUsage('dev'), formatUsage('follow')]).toEqual(['serac', 'serac follow URL']);
});

test('a URL must be one of an HTTP server', () => {
  expect(check('follow', '127.0.0.1:9650')).toStartWith(
    '"127.0.0.1:9650" is not a URL such as http://127.0.0.1:9650; usage: serac follow URL',
  );
  expect(check('follow', 'http://127.0.0.1:9650')).toBeUndefined();
  const texts = ['http://a', 'HTTPS://a:1/x', 'http:///a', 'http:/a', 'ftp://a', 'a', 'http://'];
  expect(texts.map(isHttpUrl)).toEqual([true, true, false, false, false, false, false]);
});

test('words to choose from are listed; kinds of values are not words', () => {
  const [words = ''] = commandTable.keys.args;
  expect(check('keys', 'drop')).toStartWith(`"drop" is not one of ${words.replaceAll('|', ', ')}; usage: serac keys`);
  for (const word of words.split('|')) expect(check('keys', word)).toBeUndefined();
});

test('every command takes arguments of its kinds', () => {
  for (const name of Object.keys(commandTable) as CommandName[]) expect([name, check(name, ...argsOf(name))]).toEqual([name, undefined]);
});

/** Arguments of a command: the first word to choose, a URL, or any text. */
const argsOf = (name: CommandName): string[] =>
  commandTable[name].args.map((arg) => (arg === 'URL' ? 'http://a' : /^[a-z|]+$/.test(arg) ? (arg.split('|')[0] as string) : 'text'));
