import { expect, test } from 'bun:test';
import { parseOptions } from './options.ts';
import { evaluateTarget, formatTable, median, type ReportRow, ratioOf, spread } from './report.ts';

const rate = (ours: number[], theirs: number[], atLeast: number): ReportRow => ({
  name: 'a row',
  unit: '/s',
  ours,
  theirs,
  target: { atLeast },
});

test('median and spread', () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 2, 3])).toBe(2.5);
  expect(spread([90, 100, 120])).toBeCloseTo(0.2);
});

test('a ratio is how many times better ours is', () => {
  expect(ratioOf(rate([300], [100], 2))).toBe(3);
  expect(ratioOf({ ...rate([10], [40], 2), unit: 'ms' })).toBe(4);
});

test('a target is reached only if all rounds reach it', () => {
  expect(evaluateTarget(rate([300, 310], [100, 100], 2))).toBe('reached');
  expect(evaluateTarget(rate([100, 110], [100, 100], 2))).toBe('missed');
  expect(evaluateTarget(rate([300, 110], [100, 100], 2))).toBe('unsure');
  expect(evaluateTarget({ ...rate([300, 340], [], 0), unit: 'ms', target: { atMost: 350 } })).toBe('reached');
});

test('against a bare server, ratios are shown without targets', () => {
  const names = { ours: 'A', theirs: 'B' };
  expect(formatTable([rate([100], [100], 2)], { ...names, showTargets: true })).toContain('missed');
  expect(formatTable([rate([100], [100], 2)], { ...names, showTargets: false })).not.toContain('missed');
});

test('a row that only Serac has shows no ratio', () => {
  const row = { ...rate([200, 210], [], 0), unit: 'MB', target: { atMost: 250 } } as const;
  expect(formatTable([row], { ours: 'A', theirs: 'B', showTargets: true })).toMatch(/205 MB +2% +<= 250 MB +reached/);
});

test('options are parsed, and wrong ones are errors', () => {
  expect(parseOptions(['--quick', '--only', 'getTx'])).toMatchObject({ only: 'getTx', seconds: 1, rounds: 2, mode: 'table' });
  expect(parseOptions(['--quick', '--seconds=5'])).toMatchObject({ seconds: 5, rounds: 2 });
  for (const bad of [['--seconds=0'], ['--rounds', '1.5'], ['--what'], ['extra'], ['--scale', '--data']])
    expect(parseOptions(bad)).toBeString();
});
