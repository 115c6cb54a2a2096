import { Fault } from '../fault.ts';
import { type Command, commandTable, isCommand } from './command.ts';
import { flagAliases, flagTable, ignoredSwitches, ignoredValues, shortFlags, unsupportedFlags } from './flag-table.ts';

/** The value texts of a flag, and where they come from (`--http-port`, a variable or the config file), for error messages. */
export type FlagInput = { readonly texts: readonly string[]; readonly source: string };
export type FlagInputs = ReadonlyMap<string, FlagInput>;

/**
 * Reads the command and flags of a command line by the rules of Go's pflag: a switch takes a value only after an equals sign; every other
 * flag without an equals sign takes the next argument, even one that looks like a flag.
 */
export function readArguments(argv: readonly string[]): { readonly command: Command; readonly given: FlagInputs } {
  const found = new Map<string, FlagInput>();
  const name = isCommand(argv[0]) ? argv[0] : 'run';
  const args: string[] = [];
  for (let at = name === 'run' ? 0 : 1; at < argv.length; at++) {
    const word = argv[at] as string;
    if (!word.startsWith('-') && args.length < commandTable[name].args.length) {
      args.push(word);
      continue;
    }
    const [flag, attached] = splitFlag(word);
    if (!isKnown(flag)) throw unknownFlag(word.replace(/=.*$/s, ''), flag);
    const text = attached ?? (isSwitch(flag) ? 'true' : argv[++at]);
    if (text === undefined) throw new FlagError(`--${flag} needs a value`, { code: 'FLAG_NO_VALUE', flag });
    addInput(found, flag, { texts: [text], source: `--${flag}` });
  }
  return { command: { name, args }, given: found };
}

/**
 * Reads flags from environment variables: `AVAGO_HTTP_PORT`, as AvalancheGo does, and `SERAC_HTTP_PORT`, which takes precedence. An empty
 * variable counts as not set. AvalancheGo: config/viper.go.
 */
export function readVariables(vars: { readonly [name: string]: string | undefined }): FlagInputs {
  const found = new Map<string, FlagInput>();
  for (const name of listFlagNames()) {
    if (commandLineOnly.has(name)) continue;
    const tail = name.toUpperCase().replaceAll('-', '_');
    for (const variable of [`AVAGO_${tail}`, `SERAC_${tail}`]) {
      const text = vars[variable];
      if (text) found.set(flagAliases[name] ?? name, { texts: [text], source: variable });
    }
  }
  return found;
}

/** Reads flags from a JSON object of flag names and values. Unknown names are returned, to be shown as a warning: AvalancheGo ignores them. */
export function readConfigJson(json: string): { readonly given: FlagInputs; readonly unknown: readonly string[] } {
  const found = new Map<string, FlagInput>();
  const unknown: string[] = [];
  for (const [key, value] of Object.entries(parseObject(json))) {
    const name = key.toLowerCase();
    if (isKnown(name) && !commandLineOnly.has(name))
      found.set(flagAliases[name] ?? name, { texts: formatConfigValue(name, value), source: `config file, ${name}` });
    else unknown.push(key);
  }
  return { given: found, unknown };
}

export const isSwitch = (name: string): boolean =>
  ignoredSwitches.has(name) ||
  unsupportedFlags[name]?.kind === 'boolean' ||
  (flagTable as { [name: string]: { kind: string } })[name]?.kind === 'boolean';

export const isIgnored = (name: string): boolean => ignoredSwitches.has(name) || ignoredValues.has(name);

/** The known flag that is most similar to an unknown one: the shortest that contains it as a word, else the one with the smallest edit distance. */
export function findNearestFlag(name: string): string {
  const withWord = listFlagNames().filter((known) => name.length > 2 && `-${known}-`.includes(`-${name}-`));
  if (withWord.length > 0) return withWord.reduce((best, next) => (next.length < best.length ? next : best));
  return listFlagNames()
    .map((known) => ({ known, distance: editDistance(name.slice(0, maxComparedLength), known) }))
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

const maxComparedLength = 100;

/** Flags that are read from the command line only: a container image that happens to set AVAGO_VERSION must still start a node. */
const commandLineOnly: ReadonlySet<string> = new Set(['help', 'version', 'version-json']);

/** All known flag names. Supported flags come first, so that they are preferred among equally similar names. */
const listFlagNames = (): string[] => [
  ...Object.keys(flagTable),
  ...Object.keys(flagAliases),
  ...Object.keys(unsupportedFlags),
  ...ignoredSwitches,
  ...ignoredValues,
];

const isKnown = (name: string): boolean =>
  [flagTable, flagAliases, unsupportedFlags].some((table) => Object.hasOwn(table, name)) || isIgnored(name);

function splitFlag(word: string): [name: string, attached: string | undefined] {
  const short = /^-([a-z])(?:=(.*))?$/s.exec(word);
  if (short !== null && Object.hasOwn(shortFlags, short[1] as string)) return [shortFlags[short[1] as string] as string, short[2]];
  const parts = /^--?([^-=][^=]*)(?:=(.*))?$/s.exec(word);
  if (parts === null) throw unexpectedArgument(word);
  // pflag reads `-name` as a series of one-letter flags.
  if (!word.startsWith('--')) throw unknownFlag(word, parts[1] as string);
  return [parts[1] as string, parts[2]];
}

/** Adds a flag. A repeated flag replaces the earlier one; a repeated list is appended, as with pflag's string slices. */
function addInput(found: Map<string, FlagInput>, spelled: string, given: FlagInput): void {
  const name = flagAliases[spelled] ?? spelled;
  const row = (flagTable as { [name: string]: { kind: string } })[name];
  const before = row?.kind === 'list' ? (found.get(name)?.texts ?? []) : [];
  found.set(name, { ...given, texts: [...before, ...given.texts] });
}

function parseObject(json: string): { [key: string]: unknown } {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw notAJsonObject();
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw notAJsonObject();
  return value as { [key: string]: unknown };
}

/** The value texts of a config file entry. A number for a duration is in nanoseconds, as in viper. A number too large for JSON is rejected. */
function formatConfigValue(name: string, value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => formatConfigValue(name, item));
  const row = (flagTable as { [name: string]: { kind: string } })[flagAliases[name] ?? name];
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value) && Number.isInteger(value))
      throw new FlagError(`config file: ${name} is a number too large for JSON; write it as a string`, { code: 'FLAG_CONFIG_FILE' });
    return [row?.kind === 'duration' ? `${value}ns` : String(value)];
  }
  if (typeof value === 'string' || typeof value === 'boolean') return [String(value)];
  throw new FlagError(`config file: ${name} must be a string, a number, true or false, or a list of these`, { code: 'FLAG_CONFIG_FILE' });
}

/** The Levenshtein distance, computed with one row of the matrix at a time. */
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
  const nearest = findNearestFlag(name);
  return new FlagError(`unknown flag ${shown}; did you mean --${nearest}? (--help lists all flags)`, {
    code: 'FLAG_UNKNOWN',
    flag: name,
    nearest,
  });
}

const unexpectedArgument = (word: string) =>
  new FlagError(
    `unexpected argument ${JSON.stringify(word)}; commands are: ${Object.keys(commandTable)
      .filter((name) => name !== 'run')
      .join(', ')}; a switch takes its value after an equals sign, as in --strict=false`,
    { code: 'FLAG_STRAY_WORD', word },
  );

const notAJsonObject = () => new FlagError('config file: must be a JSON object of flag names and values', { code: 'FLAG_CONFIG_FILE' });
