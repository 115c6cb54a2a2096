import { getNetwork, isPublicNetwork, isStandardNetwork } from '../network.ts';
import { type Command, checkArguments } from './command.ts';
import { formatHelp } from './flag-help.ts';
import { FlagError, type FlagInput, type FlagInputs, isIgnored, readArguments, readConfigJson, readVariables } from './flag-source.ts';
import { type FlagDefinition, type FlagKind, flagTable, unsupportedFlags } from './flag-table.ts';
import { describeAllowed, type FlagValues, parseFlagValue } from './flag-value.ts';

/** The value of every flag of the table, by flag name. */
export type Options = { readonly [N in keyof typeof flagTable]: ValueOf<(typeof flagTable)[N]> };

/** What parsing flags needs from outside. `readFile` reads the `--config-file` and may throw anything. */
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
      /** Whether the network was given, rather than the default. */
      readonly isNetworkGiven: boolean;
      readonly warnings: readonly string[];
    }
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'version'; readonly json: boolean }
  | { readonly kind: 'error'; readonly exitCode: 2; readonly message: string };

/** Parses flags. Precedence: command line, environment, config file, default. */
export function parseFlags(argv: readonly string[], env: FlagEnv): ParsedFlags {
  try {
    const { command, given: typed } = readArguments(argv);
    if (isSwitchOn(typed, 'help')) return { kind: 'help', text: formatHelp() };
    if (isSwitchOn(typed, 'version') || isSwitchOn(typed, 'version-json'))
      return { kind: 'version', json: isSwitchOn(typed, 'version-json') };
    const outer = new Map([...readVariables(env.vars ?? {}), ...typed]);
    const file = readConfigFile(outer, env);
    const given = new Map([...file.given, ...outer]);
    rejectUnsupported(given);
    checkCommand(command, typed);
    const options = readOptions(given, addDataDirVariable(given, env));
    checkCombinations(options, given);
    checkStorage(command, options);
    return {
      kind: 'run',
      command,
      options,
      isNetworkGiven: given.has('network-id'),
      warnings: [...warnUnknownKeys(file.unknown), ...listWarnings(options, given)],
    };
  } catch (error) {
    if (error instanceof FlagError) return { kind: 'error', exitCode: 2, message: error.message };
    throw error;
  }
}

type ValueOf<R extends FlagDefinition> =
  | (R extends { allowed: readonly (infer A)[] } ? A : FlagValues[R['kind']])
  | (R extends { default: string } ? never : undefined);

const isSwitchOn = (given: FlagInputs, name: keyof typeof flagTable): boolean => {
  const flag = given.get(name);
  return flag !== undefined && readFlag(name, flagTable[name], flag, {}) === true;
};

function readConfigFile(given: FlagInputs, env: FlagEnv): ReturnType<typeof readConfigJson> {
  const content = given.get('config-file-content');
  if (content !== undefined) {
    const type = given.get('config-file-content-type');
    if (type !== undefined) readFlag('config-file-content-type', flagTable['config-file-content-type'], type, env);
    return readConfigJson(Buffer.from(lastText(content), 'base64').toString('utf8'));
  }
  const file = given.get('config-file');
  if (file === undefined) return { given: new Map(), unknown: [] };
  const path = expandPath(lastText(file), env);
  const bad = (why: string) => new FlagError(`${file.source}: ${why}`, { code: 'FLAG_CONFIG_FILE' });
  if (/\.(ya?ml|toml)$/i.test(path)) throw bad(`${path} is not JSON; config files must be JSON`);
  const json = tryReadFile(path, env);
  if (json === undefined) throw bad(`cannot read ${path}`);
  return readConfigJson(json);
}

function tryReadFile(path: string, env: FlagEnv): string | undefined {
  try {
    return env.readFile?.(path);
  } catch {
    return undefined;
  }
}

