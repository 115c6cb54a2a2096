import { editDistance } from '../../base/bytes/nearest-name.ts';
import { Fault } from '../../base/fault.ts';
import { ignoredSwitches, ignoredValues, unsupportedFlags } from './avalanchego-flags.ts';
import { type Command, type CommandName, commandGroups, commandNames, commandTable, isCommand, listSubcommands } from './command.ts';
import { showUsage } from './command-arguments.ts';
import { commandSynonyms } from './command-synonyms.ts';
import { type FlagDefinition, isListKind } from './flag-definition.ts';
import { acceptsFlag, flagAliases, flagTable, shortFlags } from './flag-table.ts';

/** The value texts of a flag, and where they come from (`--http-port`, a variable or the config file), for error messages. */
export type FlagInput = { readonly texts: readonly string[]; readonly source: string };
export type FlagInputs = ReadonlyMap<string, FlagInput>;

/**
 * Reads the command and flags of a command line: a switch takes a value only after an equals sign, as with Go's pflag; every other flag
 * without an equals sign takes the next argument. Unlike pflag it does not take the name of another flag, which is nearly always a mistake.
 */
export function readArguments(argv: readonly string[]): { readonly command: Command; readonly given: FlagInputs } {
  const found = new Map<string, FlagInput>();
  const { name, words } = readCommandName(argv);
  const args: string[] = [];
  for (let at = words; at < argv.length; at++) {
    const word = argv[at] as string;
    if (!word.startsWith('-') && args.length < commandTable[name].args.length) {
      args.push(word);
      // What follows a script is its own, also if it looks like a flag.
      if (isRest(commandTable[name].args[1])) {
        args.push(...argv.slice(at + 1));
        break;
      }
      continue;
    }
    const [flag, attached] = splitFlag(word, name);
    if (!isKnown(flag)) throw unknownFlag(word.replace(/=.*$/s, ''), flag, name);
    const text = attached ?? impliedValue(flag, argv[at + 1]) ?? requireValue(flag, argv[++at]);
    addInput(found, flag, { texts: [text], source: `--${flag}` });
  }
  return { command: { name, args }, given: found };
}

/** Whether an argument stands for all that follow. */
const isRest = (arg: string | undefined): boolean => arg?.endsWith('…]') === true;

/** The value of a flag that has none: a switch is on, and so is a choice of on and off that is followed by another flag or by nothing. */
function impliedValue(flag: string, next: string | undefined): string | undefined {
  if (isSwitch(flag)) return 'true';
  const isOnOff = rowOf(flagAliases[flag] ?? flag)?.allowed?.includes('on') === true;
  return isOnOff && (next === undefined || next.startsWith('-')) ? 'on' : undefined;
}

function requireValue(flag: string, text: string | undefined): string {
  const isOtherFlag = text?.startsWith('--') === true && isKnown(text.slice(2).replace(/=.*$/s, ''));
  if (text !== undefined && !isOtherFlag) return text;
  const hint = isOtherFlag ? `, but ${text} follows; a value that looks like a flag is written --${flag}=${text}` : '';
  throw new FlagError(`--${flag} needs a value${hint}`, { code: 'FLAG_NO_VALUE', flag });
}

/** Reads the command at the start of a command line, and of how many words it consists. Without one it is `dev`. */
function readCommandName([typed, second]: readonly string[]): { readonly name: CommandName; readonly words: number } {
  if (typed === undefined || typed.startsWith('-')) return { name: 'dev', words: 0 };
  // Words may be in any case.
  const first = typed.toLowerCase();
  const name = `${first} ${second?.toLowerCase()}`;
  if (isCommand(name)) return { name, words: 2 };
  if (isCommand(first)) return { name: first, words: 1 };
  throw commandGroups.includes(first) ? unknownSubcommand(first, second) : unknownCommand(typed);
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
      if (text && !serviceLink.test(text)) found.set(flagAliases[name] ?? name, { texts: [text], source: variable });
    }
  }
  return found;
}

/** What Kubernetes and Docker set in SERAC_PORT and SERAC_HTTP_PORT beside a service of the name `serac` or `serac-http`: no value of any flag. */
const serviceLink = /^(?:tcp|udp|sctp):\/\//;

