import { type CommandName, commandTable } from '../app/config/command.ts';
import type { ParsedFlags } from '../app/config/flags.ts';
import { version } from '../app/home.ts';
import { type AnyFault, Fault } from '../base/fault.ts';
import { storeErrorFromDriver } from '../ledger/store/fault.ts';
import type { ClientContext } from './commands/client-command.ts';
import type { ClientCommandName } from './commands/client-commands.ts';
import { describeExit } from './exit-error.ts';

/** Whether a command asks a running node. */
export const isClientCommand = (name: CommandName): name is ClientCommandName => commandTable[name].kind === 'client';

/** The streams of a command and the environment of its process. */
type ShortProcess = Pick<ClientContext, 'input' | 'write' | 'onInterrupt' | 'env' | 'wait' | 'confirm'> & {
  /** The time of an error that is printed as JSON. */
  readonly time: () => string;
};

/**
 * Runs what needs no more of its process than streams: prints help, the version or what is wrong with the arguments, or runs a command that asks a
 * node. main.ts calls it, and tests that would start the program a hundred times. Returns the exit code, and what to print if the command failed.
 */
export async function runShortCommand(parsed: ParsedFlags, own: ShortProcess): Promise<{ readonly code: number; readonly error?: string }> {
  const isJson = parsed.kind === 'run' ? parsed.options.json : parsed.kind === 'error' && parsed.isJson;
  try {
    return { code: (await runOrPrint(parsed, own)) ?? 0 };
  } catch (error) {
    const { code, text } = describeExit(faultOf(error, isJson), isJson ? { json: own.time() } : {});
    return { code, error: text };
  }
}

/** The fault that ended a command. As JSON every error has a code; for a person the runtime prints an unexpected one with its stack. */
export function faultOf(error: unknown, isJson: boolean): AnyFault {
  const fault = error instanceof Fault ? error : storeErrorFromDriver(error);
  if (fault === undefined && !isJson) throw error;
  return fault ?? new Fault((error as { readonly stack?: string } | null | undefined)?.stack ?? String(error), { code: 'INTERNAL' });
}

async function runOrPrint(
  parsed: ParsedFlags,
  { input, write, onInterrupt, env, wait, confirm }: ShortProcess,
): Promise<number | undefined> {
  switch (parsed.kind) {
    case 'help':
      write(parsed.text);
      return 0;
    case 'version':
      write(parsed.json ? `${JSON.stringify({ name: 'serac', version, parity: 'avalanchego/1.14.2' })}\n` : `serac/${version}\n`);
      return 0;
    case 'error':
      throw new Fault(parsed.message, { code: parsed.code, exitCode: parsed.exitCode });
    case 'run': {
      const { runClientProgram } = await import('./client-program.ts');
      return runClientProgram(parsed.command.name as ClientCommandName, parsed, { input, write, onInterrupt, env, wait, confirm });
    }
  }
}
