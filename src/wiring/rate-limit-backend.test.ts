import { expect, test } from 'bun:test';
import { Fault } from '../fault.ts';
import type { Relay } from '../workers/relay.ts';
import type { Env } from './env.ts';
import { relayedLimiter } from './rate-limit-backend.ts';

const env = {
  clock: { monotonic: () => 0 },
  timers: { after: () => () => {} },
} as unknown as Pick<Env, 'clock' | 'timers'>;
const plan = { perMinute: 40, perDay: 1_000 };

test('while the writing process does not answer, each of the others admits its share, and says so', async () => {
  let answers = true;
  const relay: Relay = async () => {
    if (!answers) throw new Fault('busy', { code: 'RELAY_BUSY' });
    return {
      status: 200,
      headers: {},
      body: JSON.stringify({ admitted: true, limit: 40, remaining: 9, seconds: 60, wait: 0, shutOut: false }),
    };
  };
  const limiter = relayedLimiter(relay, env, 4);
  for (let i = 0; i < 8; i++) expect((await limiter.take('a', 1, plan)).admitted).toBe(true);
  expect(limiter.reduced?.()).toBeUndefined();
  answers = false;
  const admitted = async (client: string) => {
    let count = 0;
    for (let i = 0; i < 40; i++) if ((await limiter.take(client, 1, plan)).admitted) count++;
    return count;
  };
  // A quarter of what was left, and a quarter of a limit of which nothing was used.
  expect([await admitted('a'), await admitted('b')]).toEqual([8, 10]);
  expect(limiter.reduced?.()).toContain('each of 4 processes');
  answers = true;
  await limiter.take('a', 1, plan);
  expect(limiter.reduced?.()).toBeUndefined();
});
