import { expect, test } from 'bun:test';
import { healthValue } from './health-value.ts';

test.each<[string, unknown, string]>([
  ['bootstrapped', [], 'all chains'],
  ['bootstrapped', ['11111111111111111111111111111111LpoYY'], '1 subnet not yet'],
  ['diskspace', { availableDiskBytes: 60_829_573_120, availableDiskPercentage: 22 }, '60.8 GB free, 22 %'],
  ['futureupgrade', { localUpgradeTime: '2020-12-05T05:00:00Z' }, 'upgrade of 2020-12-05'],
  ['network', { connectedPeers: 3, sendFailRate: 0 }, '3 peers'],
  ['router', { longestRunningRequest: '0s', outstandingRequests: 1 }, '1 request open'],
  ['follow', { state: 'live', height: 1204, behindSeconds: 0, target: 1204 }, 'block 1,204 of 1,204, 0 seconds behind'],
  ['X', { engine: { consensus: { lastAcceptedHeight: 12_345 }, vm: null } }, ''],
  ['webhooks', { active: 2, longestWait: 0, reasons: ['timeout'] }, 'active 2, longest wait 0, reasons timeout'],
  ['bls', 'node has the correct BLS key', 'node has the correct BLS key'],
  ['database', undefined, ''],
  ['toString', { a: 1 }, 'a 1'],
  ['long', 'x'.repeat(200), `${'x'.repeat(160)}…`],
])('%s %j: %s', (name, message, text) => expect(healthValue(name, message)).toBe(text));
