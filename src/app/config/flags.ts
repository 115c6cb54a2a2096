import { getNetwork, isPublicNetwork, isStandardNetwork } from '../../avm/network.ts';
import { defaultAccounts } from '../../avm/wallet/accounts.ts';
import { WalletError } from '../../avm/wallet/fault.ts';
import { parsePath } from '../../avm/wallet/hd-key.ts';
import { parseIpRange } from '../../base/bytes/ip-address.ts';
import { attempt } from '../../base/fault.ts';
import { DatabaseUrlError, parseDatabaseUrl } from '../../cluster/postgres/database-url.ts';
import { unsupportedFlags } from './avalanchego-flags.ts';
import { type Command, commandGroups, commandNames, commandTable } from './command.ts';
import { checkArguments, isHttpUrl } from './command-arguments.ts';
import { type FlagDefinition, type FlagKind, isListKind } from './flag-definition.ts';
import { formatCommandList, formatFlagList, formatGroupHelp, formatHelp } from './flag-help.ts';
import { FlagError, type FlagInput, type FlagInputs, isIgnoredBy, readArguments, readConfigObject, readVariables } from './flag-source.ts';
import { acceptsFlag, flagTable, type Options } from './flag-table.ts';
import { describeAllowed, type FlagValues, parseFlagValue } from './flag-value.ts';
import { formatScreen } from './help-screen.ts';
import { checkPeerFlags, noDevReason } from './peer-rules.ts';

/** What parsing flags needs from outside. Without `vars` a `$` in a path is a character. `readFile` reads the `--config-file`; both functions may throw anything. */
export type FlagEnv = {
  readonly home?: string;
  readonly vars?: { readonly [name: string]: string | undefined };
  readonly readFile?: (path: string) => string;
  readonly parseYaml?: ((text: string) => unknown) | undefined;
};

export type ParsedFlags =
  | {
      readonly kind: 'run';
      readonly command: Command;
      readonly options: Options;
      /** The flags that were given, with where they come from. */
      readonly given: FlagInputs;
      /** Whether the network was given, rather than the default. */
      readonly isNetworkGiven: boolean;
      /** Keys of the config file that are not flags. */
      readonly unknownKeys: readonly string[];
      readonly warnings: readonly string[];
    }
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'version'; readonly json: boolean }
  | { readonly kind: 'error'; readonly exitCode: 2; readonly message: string; readonly code: string; readonly isJson: boolean };

/** Parses flags. Precedence: command line, environment, config file, default. */
export function parseFlags(argv: readonly string[], env: FlagEnv): ParsedFlags {
  try {
    const [first = '', second = ''] = argv;
    if (commandGroups.includes(first) && /^(--help|-h)$/.test(second)) return { kind: 'help', text: formatGroupHelp(first) };
    const { command, given: typed } = readArguments(argv);
    if (isSwitchOn(typed, 'help')) return { kind: 'help', text: first.startsWith('-') ? formatScreen() : formatHelp(command.name) };
    if (command.name === 'help') return { kind: 'help', text: helpOn(command.args) };
    if (isSwitchOn(typed, 'version') || isSwitchOn(typed, 'version-json'))
      return { kind: 'version', json: isSwitchOn(typed, 'version-json') || isSwitchOn(typed, 'json') };
    if (command.name === 'version') return printVersion(command, typed);
    const outer = new Map([...readVariables(env.vars ?? {}), ...typed]);
    const file = readConfigFile(outer, env);
    const given = new Map([...file.given, ...outer]);
    rejectUnsupported(given);
    checkCommand(command, typed);
    const options = readOptions(given, addDataDirVariable(given, env));
    checkCombinations(command, options, given);
    checkStorage(command, options);
    if (command.name === 'join' || command.name === 'testnet') checkPeerFlags(command, options, given);
    return {
      kind: 'run',
      command,
      options,
      given,
      isNetworkGiven: given.has('network-id'),
      unknownKeys: file.unknown,
      warnings: [...warnUnknownKeys(file.unknown), ...listWarnings(command, options, given)],
    };
  } catch (error) {
    if (error instanceof FlagError)
      return { kind: 'error', exitCode: 2, message: error.message, code: error.fault.code, isJson: wantsJson(argv, env) };
    throw error;
  }
}

