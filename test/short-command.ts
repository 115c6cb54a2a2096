import { readFileSync } from 'node:fs';
import { parseFlags } from '../src/app/config/flags.ts';
import { version } from '../src/app/home.ts';
import { createEnv } from '../src/app/platform/runtime-env.ts';
import { createLog } from '../src/base/log/log.ts';
import { isClientCommand, runShortCommand } from '../src/cli/short-command.ts';

const env = createEnv({
  version,
  log: createLog(
    () => {},
    () => 'off',
  ),
  keepsRunning: false,
});

async function* noInput(): AsyncGenerator<Uint8Array> {}

/**
 * Runs a command that asks a node, as `runProgram` does, but in this process: a start of the program takes most of the time of such a command.
 * Returns exit code, stdout and stderr. The environment variables are those of this process.
 */
export async function runCommand(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  let out = '';
  const parsed = parseFlags(args, {
    home: '/root',
    vars: process.env,
    readFile: (path) => readFileSync(path, 'utf8'),
    parseYaml: undefined,
  });
  if (parsed.kind === 'run' && !isClientCommand(parsed.command.name))
    throw new Error(`serac ${parsed.command.name} needs a process of its own`);
  const { code, error } = await runShortCommand(parsed, {
    input: noInput(),
    write: (text) => {
      out += text;
    },
    onInterrupt: () => new AbortController().signal,
    env,
    time: () => new Date().toISOString(),
  });
  return { code, out, err: error === undefined ? '' : `${error}\n` };
}
