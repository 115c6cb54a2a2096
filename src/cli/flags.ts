import { isPublic, isStandard, networkOf } from '../network.ts';
import { type Command, wordsFault } from './command.ts';
import { helpText } from './flag-help.ts';
import { FlagError, fromArguments, fromConfigFile, fromVariables, type Given, type GivenFlags, isIgnored } from './flag-source.ts';
import { flags, type Kind, type Row, refused } from './flag-table.ts';
import { allowedText, parseValue, type Values } from './flag-value.ts';

/** One value per row of the table, under the flag's own name. */
export type Options = { readonly [N in keyof typeof flags]: ValueOf<(typeof flags)[N]> };

/** What flags need from outside. `readFile` is asked for `--config-file` alone and throws what it likes. */
export type FlagEnv = {
  readonly home?: string;
  readonly vars?: { readonly [name: string]: string | undefined };
  readonly readFile?: (path: string) => string;
};

export type ParsedFlags =
  | {
      readonly kind: 'run';
      readonly command: Command;
      readonly options: Options;
      /** Whether someone chose the network, or it is the default. */
      readonly networkGiven: boolean;
      readonly warnings: readonly string[];
    }
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'version'; readonly json: boolean }
  | { readonly kind: 'error'; readonly exitCode: 2; readonly message: string };

/** Command line, then environment, then configuration file, then default: the first that has a flag decides it. */
export function parseFlags(argv: readonly string[], env: FlagEnv): ParsedFlags {
  try {
    const { command, given: typed } = fromArguments(argv);
    if (isOn(typed, 'help')) return { kind: 'help', text: helpText() };
    if (isOn(typed, 'version') || isOn(typed, 'version-json')) return { kind: 'version', json: isOn(typed, 'version-json') };
    const outer = new Map([...fromVariables(env.vars ?? {}), ...typed]);
    const file = readConfigFile(outer, env);
    const given = new Map([...file.given, ...outer]);
    refuseMissing(given);
    checkCommand(command, typed);
    const options = optionsOf(given, withDataDir(given, env));
    checkTogether(options, given);
    checkPlaces(command, options);
    return {
      kind: 'run',
      command,
      options,
      networkGiven: given.has('network-id'),
      warnings: [...unknownKeys(file.unknown), ...warningsOf(options, given)],
    };
  } catch (error) {
    if (error instanceof FlagError) return { kind: 'error', exitCode: 2, message: error.message };
    throw error;
  }
}

type ValueOf<R extends Row> =
  | (R extends { allowed: readonly (infer A)[] } ? A : Values[R['kind']])
  | (R extends { default: string } ? never : undefined);

const isOn = (given: GivenFlags, name: keyof typeof flags): boolean => {
  const flag = given.get(name);
  return flag !== undefined && readFlag(name, flags[name], flag, {}) === true;
};

function readConfigFile(given: GivenFlags, env: FlagEnv): ReturnType<typeof fromConfigFile> {
  const content = given.get('config-file-content');
  if (content !== undefined) {
    const type = given.get('config-file-content-type');
    if (type !== undefined) readFlag('config-file-content-type', flags['config-file-content-type'], type, env);
    return fromConfigFile(Buffer.from(lastText(content), 'base64').toString('utf8'));
  }
  const file = given.get('config-file');
  if (file === undefined) return { given: new Map(), unknown: [] };
  const path = expand(lastText(file), env);
  const bad = (why: string) => new FlagError(`${file.from}: ${why}`, { code: 'FLAG_CONFIG_FILE' });
  if (/\.(ya?ml|toml)$/i.test(path)) throw bad(`${path} is not JSON, the only form of configuration file here`);
  const json = tryRead(path, env);
  if (json === undefined) throw bad(`cannot read ${path}`);
  return fromConfigFile(json);
}

function tryRead(path: string, env: FlagEnv): string | undefined {
  try {
    return env.readFile?.(path);
  } catch {
    return undefined;
  }
}

/** What Serac does not have and must not seem to have. */
function refuseMissing(given: GivenFlags): void {
  for (const [name, { kind, why }] of Object.entries(refused)) {
    const flag = given.get(name);
    if (flag === undefined) continue;
    const row: Row = { group: 'Program', kind, help: '' };
    if (readFlag(name, row, flag, {}) !== (kind === 'yes' ? false : ''))
      throw new FlagError(`${flag.from}: ${why}`, { code: 'FLAG_REFUSED', flag: name });
  }
}

function optionsOf(given: GivenFlags, env: FlagEnv): Options {
  const options: { [name: string]: unknown } = {};
  for (const [name, row] of Object.entries(flags) as [string, Row][]) {
    const flag = given.get(name) ?? (row.default === undefined ? undefined : { texts: [row.default], from: `--${name}` });
    options[name] = flag === undefined ? undefined : readFlag(name, row, flag, env);
  }
  return options as Options;
}

function readFlag(name: string, row: Row, flag: Given, env: FlagEnv): Values[Kind] {
  const text = row.kind === 'list' ? flag.texts.join(',') : lastText(flag);
  const value = parseValue(row, row.kind === 'path' ? expand(text, env) : text);
  if (value === undefined)
    throw new FlagError(`${flag.from}: ${JSON.stringify(text)} is not allowed; it takes ${allowedText(row)}`, {
      code: 'FLAG_BAD_VALUE',
      flag: name,
    });
  return value;
}

const lastText = (flag: Given): string => flag.texts.at(-1) ?? '';

