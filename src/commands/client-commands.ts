import type { CommandName, commandTable } from '../cli/command.ts';
import type { ClientCommand } from './client-command.ts';
import { controlCommands } from './control-commands.ts';
import { doctor } from './doctor.ts';
import { moneyCommands } from './money-commands.ts';
import { showCommands } from './show-commands.ts';
import { tail } from './tail.ts';

/** The commands that ask a running node. */
export type ClientCommandName = { [N in CommandName]: (typeof commandTable)[N]['kind'] extends 'client' ? N : never }[CommandName];

export const clientCommands: { readonly [N in ClientCommandName]: ClientCommand } = {
  ...moneyCommands,
  ...controlCommands,
  ...showCommands,
  tail,
  doctor,
};
