import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CommandName, commandTable } from '../app/config/command.ts';
import { type Config, configFrom, type StorageConfig, type TerminalConfig } from '../app/config/config.ts';
import { type ParsedFlags, parseFlags } from '../app/config/flags.ts';
import { version } from '../app/home.ts';
import { takeDetachedMark } from '../app/platform/detached-process.ts';
import type { Env } from '../app/platform/env.ts';
import { keepLogSize } from '../app/platform/log-size.ts';
import { ownMemory } from '../app/platform/own-memory.ts';
import { stopWithOwners } from '../app/platform/owner-processes.ts';
import { removeProcessContext, writeProcessContext } from '../app/platform/process-context.ts';
import { writeError } from '../app/platform/runtime.ts';
import { createEnv } from '../app/platform/runtime-env.ts';
import { createSignals } from '../app/platform/signals.ts';
import { isChildOfNode, takeWriterStart } from '../app/platform/supervised-process.ts';
import { connectToSupervisor } from '../app/processes/hosted-readers.ts';
import type { Order } from '../app/processes/testnet-control.ts';
import type { Node } from '../app/servers/node-server.ts';
import { type AnyFault, Fault } from '../base/fault.ts';
import { createLog, formatLogLine, formatStamp, type LineLevel, type LogLevel, stripCredentials } from '../base/log/log.ts';
import { formatBanner, formatBannerJson } from './banner.ts';
import type { ClientCommandName } from './commands/client-commands.ts';
import type { CommandResult } from './commands/reindex.ts';
import { formatCompletions, type Shell } from './completions.ts';
import { formatConfig, formatConfigJson, listConfig } from './config-report.ts';
import { describeExit, exitCodes } from './exit-error.ts';
import { selectRole } from './process-role.ts';
import { resolveNetwork } from './resolve-network.ts';
import { faultOf, isClientCommand, runShortCommand } from './short-command.ts';
import { createConfirm } from './terminal/confirm.ts';
import { type Console, createConsole } from './terminal/console.ts';
import { createScreen } from './terminal/screen.ts';
import { createStyle, type Style } from './terminal/style.ts';
import { createWaitingLine } from './terminal/waiting-line.ts';

/**
 * The program: parses the command line, runs a command, prints its output, and stops on signals. The code of a command is imported when it runs: a
 * command that asks a node would take half as long again if it loaded the node first. What all functions use (`env`, `screen`, `log`, `signals`) is
 * at the end of the file, before the call of `main`.
 */

async function main(): Promise<void> {
  // Throws only on a Node that is too old, on which bin/launcher.js does not start this program.
  env = openEnv();
  stopWithOwners();
  signals.handleAsInit();
  const isDetached = takeDetachedMark();
  const argv = process.argv.slice(2);
  const parseYaml = await loadYamlParser(argv);
  const parsed = parseFlags(argv, { home: homedir(), vars: process.env, readFile: readText, parseYaml });
  if (parsed.kind !== 'run') return runShort(parsed);
  isJson = parsed.options.json;
  const { name } = parsed.command;
  if (isClientCommand(name)) return runShort(parsed);
  try {
    // For the type only: parseFlags returns another kind for these two.
    if (name === 'help' || name === 'version') return;
    isServer = commandTable[name].kind === 'server';
    const role = selectRole(parsed.options, env.supervisor ? 'writer' : env.parent ? 'reader' : isDetached ? 'background' : 'program');
    if (role === 'launcher') return await runDetached(parsed);
    if (isDetached) keepLogSize(logFileOf(parsed), (error) => log(`cannot limit the size of the log: ${error}`, 'warn'));
    if (role === 'supervisor') return await runSupervisor(parsed);
    const config = await resolveConfig(parsed);
    if (role === 'reader' && env.parent !== undefined) {
      // A signal to the process group is handled by the writer process, which stops its readers.
      for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => {});
      const { runReader } = await import('../app/programs/reader.ts');
      return runReader(config, env, env.parent);
    }
    await actions[name](config, parsed);
  } catch (error) {
    exitWith(faultOf(error, isJson));
  }
}

/** `--supervise`: runs the node as a child process, which is restarted if it crashes or hangs. */
async function runSupervisor({ options }: RunFlags): Promise<void> {
  const { superviseWriter } = await import('../app/processes/writer-supervisor.ts');
  const { stop } = superviseWriter(env, options['http-shutdown-timeout'], (code) => process.exit(code));
  signals.handle(stop);
}

