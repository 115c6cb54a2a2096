import { cleanText, escapeJson } from '../base/bytes/printable.ts';
import type { AnyFault } from '../base/fault.ts';
import { formatStamp } from '../base/log/log.ts';

/** The exit codes of the program. */
export const exitCodes = { failure: 1, badFlags: 2, portTaken: 3, damage: 4, otherVersion: 5 } as const;

/** The exit codes of faults; `failure` for all others. */
const exitCodeByFault: { readonly [code: string]: number } = {
  PORT_TAKEN: exitCodes.portTaken,
  WALLET_BAD_MNEMONIC: exitCodes.badFlags,
  BAD_ARGUMENT: exitCodes.badFlags,
  BEACON_COUNTS_DIFFER: exitCodes.badFlags,
  BEACON_MALFORMED: exitCodes.badFlags,
  JOIN_PORT_TAKEN: exitCodes.portTaken,
  JOIN_NOTICEABLE_STAKE: exitCodes.badFlags,
  REDIS_BAD_URL: exitCodes.badFlags,
  STORE_DAMAGED: exitCodes.damage,
  STORE_FOREIGN: exitCodes.damage,
  STATE_DAMAGED: exitCodes.damage,
  STATE_BEHIND: exitCodes.damage,
  STATE_FILE_DAMAGED: exitCodes.damage,
  STATE_FILE_FOREIGN: exitCodes.damage,
  STORE_OTHER_SCHEMA: exitCodes.otherVersion,
  INDEX_NEWER_SCHEMA: exitCodes.otherVersion,
  STATE_FILE_OTHER_VERSION: exitCodes.otherVersion,
};

/** What the program prints when a fault ends it, and its exit code: that of the fault, if it has one of its own. */
export function describeExit({ message, fault }: AnyFault, how: PrintedAs): { readonly text: string; readonly code: number } {
  const { code, exitCode, ...data } = fault as AnyFault['fault'] & { readonly exitCode?: number | null };
  const shown = { code, message, data: Object.keys(data).length > 0 ? data : undefined };
  return { text: formatExitError(shown, how), code: exitCode || (exitCodeByFault[code] ?? exitCodes.failure) };
}

/** The time of an error in JSON, the time of a line in the log of a server, or none for a person. */
type PrintedAs = { readonly json?: string; readonly time?: string };

/** An error that ends the program. */
type ExitError = { readonly code: string; readonly message: string; readonly data?: unknown };

/**
 * The last words of the program: as one line of JSON, as a line of the log of a server whose log is a file (`time`), or for a person, where
 * hints are on lines of their own.
 */
function formatExitError({ code, message, data }: ExitError, how: PrintedAs): string {
  if (how.json !== undefined)
    return escapeJson(JSON.stringify({ event: 'error', time: how.json, level: 'fatal', code, message, data }, quoteBigint));
  const lines = message.split('\n').map(cleanText);
  return how.time === undefined ? `serac: ${lines.join('\n')}` : formatStamp('fatal', how.time) + lines.join(' | ');
}

const quoteBigint = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? value.toString() : value);
