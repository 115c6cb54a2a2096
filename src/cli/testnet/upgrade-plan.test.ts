import { expect, test } from 'bun:test';
import { parseUpgradeFile } from '../../avm/genesis/upgrade-file.ts';
import { planUpgrades } from './upgrade-plan.ts';

const now = Date.parse('2026-01-01T00:00:00Z');
const start = '2020-12-05T05:00:00Z';
const never = '9999-12-01T00:00:00Z';

/** The times from Durango on, as nodes read them from the file. */
function timesOf(...texts: string[]): string[] {
  const planned = parseUpgradeFile(JSON.stringify(planUpgrades(texts, now)));
  return [planned.durangoTime, planned.etnaTime, planned.fortunaTime, planned.graniteTime, planned.heliconTime];
}

test('a time alone is that of Granite; what precedes it is active from the start', () => {
  expect(timesOf('90s')).toEqual([start, start, start, '2026-01-01T00:01:30Z', never]);
  expect(timesOf('2027-01-31T12:00:00Z')[3]).toBe('2027-01-31T12:00:00Z');
});

test('named upgrades keep their order: one between two is active with the first, those after the last never', () => {
  expect(timesOf('durango=10s', 'fortuna=1m')).toEqual([
    '2026-01-01T00:00:10Z',
    '2026-01-01T00:00:10Z',
    '2026-01-01T00:01:00Z',
    never,
    never,
  ]);
});

test('what cannot be scheduled says why', () => {
  expect(() => timesOf('soon')).toThrow('neither a time from now on');
  expect(() => timesOf('banff=1s')).toThrow('is not one of durango, etna');
  expect(() => timesOf('granite=1s', 'durango=2s')).toThrow('granite must not be before an upgrade that precedes it');
});