/** Prints why the program ends, and ends it. */
function exitWith(fault: AnyFault): never {
  const isLog = isServer && process.stderr.isTTY !== true;
  const { text, code } = describeExit(fault, isJson ? { json: timeTexts.json() } : isLog ? { time: timeTexts.json() } : {});
  writeError(text);
  process.exit(code);
}

/** Creates the configuration. The network of a followed or forked node need not be given: it is read from the data directory or from the node. */
async function resolveConfig({ options, command, isNetworkGiven, given }: RunFlags): Promise<Config> {
  const config: Config = { ...configFrom(options, command, env.readText), settings: listConfig(options, given) };
  logLevel = config.logLevel;
  if (isNetworkGiven || (config.fork === undefined && command.name !== 'follow' && command.name !== 'index')) return config;
  const network = await resolveNetwork(command, config, env);
  return { ...config, ...configFrom({ ...options, 'network-id': network }, command, env.readText) };
}

/** Prints help, the version or what is wrong with the arguments, or runs a command that asks a running node. */
async function runShort(parsed: ParsedFlags): Promise<void> {
  const onInterrupt = (): AbortSignal => {
    const interruption = new AbortController();
    signals.stopOn({
      close: async () => {
        interruption.abort();
        await running;
      },
    });
    return interruption.signal;
  };
  const write = (text: string): void => void process.stdout.write(text);
  const wait = createWaitingLine(process.env.TERM === 'dumb' ? { write } : process.stderr, env.timers.after);
  const confirm = createConfirm(process.stdin, process.stderr);
  const running = runShortCommand(parsed, { input: process.stdin, write, onInterrupt, env, wait, confirm, time: timeTexts.json });
  const { code, error } = await running;
  process.exitCode = code;
  if (error === undefined) return;
  writeError(error);
  process.exit();
}

type RunFlags = Extract<ParsedFlags, { kind: 'run' }>;

/** The implementation of each command; those that serve return when they are ready. */
const actions: {
  readonly [C in Exclude<CommandName, ClientCommandName | 'help' | 'version'>]: (config: Config, flags: RunFlags) => Promise<void>;
} = {
  dev: runNode,
  follow: runNode,
  join: runNode,
  testnet: async (config, flags) => {
    const { showTestnet } = await import('./commands/show-testnet.ts');
    const ownCommand = [process.execPath, ...process.execArgv, ...(program === undefined ? [] : [program])];
    const output = { screen, isTerminal, isJson, times: timeTexts, printBanner };
    signals.stopOn(await showTestnet(config, flags, { program: ownCommand, version, output, env }));
  },
  api: async (config) => {
    const { runApiServer } = await import('../app/programs/api.ts');
    const server = await runApiServer(config, env);
    signals.stopOn(server);
    printBanner(
      config,
      JSON.stringify({ url: server.url }),
      `serac ${version}: Data and Metrics APIs at ${server.url}, reference at ${server.url}/api`,
    );
  },
  index: async (config, { command, given }) => {
    const [url = ''] = command.args;
    const { runIndexer } = await import('../app/programs/index.ts');
    const indexer = await runIndexer(url, config, env, { listens: given.has('http-port') });
    signals.stopOn(indexer);
    const following = stripCredentials(url);
    const served = indexer.url === undefined ? '' : `; health and metrics at ${indexer.url}`;
    const text = `serac ${version}: indexing ${following} into PostgreSQL${served}`;
    printBanner(config, JSON.stringify({ following, url: indexer.url }), text);
  },
  'testnet kill': orderTestnet,
  'testnet freeze': orderTestnet,
  'testnet partition': orderTestnet,
  'testnet latency': orderTestnet,
  'testnet heal': orderTestnet,
  'testnet add': orderTestnet,
  'testnet remove': orderTestnet,
  'testnet logs': async (_, { command, options }) => {
    const { printTestnetLog } = await import('./commands/testnet.ts');
    await printTestnetLog(command.args, options, (text) => void process.stdout.write(text), env);
  },
  'config print': async (_, { options, given, unknownKeys }) => {
    const rows = listConfig(options, given);
    const lines = options.json ? [formatConfigJson(rows, unknownKeys)] : formatConfig(rows, unknownKeys);
    for (const line of lines) process.stdout.write(`${line}\n`);
  },
  status: async (config, flags) => runDetachedCommand('status', config, flags),
  stop: async (config, flags) => runDetachedCommand('stop', config, flags),
  logs: async (config, flags) => runDetachedCommand('logs', config, flags),
  completions: async (_, { command }) => void process.stdout.write(formatCompletions(command.args[0] as Shell)),
  check: runDataCommand,
  reindex: runDataCommand,
  backup: runDataCommand,
  compact: runDataCommand,
  keys: runDataCommand,
};

