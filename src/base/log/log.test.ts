import { expect, test } from 'bun:test';
import { createLog, createOutageLog, formatLogLine, type LineLevel, type LogLevel, logLevels } from './log.ts';

const lineLevels = logLevels.filter((level): level is LineLevel => level !== 'off');

test("a level shows its own lines and those of all levels before it in AvalancheGo's order", () => {
  const shown = (threshold: LogLevel): string[] => {
    const lines: string[] = [];
    const log = createLog(
      (line) => void lines.push(line),
      () => threshold,
    );
    for (const level of lineLevels) {
      log(level, level);
      expect(log.isShown(level)).toBe(lines.includes(level));
    }
    return lines;
  };
  expect(logLevels).toEqual(['off', 'fatal', 'error', 'warn', 'info', 'trace', 'debug', 'verbo']);
  for (const [i, threshold] of logLevels.entries()) expect(shown(threshold)).toEqual(lineLevels.slice(0, i));
});

test('a line without a level has the level info', () => {
  const lines: string[] = [];
  let threshold: LogLevel = 'warn';
  const log = createLog(
    (line) => void lines.push(line),
    () => threshold,
  );
  log('before');
  threshold = 'info';
  log('after');
  expect(lines).toEqual(['after']);
});

test('a line has its time and level and stays one line; JSON has the same facts', () => {
  const hostile = 'health: \x1b[2J\n    at x (y.ts)';
  expect(formatLogLine(hostile, 'warn', '14:02:11', false)).toBe('14:02:11 warn  health: ?[2J | at x (y.ts)');
  expect(JSON.parse(formatLogLine('a "b"', 'error', '2026-01-01T00:00:00.000Z', true))).toEqual({
    event: 'log',
    time: '2026-01-01T00:00:00.000Z',
    level: 'error',
    message: 'a "b"',
  });
});

test('an outage is logged once, and so is its end', () => {
  const lines: string[] = [];
  const log = createLog(
    (line, level) => void lines.push(`${level} ${line}`),
    () => 'info',
  );
  const outage = createOutageLog(log, 'Redis at host:6379');
  outage.regained();
  for (const reason of ['refused', 'timeout', 'refused']) outage.lost(reason);
  outage.regained();
  outage.regained();
  outage.lost('refused');
  expect(lines).toEqual([
    'warn Redis at host:6379: refused; retrying',
    'info Redis at host:6379 answers again',
    'warn Redis at host:6379: refused; retrying',
  ]);
});