function printVersion(command: Command, typed: FlagInputs): ParsedFlags {
  checkCommand(command, typed);
  return { kind: 'version', json: isSwitchOn(typed, 'json') };
}

const isSwitchOn = (given: FlagInputs, name: keyof typeof flagTable): boolean => {
  const flag = given.get(name);
  return flag !== undefined && readFlag(name, flagTable[name], flag, {}) === true;
};

/** The text of `serac help …`. */
function helpOn(words: readonly string[]): string {
  const [first] = words;
  if (first === undefined) return formatScreen();
  if (first === 'commands' && words.length === 1) return formatCommandList();
  if (first === 'flags' && words.length === 1) return formatFlagList();
  if (words.length === 1 && commandGroups.includes(first)) return formatGroupHelp(first);
  const { command } = readArguments(words.length === 1 ? [...words, '--help'] : words);
  return formatHelp(command.name);
}

function readConfigFile(given: FlagInputs, env: FlagEnv): ReturnType<typeof readConfigObject> {
  const content = given.get('config-file-content');
  if (content !== undefined) {
    const type = given.get('config-file-content-type');
    const format = type && readFlag('config-file-content-type', flagTable['config-file-content-type'], type, env);
    const text = Buffer.from(lastText(content), 'base64').toString('utf8');
    return readConfigObject(parseConfig(text, format === 'yaml' || format === 'yml', env));
  }
  const file = given.get('config-file');
  if (file === undefined) return { given: new Map(), unknown: [] };
  const path = expandPath(lastText(file), env);
  const bad = (why: string) => new FlagError(`${file.source}: ${why}`, { code: 'FLAG_CONFIG_FILE' });
  if (/\.toml$/i.test(path)) throw bad(`${path} is TOML; config files must be JSON or YAML`);
  const text = attempt(() => env.readFile?.(path));
  if (text === undefined) throw bad(`cannot read ${path}`);
  return readConfigObject(parseConfig(text, /\.ya?ml$/i.test(path), env));
}

