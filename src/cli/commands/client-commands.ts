import type { CommandName, commandTable } from '../../app/flags/command.ts';
import type { ClientCommand, ClientContext } from './client-command.ts';
import { controlCommands } from './control-commands.ts';
import { doctor } from './doctor.ts';
import { explainError } from './explain-error.ts';
import { mcp } from './mcp.ts';
import { moneyCommands } from './money-commands.ts';
import { peers } from './peers.ts';
import { record } from './record.ts';
import { replay } from './replay.ts';
import { rpc } from './rpc.ts';
import { run } from './run.ts';
import { showCommands } from './show-commands.ts';
import { tail } from './tail.ts';
import { webhookCommands } from './webhook-commands.ts';

/** The commands that ask a running node. */
export type ClientCommandName = { [N in CommandName]: (typeof commandTable)[N]['kind'] extends 'client' ? N : never }[CommandName];

/** Runs a command; an error of a call is thrown with its hints in words. Returns the exit code if it is not 0. */
export const runClientCommand = (name: ClientCommandName, context: ClientContext): Promise<number | undefined> =>
  clientCommands[name](context).catch((error: unknown) => {
    throw explainError(error);
  });

const clientCommands: { readonly [N in ClientCommandName]: ClientCommand } = {
  ...moneyCommands,
  ...controlCommands,
  ...showCommands,
  ...webhookCommands,
  tail,
  peers,
  doctor,
  rpc,
  mcp,
  run,
  record,
  replay,
};
