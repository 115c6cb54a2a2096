import { constants, openAsBlob, readFileSync } from 'node:fs';
import { access, open, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { formatBanner, formatBannerJson } from './cli/banner.ts';
import { type CommandName, commandTable } from './cli/command.ts';
import { formatCompletions, type Shell } from './cli/completions.ts';
import { formatConfig, formatConfigJson, listConfig } from './cli/config-report.ts';
import { type ParsedFlags, parseFlags } from './cli/flags.ts';
import { createLog, type LogLevel } from './cli/log.ts';
import { check } from './commands/check.ts';
import type { ClientCommandName } from './commands/client-commands.ts';
import { manageKeys } from './commands/keys.ts';
import { type CommandResult, reindex } from './commands/reindex.ts';
import { type Config, configFrom } from './config.ts';
import { createEnv } from './env.ts';
import { Fault } from './fault.ts';
import { startNode } from './node.ts';
import { stopWithOwners } from './platform/owner-processes.ts';
import { writeError } from './platform/stderr.ts';
import { storeErrorFromDriver } from './store/fault.ts';
import { version } from './version.ts';
import { startApiServer } from './wiring/api-server.ts';
import { resolveFollowedNetwork } from './wiring/follow.ts';
import { resolveForkedNetwork } from './wiring/fork.ts';
import { startIndexer } from './wiring/indexer.ts';
import { startReader } from './wiring/reader.ts';
import { stripCredentials } from './wiring/served-network.ts';

/** The program: parses the command line, runs a command, prints its output, and stops on signals. */

const exitCodes = { failure: 1, badFlags: 2, portTaken: 3, damage: 4 } as const;

/** The exit codes of faults; `failure` for all others. */
const exitCodeByFault: { readonly [code: string]: number } = {
  PORT_TAKEN: exitCodes.portTaken,
  WALLET_BAD_MNEMONIC: exitCodes.badFlags,
  BAD_ARGUMENT: exitCodes.badFlags,
  STORE_DAMAGED: exitCodes.damage,
  STORE_FOREIGN: exitCodes.damage,
  STATE_DAMAGED: exitCodes.damage,
  STATE_BEHIND: exitCodes.damage,
  STATE_FILE_DAMAGED: exitCodes.damage,
  STATE_FILE_FOREIGN: exitCodes.damage,
};

async function main(): Promise<void> {
  stopWithOwners();
  const argv = process.argv.slice(2);
  const parseYaml = await loadYamlParser(argv);
  const parsed = parseFlags(argv, { home: homedir(), vars: process.env, readFile: readText, parseYaml });
  if (parsed.kind !== 'run') return printAndExit(parsed);
  try {
    const { name } = parsed.command;
    if (isClientCommand(name)) return await runClientCommand(name, parsed);
    if (name === 'help') return;
    const config = await resolveConfig(parsed);
    if (env.parent !== undefined) {
      // A signal to the process group is handled by the writer process, which stops its readers.
      for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => {});
      return startReader(config, env, env.parent);
    }
    await actions[name](config, parsed);
  } catch (error) {
    const fault = error instanceof Fault ? error : storeErrorFromDriver(error);
    if (fault === undefined) throw error;
    writeError(`serac: ${fault.message}`);
    process.exit(exitCodeByFault[fault.fault.code] ?? exitCodes.failure);
  }
}

/** Creates the configuration. The network of a followed or forked node need not be given: it is read from the data directory or from the node. */
async function resolveConfig({ options, command, isNetworkGiven }: RunFlags): Promise<Config> {
  const config = configFrom(options, command);
  logLevel = config.logLevel;
  if (isNetworkGiven) return config;
  const network =
    config.follow !== undefined
      ? await resolveFollowedNetwork(config.follow, config, env)
      : config.fork && (await resolveForkedNetwork(config.fork.url, config, env));
  return network === undefined ? config : configFrom({ ...options, 'network-id': network }, command);
}

/** Runs a command that asks a running node. Its code is loaded only when it is needed, to keep the start of a node short. */
async function runClientCommand(name: ClientCommandName, { command, options }: RunFlags): Promise<void> {
  const { runClientCommand: run } = await import('./commands/client-commands.ts');
  const { createRpcClient } = await import('./client/rpc-client.ts');
  const interruption = new AbortController();
  process.on('SIGINT', () => interruption.abort());
  process.on('SIGTERM', () => interruption.abort());
  process.exitCode = await run(name, {
    client: createRpcClient({ url: options.url, token: options['dev-token'] }),
    args: command.args,
    options,
    print: (line) => void process.stdout.write(`${line}\n`),
    readFile: readBlob,
    writeFile: replaceFile,
    interrupted: interruption.signal,
  });
}

const isClientCommand = (name: CommandName): name is ClientCommandName => commandTable[name].kind === 'client';

type RunFlags = Extract<ParsedFlags, { kind: 'run' }>;

