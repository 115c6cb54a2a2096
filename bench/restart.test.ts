import { expect, test } from 'bun:test';
import { startProgram } from '../test/program.ts';
import { formatPhases, phasesLine } from './restart.ts';

test('the median of each phase', () => {
  const lines = [100, 300, 200].map((ms) => `ready in ${2 * ms} ms: program ${ms}, health checks ${ms + 1}`);
  expect(formatPhases(lines)).toBe('program 200, health checks 201');
  expect(() => formatPhases([''])).toThrow('has not logged');
});

test('a node logs the phases of its start, which add up to it', async () => {
  const { stderrText, stop } = await startProgram('--workers=0', '--log-level=debug');
  await stop();
  const line = phasesLine.exec(stderrText())?.[0] ?? '';
  const phases = formatPhases([line]).split(', ');
  expect(phases.map((one) => one.replace(/ \d+$/, ''))).toEqual([
    'program',
    'genesis and keys',
    'database',
    'chains',
    'health checks',
    'interfaces',
    'ports',
  ]);
  const sum = phases.reduce((total, one) => total + Number(/\d+$/.exec(one)), 0);
  // Each is rounded.
  expect(Math.abs(sum - Number(/\d+/.exec(line)))).toBeLessThanOrEqual(4);
});