/** Throws if a flag of a feature that Serac does not have is given. */
function rejectUnsupported(given: FlagInputs): void {
  for (const [name, { kind, why }] of Object.entries(unsupportedFlags)) {
    const flag = given.get(name);
    if (flag === undefined) continue;
    const row: FlagDefinition = { group: 'Program', kind, help: '' };
    if (readFlag(name, row, flag, {}) !== (kind === 'boolean' ? false : ''))
      throw new FlagError(`${flag.source}: ${why}`, { code: 'FLAG_REFUSED', flag: name });
  }
}

function readOptions(given: FlagInputs, env: FlagEnv): Options {
  const options: { [name: string]: unknown } = {};
  for (const [name, row] of Object.entries(flagTable) as [string, FlagDefinition][]) {
    const flag = given.get(name) ?? (row.default === undefined ? undefined : { texts: [row.default], source: `--${name}` });
    options[name] = flag === undefined ? undefined : readFlag(name, row, flag, env);
  }
  return options as Options;
}

function readFlag(name: string, row: FlagDefinition, flag: FlagInput, env: FlagEnv): FlagValues[FlagKind] {
  const text = row.kind === 'list' ? flag.texts.join(',') : lastText(flag);
  const value = parseFlagValue(row, row.kind === 'path' ? expandPath(text, env) : text);
  if (value === undefined)
    throw new FlagError(`${flag.source}: ${JSON.stringify(text)} is not allowed; it takes ${describeAllowed(row)}`, {
      code: 'FLAG_BAD_VALUE',
      flag: name,
    });
  return value;
}

const lastText = (flag: FlagInput): string => flag.texts.at(-1) ?? '';

/** Expands `$HOME/x` and `${HOME}/x` as AvalancheGo does, and `~/x`. AvalancheGo: config/flags.go, getExpandedArg. */
const expandPath = (path: string, env: FlagEnv): string =>
  path
    .replace(/^~(?=\/|$)/, () => env.home ?? '~')
    .replace(/\$(?:\{(\w+)\}|(\w+))/g, (_, braced?: string, bare?: string) => {
      const name = braced ?? bare ?? '';
      return env.vars?.[name] ?? (name === 'HOME' ? env.home : undefined) ?? '';
    });

/** Adds AvalancheGo's variable for the data directory, which other paths may begin with. */
function addDataDirVariable(given: FlagInputs, env: FlagEnv): FlagEnv {
  const flag = given.get('data-dir');
  return flag === undefined ? env : { ...env, vars: { ...env.vars, AVALANCHEGO_DATA_DIR: expandPath(lastText(flag), env) } };
}

/** Checks the arguments and flags of a command. Only flags of the command line are checked: variables and files may serve several commands. */
function checkCommand(command: Command, typed: FlagInputs): void {
  const fault = checkArguments(command);
  if (fault !== undefined) throw new FlagError(fault, { code: 'FLAG_COMMAND', command: command.name });
  for (const [name, { source }] of typed) {
    const { commands } = (flagTable as { readonly [name: string]: FlagDefinition })[name] ?? {};
    if (commands !== undefined && !commands.includes(command.name))
      throw new FlagError(`${source} belongs to ${commands.map((other) => `serac ${other}`).join(', ')}`, {
        code: 'FLAG_CLASH',
        flag: name,
      });
  }
}

