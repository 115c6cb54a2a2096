import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { formatBanner, formatBannerJson } from './cli/banner.ts';
import type { CommandName } from './cli/command.ts';
import { type ParsedFlags, parseFlags } from './cli/flags.ts';
import { createLog, type LogLevel } from './cli/log.ts';
import { check } from './commands/check.ts';
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
import { startIndexer } from './wiring/indexer.ts';
import { startReader } from './wiring/reader.ts';
import { stripCredentials } from './wiring/served-network.ts';

/** The program: parses the command line, runs a command, prints its output, and stops on signals. */

const exitCodes = { failure: 1, badFlags: 2, portTaken: 3, damage: 4 } as const;

/** The exit codes of faults; `failure` for all others. */
const exitCodeByFault: { readonly [code: string]: number } = {
  PORT_TAKEN: exitCodes.portTaken,
  STORE_DAMAGED: exitCodes.damage,
  STORE_FOREIGN: exitCodes.damage,
  STATE_DAMAGED: exitCodes.damage,
  STATE_BEHIND: exitCodes.damage,
};

async function main(): Promise<void> {
  stopWithOwners();
  const parsed = parseFlags(process.argv.slice(2), { home: homedir(), vars: process.env, readFile: readText });
  if (parsed.kind !== 'run') return printAndExit(parsed);
  try {
    const config = await resolveConfig(parsed);
    if (env.parent !== undefined) {
      // A signal to the process group is handled by the writer process, which stops its readers.
      for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => {});
      return startReader(config, env, env.parent);
    }
    await actions[parsed.command.name](config, parsed);
  } catch (error) {
    const fault = error instanceof Fault ? error : storeErrorFromDriver(error);
    if (fault === undefined) throw error;
    writeError(`serac: ${fault.message}`);
    process.exit(exitCodeByFault[fault.fault.code] ?? exitCodes.failure);
  }
}

/** Creates the configuration. The network of a followed node need not be given: it is read from the data directory or from the node. */
async function resolveConfig({ options, command, isNetworkGiven }: RunFlags): Promise<Config> {
  const config = configFrom(options, command);
  logLevel = config.logLevel;
  if (config.follow === undefined || isNetworkGiven) return config;
  return configFrom({ ...options, 'network-id': await resolveFollowedNetwork(config.follow, config, env) }, command);
}

type RunFlags = Extract<ParsedFlags, { kind: 'run' }>;

/** The implementation of each command; those that serve return when they are ready. */
const actions: { readonly [C in CommandName]: (config: Config, flags: RunFlags) => Promise<void> } = {
  run: runNode,
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
  check: async (config) => printResult(check(config, env)),
  reindex: async (config) => printResult(reindex(config, env)),
  keys: async (config, { command, options }) => {
    for (const line of await manageKeys(command.args, options, config, env)) process.stdout.write(`${line}\n`);
  },
};

async function runNode(config: Config, { warnings }: RunFlags): Promise<void> {
  const node = await startNode(config, env);
  stopOnSignals(node);
  const info = { ...node.describe(), readySeconds: Math.round(performance.now()) / 1000, warnings };
  printBanner(config, formatBannerJson(info), formatBanner(info));
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

function readText(path: string): string {
  return readFileSync(path, 'utf8');
}

const log = createLog(writeError, () => logLevel);

/** Whether this is a single-file executable (tools/build-executable.ts): Bun then mounts the program's files under this path. */
const isExecutable = /\/(\$bunfs|~BUN)\//.test(import.meta.url);

const env = await createEnv({ version, log, program: isExecutable ? undefined : fileURLToPath(import.meta.url) });

await main();
