import { Fault } from '../fault.ts';
import { type Command, commands, isCommand } from './command.ts';
import { aliases, flags, ignoredSwitches, ignoredValues, refused } from './flag-table.ts';

/** What a flag was given, and where: an error names the place. */
export type Given = { readonly texts: readonly string[]; readonly from: string };
export type GivenFlags = ReadonlyMap<string, Given>;

/** Flags of a command line by pflag's rules: a switch takes no separate value, every other flag takes the next word whatever it is. */
export function fromArguments(argv: readonly string[]): { readonly command: Command; readonly given: GivenFlags } {
  const found = new Map<string, Given>();
  const name = isCommand(argv[0]) ? argv[0] : 'run';
  const words: string[] = [];
  for (let at = name === 'run' ? 0 : 1; at < argv.length; at++) {
    const word = argv[at] as string;
    if (!word.startsWith('-') && words.length < commands[name].words.length) {
      words.push(word);
      continue;
    }
    const [flag, attached] = splitFlag(word);
    if (!isKnown(flag)) throw unknownFlag(word.replace(/=.*$/s, ''), flag);
    const text = attached ?? (isSwitch(flag) ? 'true' : argv[++at]);
    if (text === undefined) throw new FlagError(`--${flag} needs a value`, { code: 'FLAG_NO_VALUE', flag });
    add(found, flag, { texts: [text], from: `--${flag}` });
  }
  return { command: { name, words }, given: found };
}

/** `AVAGO_HTTP_PORT` as the peer reads it, and `SERAC_HTTP_PORT`, which wins. An empty variable is none. Peer: config/viper.go. */
export function fromVariables(vars: { readonly [name: string]: string | undefined }): GivenFlags {
  const found = new Map<string, Given>();
  for (const name of allNames()) {
    if (typedOnly.has(name)) continue;
    const tail = name.toUpperCase().replaceAll('-', '_');
    for (const variable of [`AVAGO_${tail}`, `SERAC_${tail}`]) {
      const text = vars[variable];
      if (text) found.set(aliases[name] ?? name, { texts: [text], from: variable });
    }
  }
  return found;
}

/** A JSON object of flag names and values. Names nobody knows come back as warnings: the peer passes over them. */
export function fromConfigFile(json: string): { readonly given: GivenFlags; readonly unknown: readonly string[] } {
  const found = new Map<string, Given>();
  const unknown: string[] = [];
  for (const [key, value] of Object.entries(parseObject(json))) {
    const name = key.toLowerCase();
    if (isKnown(name) && !typedOnly.has(name))
      found.set(aliases[name] ?? name, { texts: configTexts(name, value), from: `config file, ${name}` });
    else unknown.push(key);
  }
  return { given: found, unknown };
}

export const isSwitch = (name: string): boolean =>
  ignoredSwitches.has(name) || refused[name]?.kind === 'yes' || (flags as { [name: string]: { kind: string } })[name]?.kind === 'yes';

export const isIgnored = (name: string): boolean => ignoredSwitches.has(name) || ignoredValues.has(name);

/** The known flag a wrong one was most likely meant to be: one that has it as a word, else the one with the fewest letters changed. */
export function nearestFlag(name: string): string {
  const withWord = allNames().filter((known) => name.length > 2 && `-${known}-`.includes(`-${name}-`));
  if (withWord.length > 0) return withWord.reduce((best, next) => (next.length < best.length ? next : best));
  return allNames()
    .map((known) => ({ known, distance: editDistance(name.slice(0, maxName), known) }))
    .reduce((best, next) => (next.distance < best.distance ? next : best)).known;
}

export type FlagFault =
  | { code: 'FLAG_UNKNOWN'; flag: string; nearest: string }
  | { code: 'FLAG_NO_VALUE'; flag: string }
  | { code: 'FLAG_BAD_VALUE'; flag: string }
  | { code: 'FLAG_STRAY_WORD'; word: string }
  | { code: 'FLAG_COMMAND'; command: string }
  | { code: 'FLAG_REFUSED'; flag: string }
  | { code: 'FLAG_CLASH'; flag: string }
  | { code: 'FLAG_CONFIG_FILE' };
export class FlagError extends Fault<FlagFault> {}

const maxName = 100;

/** Questions rather than settings: an image that happens to set AVAGO_VERSION must still run. */
const typedOnly: ReadonlySet<string> = new Set(['help', 'version', 'version-json']);

/** Those that do something first: a tie goes to them. */
const allNames = (): string[] => [
  ...Object.keys(flags),
  ...Object.keys(aliases),
  ...Object.keys(refused),
  ...ignoredSwitches,
  ...ignoredValues,
];

const isKnown = (name: string): boolean => [flags, aliases, refused].some((table) => Object.hasOwn(table, name)) || isIgnored(name);

function splitFlag(word: string): [name: string, attached: string | undefined] {
  if (word === '-h') return ['help', undefined];
  const parts = /^--?([^-=][^=]*)(?:=(.*))?$/s.exec(word);
  if (parts === null) throw strayWord(word);
  // pflag reads `-name` as a row of one-letter flags, of which there are none but -h.
  if (!word.startsWith('--')) throw unknownFlag(word, parts[1] as string);
  return [parts[1] as string, parts[2]];
}

/** The last one counts; a list grows, as pflag's string slices do. */
function add(found: Map<string, Given>, spelled: string, given: Given): void {
  const name = aliases[spelled] ?? spelled;
  const row = (flags as { [name: string]: { kind: string } })[name];
  const before = row?.kind === 'list' ? (found.get(name)?.texts ?? []) : [];
  found.set(name, { ...given, texts: [...before, ...given.texts] });
}

function parseObject(json: string): { [key: string]: unknown } {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw notAnObject();
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw notAnObject();
  return value as { [key: string]: unknown };
}

/** A number that is a duration counts nanoseconds, as in viper. One that JSON cannot hold exactly must be written as text. */
function configTexts(name: string, value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => configTexts(name, item));
  const row = (flags as { [name: string]: { kind: string } })[aliases[name] ?? name];
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value) && Number.isInteger(value))
      throw new FlagError(`config file: ${name} is a number too large for JSON; write it as text`, { code: 'FLAG_CONFIG_FILE' });
    return [row?.kind === 'duration' ? `${value}ns` : String(value)];
  }
  if (typeof value === 'string' || typeof value === 'boolean') return [String(value)];
  throw new FlagError(`config file: ${name} must be a text, a number, true or false, or a list of these`, { code: 'FLAG_CONFIG_FILE' });
}

/** Levenshtein's, with one row kept. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}

function unknownFlag(shown: string, name: string): FlagError {
  const nearest = nearestFlag(name);
  return new FlagError(`unknown flag ${shown}: the nearest one is --${nearest} (--help lists them all)`, {
    code: 'FLAG_UNKNOWN',
    flag: name,
    nearest,
  });
}

const strayWord = (word: string) =>
  new FlagError(`${JSON.stringify(word)} belongs to no flag; a switch takes its value after an equals sign, as in --strict=false`, {
    code: 'FLAG_STRAY_WORD',
    word,
  });

const notAnObject = () => new FlagError('config file: it must be a JSON object of flag names and values', { code: 'FLAG_CONFIG_FILE' });
