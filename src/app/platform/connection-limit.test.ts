import { expect, test } from 'bun:test';
import { type IpRange, parseIp, parseIpRange } from '../../base/bytes/ip-address.ts';
import { createVirtualTiming } from '../../base/timing/virtual-timing.fixture.ts';
import { createConnectionLimit, type OpenConnection, selectExcess } from './connection-limit.ts';

const ip = (text: string): Uint8Array => parseIp(text) as Uint8Array;
const connections = (address: string, ...idle: number[]): OpenConnection[] => idle.map((ms) => ({ address: ip(address), idle: ms }));
const idleOf = (list: readonly OpenConnection[]): number[] => list.map(({ idle }) => idle);

test('of an address those above its limit are closed, and of all others the rest, idle ones first; a proxy has many clients', () => {
  const open = [...connections('10.0.0.1', 5, 900, 1, 70), ...connections('10.0.0.2', 40, 1000), ...connections('10.9.0.1', 3, 2, 1, 4)];
  const proxies = [parseIpRange('10.9.0.0/16') as IpRange];
  const few = selectExcess(open, 3, proxies, 0);
  expect([idleOf(few.ofAddress), few.ofAll]).toEqual([[900], []]);
  const many = selectExcess(open, 3, proxies, 4);
  expect([idleOf(many.ofAddress), idleOf(many.ofAll)]).toEqual([[900], [1000, 70, 40]]);
  expect(idleOf(selectExcess(open, 3, [], 0).ofAddress)).toEqual([900, 4]);
});

test('the addresses of an IPv6 /64 count as one, and IPv4-mapped ones as IPv4', () => {
  const sameNetwork = [...connections('2001:db8::1', 1), ...connections('2001:db8::ffff:2', 2), ...connections('2001:db8:0:1::1', 3)];
  expect(idleOf(selectExcess(sameNetwork, 1, [], 0).ofAddress)).toEqual([2]);
  const mapped = [...connections('10.0.0.1', 1), ...connections('::ffff:10.0.0.1', 2), ...connections('10.0.0.2', 3)];
  expect(idleOf(selectExcess(mapped, 1, [], 0).ofAddress)).toEqual([2]);
});

test('a part of the handles is kept in reserve, and an address gets half of the connections', () => {
  const limitsOf = (limit: number, open: number) => {
    const { max, maxPerAddress, maxHandles } = createConnectionLimit(
      { limit, open },
      () => {},
      () => 0,
      () => {},
    );
    return { max, maxPerAddress, maxHandles };
  };
  expect(limitsOf(64, 9)).toEqual({ max: 39, maxPerAddress: 19, maxHandles: 48 });
  expect(limitsOf(1024, 20)).toEqual({ max: 748, maxPerAddress: 374, maxHandles: 768 });
  expect(limitsOf(1_048_576, 20)).toEqual({ max: 1_048_300, maxPerAddress: 524_150, maxHandles: 1_048_320 });
  expect(limitsOf(20, 20)).toEqual({ max: 8, maxPerAddress: 4, maxHandles: 4 });
});

test('each limit is logged once a minute; the check fails while there are too many in all, and not because of one address', async () => {
  const { timing, pass } = createVirtualTiming();
  const lines: string[] = [];
  let changes = 0;
  const limit = createConnectionLimit({ limit: 64, open: 9 }, (line) => void lines.push(line), timing.now, timing.after);
  limit.onChange(() => void changes++);
  for (let i = 0; i < 100; i++) limit.count({ address: ip('10.0.0.1') });
  expect(lines).toEqual([expect.stringMatching(/^10\.0\.0\.1 has more than 19 connections; .* \(ulimit -n\) to allow more$/)]);
  expect(limit.check()).toEqual({ details: { max: 39, maxPerAddress: 19, closed: 100, handles: 64 }, error: undefined });
  for (let i = 0; i < 100; i++) limit.count('all');
  expect(lines.slice(1)).toEqual([expect.stringContaining('there are more than 39 connections; ')]);
  expect(limit.check().error).toContain('all 39 connections are in use');
  await pass(10_100);
  expect(limit.check().error).toBeUndefined();
  await pass(20_000);
  // The listener was called until the check had succeeded, and not longer.
  expect(changes).toBeGreaterThan(9);
  expect(changes).toBeLessThan(14);
  await pass(40_000);
  limit.count('all');
  expect(lines).toHaveLength(3);
});
