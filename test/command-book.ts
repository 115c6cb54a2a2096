import { isCommand } from '../src/app/config/command.ts';
import { dataCommands } from '../src/cli/commands/data-commands.ts';
import { isClientCommand } from '../src/cli/short-command.ts';
import { runProgram } from './program.ts';
import { runCommand, runDataCommand } from './short-command.ts';

/**
 * A book of commands: a text of lines `$ serac …`, each followed by what the command prints, as a terminal shows it. `#` begins a chapter. In a
 * command, `{txID}`, `{assetID}` and other names stand for the value that the last receipt showed behind that name.
 */

/** What stands in the place of values that differ from run to run. */
type Masks = { readonly url: string; readonly folder: string };

const isTyped = (line: string): boolean => line.startsWith('$ ');
const isTitle = (line: string): boolean => line.startsWith('# ');

export const listCommands = (book: string): string[] => book.split('\n').filter(isTyped);

/** Runs the commands of a book in their order, and returns the book with what they print now. */
export async function runBook(book: string, masks: Masks): Promise<string> {
  const shown = new Map<string, string>([['port', new URL(masks.url).port]]);
  const lines: string[] = [];
  for (const line of book.split('\n').filter((one) => isTyped(one) || isTitle(one))) {
    if (lines.length > 0) lines.push('');
    lines.push(line);
    if (isTitle(line)) continue;
    const words = splitWords(line.slice('$ serac '.length)).map((word) =>
      word.replaceAll(/\{(\w+)\}/g, (_, name: string) => shown.get(name) ?? `{${name}}`).replaceAll('FOLDER', masks.folder),
    );
    const { code, out, err } = await run(words, masks.url);
    for (const [, name = '', value = ''] of out.matchAll(/^(\w+) {2,}(\S+)$/gm)) shown.set(name, value);
    const text = mask(out + err, masks).trimEnd();
    if (text !== '') lines.push(...text.split('\n').map((one) => one.trimEnd()));
    if (code !== 0) lines.push(`(exit code ${code})`);
  }
  return `${lines.join('\n')}\n`;
}

/** Runs a command: in this process if it asks the node or a data directory, else as a user does. */
async function run(words: readonly string[], url: string) {
  const [first = '', second = ''] = words;
  if (first in dataCommands) return runDataCommand(...words);
  const name = [`${first} ${second}`, first].map((one) => one.toLowerCase()).find(isCommand);
  // The last word must not be followed by another: it may be a flag that lacks its value.
  process.env.SERAC_URL = url;
  try {
    const isShort = name === undefined ? !first.startsWith('-') : name === 'help' || isClientCommand(name);
    return await (isShort ? runCommand(...words) : runProgram(...words));
  } finally {
    // Other test files run in this process.
    delete process.env.SERAC_URL;
  }
}

/** Words as a shell divides them: quotes keep spaces, and are not part of a word. */
function splitWords(text: string): string[] {
  return [...text.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) => word.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2'));
}

const mask = (text: string, { url, folder }: Masks): string =>
  text
    .replaceAll(url, 'http://127.0.0.1:9650')
    .replaceAll(new URL(url).host, '127.0.0.1:9650')
    .replaceAll(new RegExp(`\\b${new URL(url).port}\\b`, 'g'), '9650')
    .replaceAll(folder, 'FOLDER')
    .replaceAll(/"time":"[^"]*"/g, '"time":"TIME"')
    .replaceAll(/^\d{4}-\d\d-\d\dT[\d:.]+Z (?=fatal)/gm, 'TIME ')
    .replaceAll(/\b\d+(?:\.\d+)? m?s\b/g, 'N ms');
