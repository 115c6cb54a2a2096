import { createRpcClient } from '../api/client/rpc-client.ts';
import type { Command } from '../app/config/command.ts';
import type { FlagInputs } from '../app/config/flag-source.ts';
import type { Options } from '../app/config/flag-table.ts';
import { readBlob, replaceFile } from '../app/platform/whole-files.ts';
import { cleanText, escapeJson } from '../base/bytes/printable.ts';
import type { ClientContext } from './commands/client-command.ts';
import { type ClientCommandName, runClientCommand } from './commands/client-commands.ts';

/** The terminal of a command, and the environment of its process. */
type ClientProcess = Pick<ClientContext, 'input' | 'write' | 'onInterrupt' | 'env' | 'wait' | 'confirm'>;

/** Runs a command that asks a running node. Returns the exit code if it is not 0. */
export const runClientProgram = (
  name: ClientCommandName,
  { command, options, given }: { readonly command: Command; readonly options: Options; readonly given: FlagInputs },
  { input, write, onInterrupt, env, wait, confirm }: ClientProcess,
): Promise<number | undefined> =>
  runClientCommand(name, {
    input,
    write,
    onInterrupt,
    env,
    confirm,
    client: createRpcClient({ url: options.url, token: options['dev-token'], apiKey: options['api-key'] }),
    args: command.args,
    options,
    given,
    wait: options.json ? (_, work) => work : wait,
    print: (line) => write(`${options.json ? escapeJson(line) : cleanText(line)}\n`),
    readFile: readBlob,
    writeFile: replaceFile,
  });
