import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import packageJson from '../package.json' with { type: 'json' };
import { banner, bannerJson } from './cli/banner.ts';
import type { CommandName } from './cli/command.ts';
import { type ParsedFlags, parseFlags } from './cli/flags.ts';
import { createLog, type LogLevel } from './cli/log.ts';
import { plainLineEvery, progressBar, progressLine } from './cli/progress-bar.ts';
import { check } from './commands/check.ts';
import { keysCommand } from './commands/keys.ts';
import { type Findings, reindex } from './commands/reindex.ts';
import { type Config, configFrom } from './config.ts';
import { recoverNative } from './crypto/curve-native.ts';
import { Fault } from './fault.ts';
import { startNode } from './node.ts';
import { openDatabase } from './platform/database-bun.ts';
import { fileSystem, files, makeFolder } from './platform/files.ts';
import { openFile } from './platform/offset-file.ts';
import { openPostgres } from './platform/postgres-bun.ts';
import { tryPostgresLock } from './platform/postgres-lock-bun.ts';
import { parentChannel, spawnChild } from './platform/processes-bun.ts';
import { openRedis } from './platform/redis-bun.ts';
import { serve } from './platform/serve-bun.ts';
import { openThread } from './platform/thread.ts';
import { createUnixNanos } from './platform/unix-nanos.ts';
import { storeFaultOf } from './store/fault.ts';
import { startApiServer } from './wiring/api-server.ts';
import type { Env } from './wiring/env.ts';
import { networkToFollow } from './wiring/follow.ts';
import { startIndexer } from './wiring/indexer.ts';
import { startReader } from './wiring/reader.ts';

/** The only file that touches the process: argv, environment, clock, randomness, output, signals. */

const exitCodes = { failure: 1, badFlags: 2, portTaken: 3, damage: 4 } as const;

/** Faults that end with a code of their own. */
const exitCodeOf: { readonly [code: string]: number } = {
  PORT_TAKEN: exitCodes.portTaken,
  STORE_DAMAGED: exitCodes.damage,
  STORE_FOREIGN: exitCodes.damage,
  STATE_DAMAGED: exitCodes.damage,
  STATE_BEHIND: exitCodes.damage,
};

const { version } = packageJson;

async function main(): Promise<void> {
  const parsed = parseFlags(process.argv.slice(2), { home: process.env.HOME ?? '', vars: process.env, readFile: readText });
  if (parsed.kind !== 'run') return quit(parsed);
  try {
    const config = await configOf(parsed);
    if (env.parent !== undefined) {
      // A signal to the whole group is the writer's to act on; it tells its readers to stop.
      for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => {});
      return startReader(config, env, env.parent);
    }
    await actions[parsed.command.name](config, parsed);
  } catch (error) {
    const fault = error instanceof Fault ? error : storeFaultOf(error);
    if (fault === undefined) throw error;
    say(`serac: ${fault.message}`);
    process.exit(exitCodeOf[fault.fault.code] ?? exitCodes.failure);
  }
}

/** Which network a followed node is of need not be said: the data directory has it, or the node is asked. */
async function configOf({ options, command, networkGiven }: Told): Promise<Config> {
  const config = configFrom(options, command);
  logLevel = config.logLevel;
  if (config.follow === undefined || networkGiven) return config;
  return configFrom({ ...options, 'network-id': await networkToFollow(config.follow, config, env) }, command);
}

type Told = Extract<ParsedFlags, { kind: 'run' }>;

/** What each command does; those that serve come back when they are ready. */
const actions: { readonly [C in CommandName]: (config: Config, told: Told) => Promise<void> } = {
  run: runNode,
  follow: runNode,
  api: async (config) => {
    const server = await startApiServer(config, env);
    stopOnSignals(server);
    print(
      config,
      JSON.stringify({ url: server.url }),
      `serac ${version}: Data and Metrics interfaces on ${server.url}, reference at ${server.url}/api`,
    );
  },
  index: async (config) => {
    stopOnSignals(startIndexer(config, env));
    print(config, JSON.stringify({ following: config.follow }), `serac ${version}: following ${config.follow} into PostgreSQL`);
  },
  check: async (config) => tell(check(config, env)),
  reindex: async (config) => tell(reindex(config, env)),
  keys: async (config, { command, options }) => {
    for (const line of await keysCommand(command.words, options, config, env)) process.stdout.write(`${line}\n`);
  },
};

