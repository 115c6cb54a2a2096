import { cleanText, escapeJson } from '../bytes/printable.ts';

/** From the fewest lines to the most, in AvalancheGo's order. */
export const logLevels = ['off', 'fatal', 'error', 'warn', 'info', 'trace', 'debug', 'verbo'] as const;

/** A log level. In AvalancheGo's order `trace` shows fewer lines than `debug`. AvalancheGo: utils/logging/level.go. */
export type LogLevel = (typeof logLevels)[number];

/** The level of a line. */
export type LineLevel = Exclude<LogLevel, 'off'>;

/** Writes a line if its level (default `info`) is shown. */
export type Log = ((line: string, level?: LineLevel) => void) & {
  /** Whether lines of a level are shown, to skip building expensive lines. */
  readonly isShown: (level: LineLevel) => boolean;
};

export function createLog(write: (line: string, level: LineLevel) => void, threshold: () => LogLevel): Log {
  const isShown = (level: LineLevel): boolean => logLevels.indexOf(level) <= logLevels.indexOf(threshold());
  const log = (line: string, level: LineLevel = 'info'): void => {
    if (isShown(level)) write(line, level);
  };
  return Object.assign(log, { isShown });
}

/** The time and level before a line. */
export const formatStamp = (level: LineLevel, time: string): string => `${time} ${level.padEnd(5)} `;

/** A line of the log, with its time and level. It stays one line: the text may be an error with a stack, or come from another node. */
export function formatLogLine(text: string, level: LineLevel, time: string, isJson: boolean): string {
  const message = cleanText(text.replace(/\s*\n\s*/g, ' | '));
  return isJson ? escapeJson(JSON.stringify({ event: 'log', time, level, message })) : formatStamp(level, time) + message;
}

/** Returns a function that writes a line unless it equals the previous one, for work that is retried repeatedly. */
export function logChanges(log: Log): (line: string, level?: LineLevel) => void {
  let last = '';
  return (line, level) => {
    if (line !== last) log(line, level);
    last = line;
  };
}

/** Logs that a server was lost and that it answers again, each once however often it is noticed. */
type OutageLog = { readonly lost: (reason: string) => void; readonly regained: () => void; readonly isLost: () => boolean };

export function createOutageLog(log: Log, server: string): OutageLog {
  let isLost = false;
  return {
    lost: (reason) => {
      if (!isLost) log(`${server}: ${reason}; retrying`, 'warn');
      isLost = true;
    },
    regained: () => {
      if (isLost) log(`${server} answers again`);
      isLost = false;
    },
    isLost: () => isLost,
  };
}

/** A node's URL without user name, password, query and trailing slash: safe to show, and ready to append a path to. */
export function stripCredentials(text: string): string {
  if (!URL.canParse(text)) return text;
  const { origin, pathname } = new URL(text);
  return origin + pathname.replace(/\/+$/, '');
}
