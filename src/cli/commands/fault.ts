import { Fault } from '../../base/fault.ts';

type CommandFault =
  /** An argument of the command line that cannot be used; the program exits with 2. */
  | { readonly code: 'BAD_ARGUMENT'; readonly argument: string }
  /** A recording that cannot be written or read. */
  | { readonly code: 'RECORDING_FAILED'; readonly file: string };

class CommandError extends Fault<CommandFault> {}

export const badArgument = (argument: string, text: string): CommandError => new CommandError(text, { code: 'BAD_ARGUMENT', argument });

export const recordingError = (file: string, text: string): CommandError => new CommandError(text, { code: 'RECORDING_FAILED', file });