/** The implementation of each command; those that serve return when they are ready. */
const actions: { readonly [C in Exclude<CommandName, ClientCommandName | 'help'>]: (config: Config, flags: RunFlags) => Promise<void> } = {
  dev: runNode,
  follow: runNode,
  api: async (config) => {
    const server = await startApiServer(config, env);
    stopOnSignals(server);
    printBanner(
      config,
      JSON.stringify({ url: server.url }),
      `serac ${version}: Data and Metrics APIs at ${server.url}, reference at ${server.url}/api`,
    );
  },
  index: async (config) => {
    stopOnSignals(startIndexer(config, env));
    const following = stripCredentials(config.follow ?? '');
    printBanner(config, JSON.stringify({ following }), `serac ${version}: indexing ${following} into PostgreSQL`);
  },
  'config print': async (_, { options, given }) => {
    const rows = listConfig(options, given);
    for (const line of options.json ? [formatConfigJson(rows)] : formatConfig(rows)) process.stdout.write(`${line}\n`);
  },
  completions: async (_, { command }) => void process.stdout.write(formatCompletions(command.args[0] as Shell)),
  check: async (config) => printResult(check(config, env)),
  reindex: async (config) => printResult(reindex(config, env)),
  keys: async (config, { command, options }) => {
    for (const line of await manageKeys(command.args, options, config, env)) process.stdout.write(`${line}\n`);
  },
};

async function runNode(config: Config, { warnings, options }: RunFlags): Promise<void> {
  const node = await startNode(config, env);
  const contextFile = options['process-context-file'];
  if (contextFile !== undefined) await writeProcessContext(contextFile, node.url, config);
  stopOnSignals({
    close: async () => {
      if (contextFile !== undefined) await rm(contextFile, { force: true });
      await node.close();
    },
  });
  const info = { ...node.describe(), readySeconds: Math.round(performance.now()) / 1000, warnings };
  printBanner(config, formatBannerJson(info), formatBanner(info));
}

/** Tells other programs where this node is. AvalancheGo: node/node.go, writeProcessContext. */
async function writeProcessContext(path: string, uri: string, { peerAddress: { publicIP, port } }: Config): Promise<void> {
  const context = { pid: process.pid, uri, stakingAddress: `${publicIP || '127.0.0.1'}:${port}` };
  try {
    // A reader must not see half of the file.
    await writeFile(`${path}.part`, JSON.stringify(context, null, 2));
    await rename(`${path}.part`, path);
  } catch (error) {
    writeError(`serac: --process-context-file: cannot write ${path} (${(error as { code?: string }).code})`);
    process.exit(exitCodes.failure);
  }
}

/** Prints the result of a command; sets the exit code if damage was found. */
function printResult({ lines, isDamaged }: CommandResult): void {
  process.stdout.write(lines.map((line) => `${line}\n`).join(''));
  if (isDamaged) process.exitCode = exitCodes.damage;
}

function printBanner({ banner }: Config, json: string, text: string): void {
  if (banner !== 'none') process.stdout.write(`${banner === 'json' ? json : text}\n`);
}

function printAndExit(parsed: Exclude<ParsedFlags, { kind: 'run' }>): void {
  switch (parsed.kind) {
    case 'help':
      process.stdout.write(`${parsed.text}\n`);
      return;
    case 'version':
      process.stdout.write(
        parsed.json ? `${JSON.stringify({ name: 'serac', version, parity: 'avalanchego/1.14.2' })}\n` : `serac/${version}\n`,
      );
      return;
    case 'error':
      writeError(`serac: ${parsed.message}`);
      process.exit(exitCodes.badFlags);
  }
}

/** Stops cleanly on the first signal, and immediately on the second. */
function stopOnSignals(running: { readonly close: () => Promise<void> }): void {
  let stopping = false;
  const stop = async () => {
    if (stopping) process.exit(exitCodes.failure);
    stopping = true;
    try {
      await running.close();
    } catch (error) {
      writeError(`serac: error while stopping: ${error}`);
      process.exit(exitCodes.failure);
    }
    process.exit(0);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

/** The log level; `info` until the flags are parsed. */
let logLevel: LogLevel = 'info';

async function readBlob(path: string): Promise<Blob | undefined> {
  try {
    // Bun opens a missing file without an error.
    await access(path, constants.R_OK);
    return await openAsBlob(path);
  } catch {
    return undefined;
  }
}

/** Writes chunks to a file beside the given one, then renames it, so that a failure leaves the old file. */
async function replaceFile(path: string, chunks: AsyncIterable<Uint8Array>): Promise<number> {
  const draft = `${path}.part`;
  const file = await open(draft, 'w');
  let size = 0;
  try {
    for await (const chunk of chunks) size += (await file.write(chunk)).bytesWritten;
    await file.sync();
    await rename(draft, path);
    return size;
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

/** Loads the YAML parser, if an argument or a variable names YAML. */
async function loadYamlParser(argv: readonly string[]): Promise<((text: string) => unknown) | undefined> {
  const variables = Object.entries(process.env).filter(([name]) => /^(?:AVAGO|SERAC)_CONFIG_/.test(name));
  const texts = [...argv, ...variables.map(([, text]) => text ?? '')];
  return texts.some((text) => /ya?ml/i.test(text)) ? (await import('yaml')).parse : undefined;
}

function readText(path: string): string {
  return readFileSync(path, 'utf8');
}

const log = createLog(writeError, () => logLevel);

/** Whether this is a single-file executable (tools/build-executable.ts): Bun then mounts the program's files under this path. */
const isExecutable = /\/(\$bunfs|~BUN)\//.test(import.meta.url);

const env = await createEnv({ version, log, program: isExecutable ? undefined : fileURLToPath(import.meta.url) });

// The reader of the output, such as `head`, may leave early.
process.stdout.on('error', (error: { readonly code?: string }) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

await main();
