import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import packageJson from '../package.json' with { type: 'json' };
import { banner, bannerJson } from './cli/banner.ts';
import type { CommandName } from './cli/command.ts';
import { type ParsedFlags, parseFlags } from './cli/flags.ts';
import { createLog, type LogLevel } from './cli/log.ts';
import { check } from './commands/check.ts';
import { keysCommand } from './commands/keys.ts';
import { type Findings, reindex } from './commands/reindex.ts';
import { type Config, configFrom } from './config.ts';
import { createBunEnv } from './env-bun.ts';
import { Fault } from './fault.ts';
import { startNode } from './node.ts';
import { storeFaultOf } from './store/fault.ts';
import { startApiServer } from './wiring/api-server.ts';
import { networkToFollow } from './wiring/follow.ts';
import { startIndexer } from './wiring/indexer.ts';
import { startReader } from './wiring/reader.ts';

/** The program: reads arguments, runs a command, prints, and stops on signals. */

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

const env = createBunEnv({ version, log, program: fileURLToPath(import.meta.url) });

await main();
