import { Fault } from '../../base/fault.ts';

type CommandFault =
  /** An argument of the command line that cannot be used; the program exits with 2. */
  { readonly code: 'BAD_ARGUMENT'; readonly argument: string };

class CommandError extends Fault<CommandFault> {}

export const badArgument = (argument: string, text: string): CommandError => new CommandError(text, { code: 'BAD_ARGUMENT', argument });
