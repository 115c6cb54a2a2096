import { logLevels } from '../flags/flag-definition.ts';

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

/** Returns a function that writes a line unless it equals the previous one, for work that is retried repeatedly. */
export function logChanges(log: Log): (line: string, level?: LineLevel) => void {
  let last = '';
  return (line, level) => {
    if (line !== last) log(`serac: ${line}`, level);
    last = line;
  };
}