async function runNode(config: Config, { warnings }: Told): Promise<void> {
  const node = await startNode(config, env);
  stopOnSignals(node);
  const info = { ...node.about(), readySeconds: Math.round(performance.now()) / 1000, warnings };
  print(config, bannerJson(info), banner(info));
}

/** Damage that was found is also told by the exit code. */
function tell({ lines, damaged }: Findings): void {
  process.stdout.write(lines.map((line) => `${line}\n`).join(''));
  if (damaged) process.exitCode = exitCodes.damage;
}

function print({ banner: form }: Config, json: string, text: string): void {
  if (form !== 'none') process.stdout.write(`${form === 'json' ? json : text}\n`);
}

function quit(parsed: Exclude<ParsedFlags, { kind: 'run' }>): void {
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
      say(`serac: ${parsed.message}`);
      process.exit(exitCodes.badFlags);
  }
}

/** The first signal stops cleanly, the second at once. */
function stopOnSignals(running: { readonly close: () => Promise<void> }): void {
  let stopping = false;
  const stop = async () => {
    if (stopping) process.exit(exitCodes.failure);
    stopping = true;
    try {
      await running.close();
    } catch (error) {
      say(`serac: not everything could be closed: ${error}`);
      process.exit(exitCodes.failure);
    }
    process.exit(0);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

/** Until the flags are read. */
let logLevel: LogLevel = 'info';

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

function readText(path: string): string {
  return readFileSync(path, 'utf8');
}

const log = createLog(say, () => logLevel);

const env: Env = {
  version,
  gitCommit: '',
  clock: {
    unixSeconds: () => BigInt(Math.floor(Date.now() / 1000)),
    unixNanos: createUnixNanos(Date.now, process.hrtime.bigint),
    monotonic: () => performance.now(),
  },
  timers: {
    soon: (run) => void setImmediate(run),
    after: (ms, run) => {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
  },
  random: (length) => randomBytes(length),
  recoverKey: recoverNative,
  openRecoveryThread: () => openThread(new URL('./recovery/recovery-thread.ts', import.meta.url)),
  files,
  readText,
  readData: (file) => readFileSync(new URL(`./genesis/data/${file}`, import.meta.url)),
  fileSystem,
  openDatabase,
  openFile,
  openRedis,
  openPostgres,
  tryPostgresLock,
  fetch,
  makeFolder,
  removeFile: (path) => rmSync(path, { force: true }),
  serve,
  parent: parentChannel(),
  spawnReader: () =>
    spawnChild(
      [process.execPath, '--no-env-file', '--config=/dev/null', fileURLToPath(import.meta.url), ...process.argv.slice(2)],
      process.env,
    ),
  cores: availableParallelism(),
  process: () => ({ residentBytes: process.memoryUsage.rss(), cpuSeconds: cpuSeconds() }),
  exit: (code) => process.exit(code),
  log,
  showProgress: progressOn(process.stderr),
};

/** On a terminal one line that is drawn again and again, elsewhere a line now and then. */
function progressOn(out: NodeJS.WriteStream): Env['showProgress'] {
  let shown = Number.NEGATIVE_INFINITY;
  let drawn = false;
  return (progress) => {
    if (progress === undefined) {
      if (drawn) out.write('\r\x1b[K');
      drawn = false;
      return;
    }
    if (!log.shows('info')) return;
    const every = out.isTTY ? 100 : plainLineEvery;
    if (performance.now() - shown < every) return;
    shown = performance.now();
    drawn = out.isTTY;
    out.write(out.isTTY ? `\r\x1b[K${progressBar(progress, out.columns)}` : `serac: ${progressLine(progress)}\n`);
  };
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

await main();