/** Reads flags from an object of flag names and values. Unknown names are returned, to be shown as a warning: AvalancheGo ignores them. */
export function readConfigObject(config: unknown): { readonly given: FlagInputs; readonly unknown: readonly string[] } {
  const found = new Map<string, FlagInput>();
  const unknown: string[] = [];
  for (const [key, value] of Object.entries(requireObject(config))) {
    const name = key.toLowerCase();
    if (isKnown(name) && !commandLineOnly.has(name))
      found.set(flagAliases[name] ?? name, { texts: formatConfigValue(name, value), source: `config file, ${name}` });
    else unknown.push(key);
  }
  return { given: found, unknown };
}

const isSwitch = (name: string): boolean =>
  ignoredSwitches.has(name) || unsupportedFlags[name]?.kind === 'boolean' || rowOf(name)?.kind === 'boolean';

/** Whether a command accepts a flag of AvalancheGo without effect. */
export function isIgnoredBy(command: CommandName, name: string): boolean {
  const row = rowOf(name);
  return isIgnored(name) || (row?.isIgnoredElsewhere === true && !acceptsFlag(command, row));
}

const isIgnored = (name: string): boolean => ignoredSwitches.has(name) || ignoredValues.has(name);

/**
 * The flag of a command that is most similar to an unknown one: the shortest that contains it as a word, else the one with the smallest edit
 * distance. Undefined if the command has no similar one: a flag of another command would be refused as well.
 */
export function findNearestFlag(name: string, command: CommandName): string | undefined {
  const { known, distance } = findNearest(
    name,
    listFlagNames().filter((one) => isFlagOf(command, one)),
  );
  return distance <= Math.max(2, Math.min(name.length, maxComparedLength) / 2) ? known : undefined;
}

/** A flag that contains the name as a word has distance 0. */
function findNearest(name: string, names: readonly string[]): { readonly known: string; readonly distance: number } {
  const withWord = names.filter((known) => name.length > 2 && `-${known}-`.includes(`-${name}-`));
  if (withWord.length > 0) return { known: withWord.reduce((best, next) => (next.length < best.length ? next : best)), distance: 0 };
  return names
    .map((known) => ({ known, distance: editDistance(name.slice(0, maxComparedLength), known) }))
    .reduce((best, next) => (next.distance < best.distance ? next : best));
}

/** Whether a command accepts a flag under this name. AvalancheGo's flags without effect are for commands that serve. */
function isFlagOf(command: CommandName, name: string): boolean {
  const row = rowOf(flagAliases[name] ?? name);
  return row === undefined ? commandTable[command].kind === 'server' : acceptsFlag(command, row);
}

const rowOf = (name: string): FlagDefinition | undefined => (flagTable as { readonly [name: string]: FlagDefinition })[name];

type FlagFault =
  | { code: 'FLAG_UNKNOWN'; flag: string; nearest: string | undefined }
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

function splitFlag(word: string, command: CommandName): [name: string, attached: string | undefined] {
  // Anvil has levels of -v; here there is one.
  const short = /^-([a-zA-Z])(?:=(.*))?$/s.exec(word.replace(/^-v+$/, '-v'));
  if (short !== null && Object.hasOwn(shortFlags, short[1] as string)) return [shortFlags[short[1] as string] as string, short[2]];
  if (/^-\.?\d/.test(word))
    throw new FlagError(`${JSON.stringify(word)} is negative, which no argument is; ${showUsage(command)}`, {
      code: 'FLAG_STRAY_WORD',
      word,
    });
  const parts = /^--?([^-=][^=]*)(?:=(.*))?$/s.exec(word);
  if (parts === null) throw unexpectedArgument(word, command);
  if (!word.startsWith('--')) throw unknownFlag(word, parts[1] as string, command);
  return [parts[1] as string, parts[2]];
}

/** Adds a flag. A repeated flag replaces the earlier one; a repeated list is appended, as with pflag's string slices. */
function addInput(found: Map<string, FlagInput>, spelled: string, given: FlagInput): void {
  const name = flagAliases[spelled] ?? spelled;
  const row = rowOf(name);
  const before = row !== undefined && isListKind(row.kind) ? (found.get(name)?.texts ?? []) : [];
  found.set(name, { ...given, texts: [...before, ...given.texts] });
}

