import { expect, test } from 'bun:test';
import { logLevels } from '../flags/flag-definition.ts';
import { createLog, type LineLevel, type LogLevel } from './log.ts';

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