function parseConfig(text: string, isYaml: boolean, env: FlagEnv): unknown {
  const parse = isYaml ? env.parseYaml : JSON.parse;
  try {
    return parse?.(text);
  } catch (error) {
    const why =
      error instanceof SyntaxError || error instanceof TypeError
        ? ''
        : `: ${String((error as { message?: unknown }).message).split('\n')[0]}`;
    throw new FlagError(`config file: must be ${isYaml ? 'a YAML' : 'a JSON'} object of flag names and values${why}`, {
      code: 'FLAG_CONFIG_FILE',
    });
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
  const text = isListKind(row.kind) ? flag.texts.join(',') : lastText(flag);
  const value = parseFlagValue(row, row.kind === 'path' ? expandPath(text, env) : text);
  if (value === undefined)
    throw new FlagError(`${flag.source}: ${JSON.stringify(text)} is not allowed; it takes ${describeAllowed(row)}`, {
      code: 'FLAG_BAD_VALUE',
      flag: name,
    });
  return value;
}

const lastText = (flag: FlagInput): string => flag.texts.at(-1) ?? '';

/** Expands `$HOME/x` and `${HOME}/x` as AvalancheGo does, and `~/x` (`~\\x` on Windows). AvalancheGo: config/flags.go, getExpandedArg. */
const expandPath = (path: string, { home, vars }: FlagEnv): string => {
  const atHome = path.replace(/^~(?=[/\\]|$)/, () => home ?? '~');
  if (vars === undefined) return atHome;
  return atHome.replace(/\$(?:\{(\w+)\}|(\w+))/g, (_, braced?: string, bare?: string) => {
    const name = braced ?? bare ?? '';
    return vars[name] ?? (name === 'HOME' ? home : undefined) ?? '';
  });
};

/** Adds AvalancheGo's variable for the data directory, which other paths may begin with. */
function addDataDirVariable(given: FlagInputs, env: FlagEnv): FlagEnv {
  const flag = given.get('data-dir');
  return flag === undefined || env.vars === undefined
    ? env
    : { ...env, vars: { ...env.vars, AVALANCHEGO_DATA_DIR: expandPath(lastText(flag), env) } };
}

/** Checks the arguments and flags of a command. Only flags of the command line are checked: variables and files may serve several commands. */
function checkCommand(command: Command, typed: FlagInputs): void {
  const fault = checkArguments(command);
  if (fault !== undefined) throw new FlagError(fault, { code: 'FLAG_COMMAND', command: command.name });
  for (const [name, { source }] of typed) {
    const row = (flagTable as { readonly [name: string]: FlagDefinition })[name];
    if (row === undefined || row.isIgnoredElsewhere || acceptsFlag(command.name, row)) continue;
    const owners = commandNames.filter((other) => other !== 'config print' && acceptsFlag(other, row));
    const shown = owners.length > 5 ? 'commands that run a node' : owners.map((other) => `serac ${other}`).join(', ');
    const why = command.name === 'join' && owners.every((other) => other === 'dev') ? `: ${noDevReason}` : '';
    const owned = row.group === 'Client' && owners.length > 6 ? 'commands that ask a node' : shown;
    const hint = commandTable[command.name].kind === 'client' ? `, not to serac ${command.name}: see serac help ${command.name}` : '';
    throw new FlagError(`${source} belongs to ${owned}${why}${hint}`, { code: 'FLAG_CLASH', flag: name });
  }
}

/** Checks rules that involve several flags. AvalancheGo: config/config.go, where it has the same rules. */
function checkCombinations({ name }: Command, options: Options, given: FlagInputs): void {
  const createClash = (flag: keyof Options, text: string) =>
    new FlagError(`${given.get(flag)?.source ?? `--${flag}`}: ${text}`, { code: 'FLAG_CLASH', flag });
  const network = getNetwork(options['network-id']);
  for (const flag of ['genesis-file', 'genesis-file-content'] as const)
    if (options[flag] !== undefined && isStandardNetwork(network.id))
      throw createClash(flag, `overrides standard network genesis config: ${network.name}; name a custom network with --network-id N`);
  // AvalancheGo: config/config.go, getUpgradeConfig.
  for (const flag of ['upgrade-file', 'upgrade-file-content'] as const)
    if (options[flag] !== undefined && isStandardNetwork(network.id))
      throw createClash(flag, `cannot configure upgrades for networkID: ${network.name}; name a custom network with --network-id N`);
  checkAccounts(options, createClash);
  if (options['db-type'] !== undefined && options['db-type'] !== 'memdb' && options['data-dir'] === undefined)
    throw createClash('db-type', `${options['db-type']} needs a directory; give one with --data-dir`);
  if (typeof options.workers === 'number' && options.workers > 0 && (options['data-dir'] === undefined || options['db-type'] === 'memdb'))
    throw createClash('workers', 'a chain in memory cannot have reader processes; give --data-dir to have some');
  if (options.supervise && (options['data-dir'] === undefined || options['db-type'] === 'memdb'))
    throw createClash('supervise', 'a chain in memory is lost with its process and cannot be restarted; give --data-dir to keep it');
  if (options['no-mining'] && options['block-time'] !== undefined)
    throw createClash('no-mining', 'cannot be combined with --block-time, which builds blocks by time');
  if (options['mixed-mining'] && options['block-time'] === undefined)
    throw createClash('mixed-mining', 'needs --block-time SECONDS; without it a block is built as soon as there is a transaction');
  for (const flag of ['dev-token', 'api-key'] as const)
    if (options[flag] !== undefined && !/^[\x21-\x7e]{8,256}$/.test(options[flag]))
      throw createClash(flag, 'must be 8 to 256 visible ASCII characters, without spaces');
  if (options['fork-address'] !== undefined && options['fork-url'] === undefined)
    throw createClash('fork-address', 'needs the node to copy from; give it with --fork-url URL');
  if (options['fork-block-number'] !== undefined && options['fork-url'] === undefined)
    throw createClash('fork-block-number', 'needs the node to copy from; give it with --fork-url URL');
  const proxy = options['trusted-proxies'].find((text) => parseIpRange(text) === undefined);
  if (proxy !== undefined)
    throw createClash('trusted-proxies', `${JSON.stringify(proxy)} is not an IP address (10.0.0.1) or a range of them (10.0.0.0/8)`);
  checkStateFiles(options, createClash);
  if (options.detach && options['data-dir'] === undefined && options['log-file'] === undefined)
    throw createClash('detach', 'needs a file for the log: give --data-dir DIR or --log-file FILE');
  for (const flag of ['wait', 'log-file'] as const)
    if (options[flag] && !options.detach && commandTable[name].kind === 'server')
      throw createClash(flag, 'needs --detach, which starts the node in the background');
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

function checkStateFiles(options: Options, createClash: (flag: keyof Options, text: string) => FlagError): void {
  for (const flag of ['state', 'load-state', 'dump-state'] as const)
    if (options[flag] !== undefined && options['data-dir'] !== undefined)
      throw createClash(flag, 'a state file is for a chain in memory; --data-dir keeps the chain itself, so give one of the two');
  for (const flag of ['load-state', 'dump-state'] as const)
    if (options[flag] !== undefined && options.state !== undefined)
      throw createClash(flag, 'cannot be combined with --state, which loads and saves one file');
  if (options['state-interval'] > 0 && options.state === undefined && options['dump-state'] === undefined)
    throw createClash('state-interval', 'needs a state file; give one with --state FILE');
}

/** Throws if a command lacks the data directory or database that it needs. */
function checkStorage({ name }: Command, options: Options): void {
  const missing = (flag: keyof Options, text: string) => new FlagError(`serac ${name} needs ${text}`, { code: 'FLAG_CLASH', flag });
  const [directory, database] = [options['data-dir'], options['database-url']];
  if ((name === 'index' || name === 'api') && database === undefined)
    throw missing('database-url', 'PostgreSQL: --database-url postgres://user:password@host:5432/name');
  for (const flag of ['database-url', 'database-listen-url'] as const) checkDatabaseUrl(flag, options[flag]);
  if (options['database-listen-url'] !== undefined && database === undefined)
    throw missing('database-url', '--database-url beside --database-listen-url');
  for (const flag of ['database-pool-size', 'database-timeout', 'database-partition-size'] as const)
    if (options[flag] === 0) throw missing(flag, `a --${flag} above 0`);
  checkCacheUrl(options['cache-url'], missing);
  if (!isHttpUrl(options.url)) throw missing('url', 'the URL of a node as --url: http://127.0.0.1:9650');
  if (name === 'reindex' && directory === undefined) throw missing('data-dir', '--data-dir, the directory whose index is rebuilt');
  if (name === 'backup' && directory === undefined) throw missing('data-dir', '--data-dir, the directory to copy');
  if (name === 'compact' && directory === undefined) throw missing('data-dir', '--data-dir, the directory to make smaller');
  if (name === 'check' && directory === undefined)
    throw missing('data-dir', '--data-dir, the directory to verify; with --database-url, an empty one for the copy');
  if ((name === 'stop' || name === 'status' || name === 'logs') && directory === undefined && options['log-file'] === undefined)
    if (name === 'logs' || options['process-context-file'] === undefined)
      throw missing(
        'data-dir',
        `the --data-dir DIR or --log-file FILE with which the node was started${name === 'status' ? '; serac doctor examines any running node' : ''}`,
      );
  if (name === 'keys' && directory === undefined && database === undefined)
    throw missing('data-dir', '--data-dir DIR or --database-url postgres://…, where the API keys are stored');
}

function checkCacheUrl(url: string | undefined, missing: (flag: keyof Options, text: string) => FlagError): void {
  if (url === undefined) return;
  if (/^[a-z]+[+-](?:sentinel|cluster):/.test(url))
    throw missing('cache-url', 'one server as --cache-url: Redis Sentinel and Cluster are not supported; redis://host:6379');
  const [, hosts = ''] = /^\w+:\/\/(?:[^/?#]*@)?([^/?#@]*)(?:[/?#]|$)/.exec(url) ?? [];
  if (hosts.includes(','))
    throw missing(
      'cache-url',
      'one host in --cache-url: several are those of Redis Sentinel or Cluster, which are not supported; give the server, or a proxy that leads to the current one',
    );
  if (!/^(?:redis|rediss|valkey|valkeys):\/\/[^/]/.test(url) || !URL.canParse(url))
    throw missing('cache-url', 'a URL of Redis or Valkey as --cache-url: redis://host:6379');
}

/** Throws if a PostgreSQL URL cannot be used, with the reason. */
function checkDatabaseUrl(flag: keyof Options, url: string | undefined): void {
  try {
    if (url !== undefined) parseDatabaseUrl(url);
  } catch (error) {
    if (!(error instanceof DatabaseUrlError)) throw error;
    throw new FlagError(`--${flag}: ${error.message} (example: postgres://user:password@host:5432/name)`, { code: 'FLAG_CLASH', flag });
  }
}

/** The most nAVAX of all accounts together: far above AVAX's supply, and still a valid sum of outputs. */
const maxAccountFunds = 10_000_000_000n * 1_000_000_000n;

function checkAccounts(options: Options, createClash: (flag: keyof Options, text: string) => FlagError): void {
  if (options.balance === 0n) throw createClash('balance', 'must be more than 0; use --accounts 0 to fund no accounts');
  if (options.balance * BigInt(options.accounts ?? defaultAccounts) > maxAccountFunds)
    throw createClash('balance', 'the accounts would have more than 10,000,000,000 AVAX together; lower --balance or --accounts');
  try {
    parsePath(options['derivation-path']);
  } catch (error) {
    if (!(error instanceof WalletError)) throw error;
    throw createClash('derivation-path', error.message);
  }
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

function listWarnings({ name: command }: Command, options: Options, given: FlagInputs): string[] {
  const ignored = [...given].filter(([name]) => isIgnoredBy(command, name)).map(([, flag]) => flag.source);
  const fees = (['tx-fee', 'create-asset-tx-fee'] as const).filter((flag) => options[flag] !== undefined);
  const type = options['db-type'];
  return [
    ...(ignored.length > 0
      ? [`AvalancheGo flags without effect ${command === 'dev' ? 'in Serac' : `in serac ${command}`}: ${ignored.join(', ')}`]
      : []),
    ...(fees.length > 0 && isPublicNetwork(options['network-id'])
      ? [`fees are fixed on ${getNetwork(options['network-id']).name}: ${fees.map((flag) => `--${flag}`).join(', ')} has no effect`]
      : []),
    ...(type === 'leveldb' || type === 'pebbledb' ? [`--db-type ${type} is treated as sqlite`] : []),
  ];
}

/** Whether errors are printed as JSON. Asked before the flags are known to be valid. */
const wantsJson = (argv: readonly string[], { vars = {} }: FlagEnv): boolean => {
  const typed = argv.findLast((word) => /^--json(?:=|$)/.test(word))?.slice('--json='.length);
  const text = typed ?? vars.SERAC_JSON ?? vars.AVAGO_JSON;
  return text !== undefined && parseFlagValue(flagTable.json, text || 'true') === true;
};

const warnUnknownKeys = (keys: readonly string[]): string[] =>
  keys.length > 0 ? [`config file: unknown keys without effect: ${keys.join(', ')}`] : [];