/** Runs a command about a data directory. */
async function runDataCommand(config: Config, flags: RunFlags): Promise<void> {
  const { dataCommands } = await import('./commands/data-commands.ts');
  printResult(await dataCommands[flags.command.name as keyof typeof dataCommands](config, env, flags));
}

/** Runs a command about a running testnet. */
async function orderTestnet(_: Config, { command, options }: RunFlags): Promise<void> {
  const commands = await import('./commands/testnet.ts');
  const { text, added } = await commands.orderTestnet(command.name.split(' ')[1] as Order['kind'], command.args, options, env);
  process.stdout.write(`${options.json ? JSON.stringify({ done: text, added }) : text}\n`);
}

/** The log of a node in the background. */
const logFileOf = ({ options }: Pick<RunFlags, 'options'>): string => options['log-file'] ?? `${options['data-dir']}/serac.log`;

/** Runs a command about a node in the background. */
async function runDetachedCommand(name: 'status' | 'stop' | 'logs', config: Config, flags: RunFlags): Promise<void> {
  const { detachedCommands } = await import('./commands/detached-node.ts');
  const { findNode } = await import('./commands/detach.ts');
  const { options } = flags;
  process.exitCode = await detachedCommands[name]({
    findNode: () => findNode(config, env),
    logFile: logFileOf(flags),
    options,
    print: (text) => void process.stdout.write(text),
    env,
  });
}

/** `--detach`: starts the node in the background and prints where it is. */
async function runDetached(flags: RunFlags): Promise<void> {
  const { options, command } = flags;
  const config = configFrom(options, command, env.readText);
  const { detach } = await import('./commands/detach.ts');
  const { pid, logFile, url, isHealthy } = await detach(config, env, {
    program,
    logFile: logFileOf(flags),
    waitTimeout: options.wait ? options['wait-timeout'] : undefined,
  });
  const state = url === undefined ? 'starting' : `${isHealthy ? 'ready' : 'listening'} at ${url}`;
  printBanner(config, JSON.stringify({ pid, log: logFile, url }), `serac ${version}: ${state}, pid ${pid}, log ${logFile}`);
}

async function runNode(config: Config, flags: RunFlags): Promise<void> {
  const { startNode } = await import('../app/programs/start-node.ts');
  const node = await startNode(config, env);
  const { supervisor } = env;
  if (config.processContextFile !== undefined) await publishProcessContext(config.processContextFile, node, flags);
  const style = createStyle(isTerminal && (process.env.NO_COLOR ?? '') === '');
  const nodeConsole = config.banner === 'none' ? undefined : openConsole(config.banner, style);
  // Before the banner: a program that has read it may send a signal.
  signals.stopOn({
    close: async () => {
      const { height } = node.readStatus();
      await node.close();
      nodeConsole?.close({ height, note: describeSaved(config) });
    },
  });
  supervisor?.ready(Number(new URL(node.url).port));
  const info = { ...node.describe(), readySeconds: Math.round(performance.now()) / 1000, warnings: flags.warnings };
  if (supervisor === undefined || supervisor.restarts === 0) printBanner(config, formatBannerJson(info), formatBanner(info, style));
  // Lines about the node have level info; as JSON they are read by programs and always printed.
  if (nodeConsole === undefined || (config.banner === 'text' && !log.isShown('info'))) return;
  node.observe(nodeConsole);
  if (config.banner === 'text') nodeConsole.showStatus(() => ({ ...node.readStatus(), residentBytes: ownMemory.residentBytes() }));
}

/** Writes the process context, and removes it when this process exits. AvalancheGo: node/node.go, Dispatch. */
async function publishProcessContext(path: string, node: Node, flags: RunFlags): Promise<void> {
  try {
    writeProcessContext(path, {
      pid: env.supervisor === undefined ? process.pid : process.ppid,
      uri: node.url,
      stakingAddress: node.stakingAddress,
      log: flags.options.detach ? resolve(logFileOf(flags)) : undefined,
    });
    process.on('exit', () => removeProcessContext(path));
  } catch (error) {
    await node.close();
    throw error;
  }
}

const openConsole = (format: 'text' | 'json', style: Style): Console =>
  createConsole({
    screen,
    format,
    style,
    after: env.timers.after,
    time: format === 'text' && !isTerminal ? () => '' : timeTexts[format],
    stamp: () => (isTerminal ? '' : formatStamp('info', timeTexts.json())),
    monotonic: env.clock.monotonic,
  });

