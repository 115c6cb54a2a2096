import { formatStamp } from '../app/log/log.ts';
import { cleanText, escapeJson } from '../base/bytes/printable.ts';

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

/** The exit code for a fault that has none of its own. */
export const exitCodeOf = (code: string): number => exitCodeByFault[code] ?? exitCodes.failure;

/** An error that ends the program. */
type ExitError = { readonly code: string; readonly message: string; readonly data?: unknown };

/**
 * The last words of the program: as one line of JSON, as a line of the log of a server whose log is a file (`time`), or for a person, where
 * hints are on lines of their own.
 */
export function formatExitError({ code, message, data }: ExitError, how: { readonly json?: string; readonly time?: string }): string {
  if (how.json !== undefined)
    return escapeJson(JSON.stringify({ event: 'error', time: how.json, level: 'fatal', code, message, data }, quoteBigint));
  const lines = message.split('\n').map(cleanText);
  return how.time === undefined ? `serac: ${lines.join('\n')}` : formatStamp('fatal', how.time) + lines.join(' | ');
}

const quoteBigint = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? value.toString() : value);