/** `$HOME/x` and `${HOME}/x` as the peer expands them, and `~/x`. Peer: config/flags.go, getExpandedArg. */
const expand = (path: string, env: FlagEnv): string =>
  path
    .replace(/^~(?=\/|$)/, () => env.home ?? '~')
    .replace(/\$(?:\{(\w+)\}|(\w+))/g, (_, braced?: string, bare?: string) => {
      const name = braced ?? bare ?? '';
      return env.vars?.[name] ?? (name === 'HOME' ? env.home : undefined) ?? '';
    });

/** The peer's own variable for the data directory, which other paths may begin with. */
function withDataDir(given: GivenFlags, env: FlagEnv): FlagEnv {
  const flag = given.get('data-dir');
  return flag === undefined ? env : { ...env, vars: { ...env.vars, AVALANCHEGO_DATA_DIR: expand(lastText(flag), env) } };
}

/** Only what was typed is judged: a variable or a file may be meant for another command too. */
function checkCommand(command: Command, typed: GivenFlags): void {
  const fault = wordsFault(command);
  if (fault !== undefined) throw new FlagError(fault, { code: 'FLAG_COMMAND', command: command.name });
  for (const [name, { from }] of typed) {
    const { only } = (flags as { readonly [name: string]: Row })[name] ?? {};
    if (only !== undefined && !only.includes(command.name))
      throw new FlagError(`${from} belongs to ${only.map((other) => `serac ${other}`).join(', ')}`, { code: 'FLAG_CLASH', flag: name });
  }
}

/** Rules that look at more than one flag. Peer: config/config.go, where it has the same ones. */
function checkTogether(options: Options, given: GivenFlags): void {
  const clash = (flag: keyof Options, text: string) =>
    new FlagError(`${given.get(flag)?.from ?? `--${flag}`}: ${text}`, { code: 'FLAG_CLASH', flag });
  const network = networkOf(options['network-id']);
  for (const flag of ['genesis-file', 'genesis-file-content'] as const)
    if (options[flag] !== undefined && isStandard(network.id))
      throw clash(flag, `overrides standard network genesis config: ${network.name}; name a custom network with --network-id N`);
  if (options.accounts !== 0)
    throw clash('accounts', `"${options.accounts}" is not allowed; only 0 for now: the chain starts with nothing but its genesis`);
  if (options['db-type'] !== undefined && options['db-type'] !== 'memdb' && options['data-dir'] === undefined)
    throw clash('db-type', `${options['db-type']} needs a place on disk; give one with --data-dir`);
  if (typeof options.workers === 'number' && options.workers > 0 && (options['data-dir'] === undefined || options['db-type'] === 'memdb'))
    throw clash('workers', 'a chain in memory has one process; give --data-dir to have more');
  const required = options['system-tracker-disk-required-available-space-percentage'];
  const warning = options['system-tracker-disk-warning-available-space-percentage'];
  if (warning < required)
    throw clash('system-tracker-disk-warning-available-space-percentage', `the warning comes after the stop: ${warning} < ${required}`);
  if (options['health-check-frequency'] === 0) throw clash('health-check-frequency', 'must be longer than 0s');
  checkIdentity(options, clash);
}

/** Commands that need a place to read or write. */
function checkPlaces({ name }: Command, options: Options): void {
  const missing = (flag: keyof Options, text: string) => new FlagError(`serac ${name} needs ${text}`, { code: 'FLAG_CLASH', flag });
  const [directory, database] = [options['data-dir'], options['database-url']];
  if ((name === 'index' || name === 'api') && database === undefined)
    throw missing('database-url', 'PostgreSQL: --database-url postgres://user:password@host:5432/name');
  if (database !== undefined && !/^postgres(ql)?:/.test(database))
    throw missing('database-url', 'a --database-url of PostgreSQL, postgres://…');
  if (name === 'reindex' && directory === undefined) throw missing('data-dir', '--data-dir, the directory whose index is built again');
  if (name === 'check' && directory === undefined) throw missing('data-dir', '--data-dir, the directory to verify');
  if (name === 'keys' && directory === undefined && database === undefined)
    throw missing('data-dir', '--data-dir DIR or --database-url postgres://…: where the keys are kept');
}

function checkIdentity(options: Options, clash: (flag: keyof Options, text: string) => FlagError): void {
  const cert = options['staking-tls-cert-file-content'];
  const key = options['staking-tls-key-file-content'];
  if (cert !== undefined && key === undefined) throw clash('staking-tls-cert-file-content', 'needs --staking-tls-key-file-content too');
  if (key !== undefined && cert === undefined) throw clash('staking-tls-key-file-content', 'needs --staking-tls-cert-file-content too');
  const signers = (['staking-signer-key-file', 'staking-signer-key-file-content', 'staking-ephemeral-signer-enabled'] as const).filter(
    (flag) => options[flag],
  );
  if (signers[1] !== undefined) throw clash(signers[1], `only one of these can be set: ${signers.map((flag) => `--${flag}`).join(', ')}`);
}

function warningsOf(options: Options, given: GivenFlags): string[] {
  const ignored = [...given].filter(([name]) => isIgnored(name)).map(([, flag]) => flag.from);
  const fees = (['tx-fee', 'create-asset-tx-fee'] as const).filter((flag) => options[flag] !== undefined);
  const type = options['db-type'];
  return [
    ...(ignored.length > 0 ? [`accepted, no effect here: ${ignored.join(', ')}`] : []),
    ...(fees.length > 0 && isPublic(options['network-id'])
      ? [`fees are fixed on ${networkOf(options['network-id']).name}: ${fees.map((flag) => `--${flag}`).join(', ')} has no effect`]
      : []),
    ...(type === 'leveldb' || type === 'pebbledb' ? [`--db-type ${type} means sqlite here`] : []),
  ];
}

const unknownKeys = (keys: readonly string[]): string[] => (keys.length > 0 ? [`config file: unknown, no effect: ${keys.join(', ')}`] : []);