/** Checks rules that involve several flags. AvalancheGo: config/config.go, where it has the same rules. */
function checkCombinations(options: Options, given: FlagInputs): void {
  const createClash = (flag: keyof Options, text: string) =>
    new FlagError(`${given.get(flag)?.source ?? `--${flag}`}: ${text}`, { code: 'FLAG_CLASH', flag });
  const network = getNetwork(options['network-id']);
  for (const flag of ['genesis-file', 'genesis-file-content'] as const)
    if (options[flag] !== undefined && isStandardNetwork(network.id))
      throw createClash(flag, `overrides standard network genesis config: ${network.name}; name a custom network with --network-id N`);
  if (options.accounts !== 0)
    throw createClash('accounts', `"${options.accounts}" is not allowed; only 0 is supported: the chain starts with its genesis only`);
  if (options['db-type'] !== undefined && options['db-type'] !== 'memdb' && options['data-dir'] === undefined)
    throw createClash('db-type', `${options['db-type']} needs a directory; give one with --data-dir`);
  if (typeof options.workers === 'number' && options.workers > 0 && (options['data-dir'] === undefined || options['db-type'] === 'memdb'))
    throw createClash('workers', 'a chain in memory cannot have reader processes; give --data-dir to have some');
  if (options.state !== undefined && options['data-dir'] !== undefined)
    throw createClash('state', 'a state file is for a chain in memory; --data-dir keeps the chain itself, so give one of the two');
  if (options['state-interval'] > 0 && options.state === undefined)
    throw createClash('state-interval', 'needs a state file; give one with --state FILE');
  const required = options['system-tracker-disk-required-available-space-percentage'];
  const warning = options['system-tracker-disk-warning-available-space-percentage'];
  if (warning < required)
    throw createClash(
      'system-tracker-disk-warning-available-space-percentage',
      `must not be below the percentage at which the node stops: ${warning} < ${required}`,
    );
  if (options['health-check-frequency'] === 0) throw createClash('health-check-frequency', 'must be longer than 0s');
  checkIdentity(options, createClash);
}

/** Throws if a command lacks the data directory or database that it needs. */
function checkStorage({ name }: Command, options: Options): void {
  const missing = (flag: keyof Options, text: string) => new FlagError(`serac ${name} needs ${text}`, { code: 'FLAG_CLASH', flag });
  const [directory, database] = [options['data-dir'], options['database-url']];
  if ((name === 'index' || name === 'api') && database === undefined)
    throw missing('database-url', 'PostgreSQL: --database-url postgres://user:password@host:5432/name');
  if (database !== undefined && !/^postgres(ql)?:/.test(database))
    throw missing('database-url', 'a PostgreSQL URL as --database-url: postgres://…');
  if (name === 'reindex' && directory === undefined) throw missing('data-dir', '--data-dir, the directory whose index is rebuilt');
  if (name === 'check' && directory === undefined) throw missing('data-dir', '--data-dir, the directory to verify');
  if (name === 'keys' && directory === undefined && database === undefined)
    throw missing('data-dir', '--data-dir DIR or --database-url postgres://…, where the API keys are stored');
}

function checkIdentity(options: Options, createClash: (flag: keyof Options, text: string) => FlagError): void {
  const cert = options['staking-tls-cert-file-content'];
  const key = options['staking-tls-key-file-content'];
  if (cert !== undefined && key === undefined)
    throw createClash('staking-tls-cert-file-content', 'needs --staking-tls-key-file-content too');
  if (key !== undefined && cert === undefined)
    throw createClash('staking-tls-key-file-content', 'needs --staking-tls-cert-file-content too');
  const signers = (['staking-signer-key-file', 'staking-signer-key-file-content', 'staking-ephemeral-signer-enabled'] as const).filter(
    (flag) => options[flag],
  );
  if (signers[1] !== undefined)
    throw createClash(signers[1], `only one of these can be set: ${signers.map((flag) => `--${flag}`).join(', ')}`);
}

function listWarnings(options: Options, given: FlagInputs): string[] {
  const ignored = [...given].filter(([name]) => isIgnored(name)).map(([, flag]) => flag.source);
  const fees = (['tx-fee', 'create-asset-tx-fee'] as const).filter((flag) => options[flag] !== undefined);
  const type = options['db-type'];
  return [
    ...(ignored.length > 0 ? [`AvalancheGo flags without effect in Serac: ${ignored.join(', ')}`] : []),
    ...(fees.length > 0 && isPublicNetwork(options['network-id'])
      ? [`fees are fixed on ${getNetwork(options['network-id']).name}: ${fees.map((flag) => `--${flag}`).join(', ')} has no effect`]
      : []),
    ...(type === 'leveldb' || type === 'pebbledb' ? [`--db-type ${type} is treated as sqlite`] : []),
  ];
}

const warnUnknownKeys = (keys: readonly string[]): string[] =>
  keys.length > 0 ? [`config file: unknown keys without effect: ${keys.join(', ')}`] : [];
