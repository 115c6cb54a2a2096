import { logLevels } from './flag-table.ts';

/** From the quietest to the most talkative, in AvalancheGo's order: `trace` is quieter than `debug`. AvalancheGo: utils/logging/level.go. */
export type LogLevel = (typeof logLevels)[number];

/** A level that a line can have. */
export type LineLevel = Exclude<LogLevel, 'off'>;

/** Writes a line if its level is shown; `info` unless told. */
export type Log = ((line: string, level?: LineLevel) => void) & {
  /** For lines that cost something to make. */
  readonly shows: (level: LineLevel) => boolean;
};

export function createLog(write: (line: string) => void, threshold: () => LogLevel): Log {
  const shows = (level: LineLevel): boolean => logLevels.indexOf(level) <= logLevels.indexOf(threshold());
  const log = (line: string, level: LineLevel = 'info'): void => {
    if (shows(level)) write(line);
  };
  return Object.assign(log, { shows });
}

/** Writes a line unless it repeats the one before: for work that is retried again and again. */
export function logChanges(log: Log): (line: string, level?: LineLevel) => void {
  let last = '';
  return (line, level) => {
    if (line !== last) log(`serac: ${line}`, level);
    last = line;
  };
}