/** The time of a line: local for a person, RFC 3339 for a program. */
const timeTexts = { text: () => new Date().toTimeString().slice(0, 8), json: () => new Date().toISOString() } as const;

/** Where the chain of a node that stops is. */
function describeSaved({ store, dataDir, state }: StorageConfig): string {
  if (state?.save !== undefined) return `saved to ${state.save}`;
  return store === 'memory' ? 'the chain was in memory and is lost' : `the chain is in ${dataDir}`;
}

/** Prints the result of a command; sets the exit code if damage was found. */
function printResult({ lines, isDamaged }: CommandResult): void {
  process.stdout.write(lines.map((line) => `${line}\n`).join(''));
  if (isDamaged) process.exitCode = exitCodes.damage;
}

/** Prints the first lines of a server. `json` is an object, which gets time and level as every line of JSON. */
function printBanner({ banner }: TerminalConfig, json: string, text: string): void {
  const stamp = JSON.stringify({ event: 'started', time: timeTexts.json(), level: 'info' });
  if (banner !== 'none') screen.print(banner === 'json' ? `${stamp.slice(0, -1)},${json.slice(1)}` : text);
}

/** Whether the command serves until it is stopped. */
let isServer = false;

/** Whether lines are JSON (`--json`); not before the flags are parsed. */
let isJson = false;

/** The log level; `info` until the flags are parsed. */
let logLevel: LogLevel = 'info';

/** Loads the YAML parser, if an argument or a variable names YAML. */
async function loadYamlParser(argv: readonly string[]): Promise<((text: string) => unknown) | undefined> {
  const variables = Object.entries(process.env).filter(([name]) => /^(?:AVAGO|SERAC)_CONFIG_/.test(name));
  const texts = [...argv, ...variables.map(([, text]) => text ?? '')];
  return texts.some((text) => /ya?ml/i.test(text)) ? (await import('yaml')).parse : undefined;
}

const readText = (path: string): string => readFileSync(path, 'utf8');

/** Whether stdout is a terminal that understands escape sequences. */
const isTerminal = process.stdout.isTTY === true && process.env.TERM !== 'dumb';

const screen = createScreen({
  out: process.stdout,
  err: process.stderr,
  isInteractive: isTerminal,
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  formatNote: (text) => formatLine(text, 'warn'),
});

/** A line of the log: with the time of day at a terminal, else with date and time. */
function formatLine(text: string, level: LineLevel): string {
  const time = timeTexts[isJson || process.stderr.isTTY !== true ? 'json' : 'text']();
  return formatLogLine(text, level, time, isJson);
}

/** What the supervisor process tells this writer process; undefined in every other process. */
const writerStart = takeWriterStart();

// Also after a second Ctrl-C or a fatal error, the status line is removed.
process.on('exit', screen.close);

// A reader process writes to the terminal of the writer process, which may have drawn its status line.
const log = createLog(
  !isChildOfNode || writerStart !== undefined || !isTerminal
    ? (text, level) => screen.log(formatLine(text, level), level === 'error' || level === 'fatal')
    : (text, level) => writeError(`\r\x1b[K${formatLine(text, level)}`),
  () => logLevel,
);

const signals = createSignals(log);

/** Whether this is a single-file executable (tools/build-executable.ts): Bun then mounts the program's files under this path. */
const isExecutable = /\/(\$bunfs|~BUN)\//.test(import.meta.url);

/** The file of this program. */
const program = isExecutable ? undefined : fileURLToPath(import.meta.url);

/** Whether a progress bar is shown; the status line is not drawn meanwhile. */
let hasProgress = false;

/** The environment of this process; set before a command runs. */
let env: Env;

function openEnv(): Env {
  const own = createEnv({ version, log, program });
  const isHosted = writerStart !== undefined && own.parent !== undefined;
  const base = { ...own, ...(isHosted && connectToSupervisor(own.parent, writerStart, signals.sendStop, own)) };
  return {
    ...base,
    showProgress: (progress) => {
      if (progress === undefined && !hasProgress) return;
      hasProgress = progress !== undefined;
      screen.clear(hasProgress);
      base.showProgress(progress);
    },
  };
}

// The reader of the output, such as `head`, may leave early, and the disk of a log may be full. A server continues without output.
for (const output of [process.stdout, process.stderr])
  output.on('error', ({ code, message }: { readonly code?: string; readonly message: string }) => {
    if (isServer) return;
    if (code === 'EPIPE') process.exit();
    exitWith(new Fault(`cannot write the output: ${message}`, { code: 'INTERNAL' }));
  });

// Not awaited: a module with bytecode (tools/build.ts) cannot await at its top level.
void main();
