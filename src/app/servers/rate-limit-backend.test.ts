import { expect, test } from 'bun:test';
import type { LimitDecision } from '../../api/access/rate-limit.ts';
import { Fault } from '../../base/fault.ts';
import type { Env } from '../platform/env.ts';
import type { Relay } from '../processes/relay.ts';
import { createRelayedLimiter } from './rate-limit-backend.ts';

let now = 0;
const env = {
  clock: { monotonic: () => now },
  timers: { after: () => () => {} },
} as unknown as Pick<Env, 'clock' | 'timers'>;
const plan = { perMinute: 40, perDay: 1_000 };
const decision: LimitDecision = { admitted: true, limit: 40, remaining: 9, windowSeconds: 60, waitMilliseconds: 0, lockedOut: false };

test('while the writer process does not answer, each reader admits its share of the limits and reports that', async () => {
  let answers: 'decision' | 'error' | 'nothing' = 'decision';
  const relay: Relay = async () => {
    if (answers === 'nothing') throw new Fault('busy', { code: 'RELAY_BUSY' });
    if (answers === 'error') return { status: 500, headers: {}, body: 'internal error\n' };
    return { status: 200, headers: {}, body: JSON.stringify(decision) };
  };
  const limiter = createRelayedLimiter(relay, env, 4);
  for (let i = 0; i < 8; i++) expect((await limiter.take('a', 1, plan)).admitted).toBe(true);
  expect(limiter.degradedReason?.()).toBeUndefined();
  answers = 'nothing';
  const admitted = async (client: string) => {
    let count = 0;
    for (let i = 0; i < 40; i++) if ((await limiter.take(client, 1, plan)).admitted) count++;
    return count;
  };
  // A quarter of what client a had left, and a quarter of the full limit of client b.
  expect([await admitted('a'), await admitted('b')]).toEqual([8, 10]);
  expect(limiter.degradedReason?.()).toContain('each of 4 processes');
  answers = 'decision';
  await limiter.take('a', 1, plan);
  expect(limiter.degradedReason?.()).toBeUndefined();
  answers = 'error';
  expect(await admitted('c')).toBe(10);
  expect(limiter.degradedReason?.()).toContain('each of 4 processes');
  // The limiter sees only requests that are counted: on a quiet server an outage that is over must not be reported forever.
  now += 30_000;
  expect(limiter.degradedReason?.()).toBeUndefined();
});
