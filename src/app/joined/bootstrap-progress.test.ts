import { expect, test } from 'bun:test';
import type { JoinedChain } from '../../network/joined-chain/joined-chain.ts';
import type { Env } from '../platform/env.ts';
import { showBootstrap } from './bootstrap-progress.ts';

test('a chain that waits for validators says so every 10 s until it has them', () => {
  let now = 0;
  let tick = (): void => {};
  const lines: string[] = [];
  const env = {
    clock: { monotonic: () => now },
    timers: {
      after: (milliseconds: number, run: () => void) => {
        tick = () => {
          now += milliseconds;
          run();
        };
        return () => {};
      },
    },
    log: (line: string, level: string) => void lines.push(`${level} ${line}`),
    showProgress: () => {},
  } as unknown as Env;
  const chain = { isBootstrapped: () => false, bootstrap: () => ({ phase: 'connecting', height: 0n }) } as unknown as JoinedChain;
  let missing: string | undefined = 'it is down';
  const network = { beaconState: () => ({ connected: 1, required: 1 }), peers: () => [{}] } as unknown as Parameters<
    typeof showBootstrap
  >[1];
  const stop = showBootstrap(chain, network, () => missing, env);
  const run = (seconds: number): void => {
    for (const end = now + 1000 * seconds; now < end; ) tick();
  };
  run(29);
  expect(lines).toEqual([
    'warn the X-Chain has waited 10 s for validators, with 1 peer: it is down',
    'warn the X-Chain has waited 20 s for validators, with 1 peer: it is down',
  ]);
  missing = undefined;
  run(60);
  expect(lines).toHaveLength(2);
  stop();
});
