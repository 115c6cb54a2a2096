import { readFileSync } from 'node:fs';
import { configFrom } from '../src/app/config/config.ts';
import { parseFlags } from '../src/app/config/flags.ts';
import { version } from '../src/app/home.ts';
import { createEnv } from '../src/app/platform/runtime-env.ts';
import { createLog } from '../src/base/log/log.ts';
import { dataCommands } from '../src/cli/commands/data-commands.ts';
import { describeExit, exitCodes } from '../src/cli/exit-error.ts';
import { faultOf, isClientCommand, runShortCommand } from '../src/cli/short-command.ts';
import { createNode, type NodeOptions } from '../src/sdk/index.ts';
import { createClient } from './http.ts';
import type { Program } from './program.ts';

/**
 * Commands of the program and nodes in the process of a test: a start of the program takes most of the time of a short command. `runProgram` of
 * program.ts runs them as a user does. Commands return exit code, stdout and stderr. The environment variables are those of this process.
 */

type Ended = { code: number; out: string; err: string };

const readText = (path: string): string => readFileSync(path, 'utf8');
const parse = (args: readonly string[]) => parseFlags(args, { home: '/root', vars: process.env, readFile: readText, parseYaml: undefined });

async function* noInput(): AsyncGenerator<Uint8Array> {}

/** The environment of a command, which shows its log by `write`. */
const openEnv = (write: (line: string) => void) => ({
  ...createEnv({ version, log: createLog(write, () => 'info'), keepsRunning: false }),
  showProgress: () => {},
});

/** Runs a command that asks a node, or prints help or an error of the arguments. */
export async function runCommand(...args: string[]): Promise<Ended> {
  let [out, err] = ['', ''];
  const parsed = parse(args);
  if (parsed.kind === 'run' && !isClientCommand(parsed.command.name))
    throw new Error(`serac ${parsed.command.name} needs a process of its own`);
  const { code, error } = await runShortCommand(parsed, {
    input: noInput(),
    write: (text) => {
      out += text;
    },
    onInterrupt: () => new AbortController().signal,
    env: openEnv((line) => {
      err += `${line}\n`;
    }),
    wait: (_, work) => work,
    confirm: async () => undefined,
    time: () => new Date().toISOString(),
  });
  return { code, out, err: error === undefined ? err : `${err}${error}\n` };
}

/** Runs a command about a data directory that no process uses: check, reindex, backup, compact or keys. */
export async function runDataCommand(...args: string[]): Promise<Ended> {
  let err = '';
  const parsed = parse(args);
  if (parsed.kind !== 'run') throw new Error(`${args} are no arguments of a command`);
  const { command, options } = parsed;
  const env = openEnv((line) => {
    err += `${line}\n`;
  });
  try {
    const run = dataCommands[command.name as keyof typeof dataCommands];
    const { lines, isDamaged } = await run(configFrom(options, command, readText), env, parsed);
    return { code: isDamaged ? exitCodes.damage : 0, out: lines.map((line) => `${line}\n`).join(''), err };
  } catch (error) {
    const { code, text } = describeExit(faultOf(error, options.json), {});
    return { code, out: '', err: `${err}${text}\n` };
  }
}

/** Starts a node in this process that must not start, and returns what the program would say; exit code 0 if it has started. */
export async function tryStart(options: NodeOptions): Promise<Ended> {
  let err = '';
  const log = (line: string): void => {
    err += `${line}\n`;
  };
  try {
    await (await createNode({ accounts: 0, log, ...options })).close();
    return { code: 0, out: '', err };
  } catch (error) {
    const { code, text } = describeExit(faultOf(error, false), {});
    return { code, out: '', err: `${err}${text}\n` };
  }
}

/** A node that answers at a port. */
export type RunningNode = Pick<Program, 'url' | 'port' | 'client' | 'stop'>;

/** Starts a node in this process, for tests in which the process does not matter. `stop` returns 0, as the exit code of the program. */
export async function startHere(options: NodeOptions): Promise<RunningNode> {
  const node = await createNode({ accounts: 0, ...options });
  const url = await node.listen(0);
  const port = Number(new URL(url).port);
  const client = createClient(port);
  const stop = async (): Promise<number> => {
    client.close();
    await node.close();
    return 0;
  };
  return { url, port, client, stop };
}