function requireObject(value: unknown): { [key: string]: unknown } {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as { [key: string]: unknown };
  throw new FlagError('config file: must be an object of flag names and values', { code: 'FLAG_CONFIG_FILE' });
}

/** The value texts of a config file entry. A number for a duration is in nanoseconds, as in viper. A number too large for JSON is rejected. */
function formatConfigValue(name: string, value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => formatConfigValue(name, item));
  const row = rowOf(flagAliases[name] ?? name);
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value) && Number.isInteger(value))
      throw new FlagError(`config file: ${name} is a number too large for JSON; write it as a string`, { code: 'FLAG_CONFIG_FILE' });
    return [row?.kind === 'duration' ? `${value}ns` : String(value)];
  }
  if (typeof value === 'string' || typeof value === 'boolean') return [String(value)];
  throw new FlagError(`config file: ${name} must be a string, a number, true or false, or a list of these`, { code: 'FLAG_CONFIG_FILE' });
}

function unknownFlag(shown: string, name: string, command: CommandName): FlagError {
  const nearest = findNearestFlag(name, command);
  const remedy =
    nearest === undefined
      ? `serac help ${command} lists all flags; ${showUsage(command)}`
      : `did you mean --${nearest}? (serac help ${command} lists all flags)`;
  return new FlagError(`unknown flag ${shown}; ${remedy}`, { code: 'FLAG_UNKNOWN', flag: name, nearest });
}

function unexpectedArgument(word: string, command: CommandName): FlagError {
  const why =
    command !== 'dev'
      ? showUsage(command)
      : isCommand(word) || commandGroups.includes(word)
        ? `serac dev runs a node; did you mean serac ${word}?`
        : 'a command comes first, and a switch takes its value after an equals sign, as in --strict=false';
  return new FlagError(`unexpected argument ${JSON.stringify(word)}; ${why}`, { code: 'FLAG_STRAY_WORD', word });
}

function unknownSubcommand(group: string, word: string | undefined): FlagError {
  const known = listSubcommands(group);
  const choices = `serac ${group} is followed by one of ${known.join(', ')}`;
  const meant = word === undefined || word.startsWith('-') ? undefined : findSubcommand(group, word);
  const message = meant === undefined ? choices : `there is no serac ${group} ${word}; did you mean serac ${meant}?\n       ${choices}`;
  return new FlagError(`${message}; see serac help ${group}`, { code: 'FLAG_COMMAND', command: group });
}

/** The command of a group that does what the word means elsewhere (`nft transfer`: `nft send`), or that is spelled most similarly. */
function findSubcommand(group: string, word: string): string | undefined {
  const synonyms = Object.hasOwn(commandSynonyms, word.toLowerCase()) ? (commandSynonyms[word.toLowerCase()] ?? []) : [];
  const meant = synonyms
    .flatMap((command) => [command, `${group} ${command}`])
    .find((command) => command.startsWith(`${group} `) && isCommand(command));
  return meant ?? findSimilar(word, listSubcommands(group))?.replace(/^/, `${group} `);
}

function unknownCommand(word: string): FlagError {
  const meant = Object.hasOwn(commandSynonyms, word.toLowerCase()) ? commandSynonyms[word.toLowerCase()] : findSimilarCommand(word);
  const suggestion = meant === undefined ? ';' : `; did you mean ${meant.map((command) => `serac ${command}`).join(' or ')}?`;
  return new FlagError(`unknown command ${JSON.stringify(word)}${suggestion} serac help commands lists all`, {
    code: 'FLAG_COMMAND',
    command: word,
  });
}

const findSimilarCommand = (word: string): readonly string[] | undefined => {
  const similar = findSimilar(word, [...commandNames, ...commandGroups]);
  return similar === undefined ? undefined : [similar];
};

/** The name that is spelled most similarly; undefined if none is similar. */
function findSimilar(word: string, names: readonly string[]): string | undefined {
  const { known, distance } = names
    .map((known) => ({ known, distance: editDistance(word.slice(0, maxComparedLength), known) }))
    .reduce((best, next) => (next.distance < best.distance ? next : best));
  return distance <= Math.max(2, word.length / 2) && distance < word.length ? known : undefined;
}
