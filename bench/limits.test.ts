import { expect, test } from 'bun:test';
import { figureFiles, limitRows, readHistory } from './limits.ts';
import { evaluateTarget, formatTable } from './report.ts';

const figures = [
  { name: 'growth', unit: 'MB', value: 70, limit: 80 },
  { name: 'wait', unit: 'ms', value: 200, limit: 150 },
  { name: 'growth', unit: 'MB', value: 90, limit: 80 },
] as const;

test('a figure is compared with its limit, over all rounds, and with the last recorded run', () => {
  const rows = limitRows(figures, { date: '2026-11-16', processors: 2, busy: 0, figures: { wait: 100 } });
  expect(rows.map(({ name, ours, theirs }) => [name, ours, theirs])).toEqual([
    ['growth', [70, 90], []],
    ['wait', [200], [100]],
  ]);
  expect(rows.map(evaluateTarget)).toEqual(['unsure', 'missed']);
  expect(formatTable(rows, { ours: 'now', theirs: '2026-11-16', showTargets: true })).toMatch(
    /wait +200 ms +0% +100 ms +0% +0.50x +<= 150 ms +missed/,
  );
});

test('the files that record figures are found, and recorded runs can be read', () => {
  expect(figureFiles()).toEqual(expect.arrayContaining(['test/request-delay.test.ts', 'test/request-memory.test.ts']));
  for (const { date, figures } of readHistory()) {
    expect(date).toMatch(/^\d{4}-\d\d-\d\d$/);
    for (const value of Object.values(figures)) expect(value).toBeFinite();
  }
});
