import { SeracError } from '../../api/client/fault.ts';
import type { CommandName, commandTable } from '../../app/config/command.ts';
import { balance } from './balance.ts';
import { calls } from './calls.ts';
import type { ClientCommand, ClientContext } from './client-command.ts';
import { controlCommands } from './control-commands.ts';
import { explainError } from './explain-error.ts';
import { issue } from './issue.ts';
import { label } from './label-command.ts';
import { listCommands } from './list-commands.ts';
import { moneyCommands } from './money-commands.ts';
import { peers } from './peers.ts';
import { rpc } from './rpc.ts';
import { showCommands } from './show-commands.ts';
import { tail } from './tail.ts';
import { watch } from './watch.ts';
import { webhookCommands } from './webhook-commands.ts';

/** The commands that ask a running node. */
export type ClientCommandName = { [N in CommandName]: (typeof commandTable)[N]['kind'] extends 'client' ? N : never }[CommandName];

/**
 * Runs a command; an error of a call is thrown with its hints in words. Returns the exit code if it is not 0. An error of the runtime means
 * that an answer lacks a part which every node sends: it is the only input that is not checked before. Scripts throw what they want.
 */
export const runClientCommand = (name: ClientCommandName, context: ClientContext): Promise<number | undefined> =>
  clientCommands[name](context).catch((error: unknown) => {
    throw name !== 'run' && isFormError(error)
      ? badAnswer(context.client.url, error)
      : explainError(error, { name, args: context.args, given: context.given });
  });

const isFormError = (error: unknown): error is TypeError | RangeError | SyntaxError =>
  error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError;

const badAnswer = (url: string, { message }: { readonly message: string }): SeracError =>
  new SeracError(`${url} answers in another form than a node does (${message.split('\n')[0]}); serac doctor ${url} looks at it`, {
    code: 'NODE_BAD_RESULT',
    path: '',
    expected: 'the documented form',
  });

const clientCommands: { readonly [N in ClientCommandName]: ClientCommand } = {
  ...moneyCommands,
  ...controlCommands,
  ...showCommands,
  ...listCommands,
  ...webhookCommands,
  label,
  balance,
  issue,
  tail,
  calls,
  watch,
  peers,
  rpc,
  // Imported when they run: they contain a node or a server, which the other commands need not load.
  doctor: async (context) => (await import('./doctor.ts')).doctor(context),
  mcp: async (context) => (await import('./mcp.ts')).mcp(context),
  run: async (context) => (await import('./run.ts')).run(context),
  record: async (context) => (await import('./record.ts')).record(context),
  replay: async (context) => (await import('./replay.ts')).replay(context),
};
