import { expect, test } from 'bun:test';
import type { NodeId } from '../../base/bytes/node-id.ts';
import type { JoinedChain } from '../../network/joined-chain/joined-chain.ts';
import type { Env } from '../platform/env.ts';
import { showBootstrap } from './bootstrap-progress.ts';

/** The progress of a chain on a virtual clock. `source`: what is known of its validators; `peers`: the nodes that are connected. */
function setUp(phase: string, source: Parameters<typeof showBootstrap>[2], peers: readonly NodeId[]) {
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
  const chain = { isBootstrapped: () => false, bootstrap: () => ({ phase, height: 0n }) } as unknown as JoinedChain;
  const network = { self, isConnected: (node: NodeId) => peers.includes(node), peers: () => peers } as unknown as Parameters<
    typeof showBootstrap
  >[1];
  const stop = showBootstrap(chain, network, source, env);
  const run = (seconds: number): void => {
    for (const end = now + 1000 * seconds; now < end; ) tick();
  };
  return { run, stop, lines };
}

const self = 'aa'.repeat(20) as NodeId;
const other = 'bb'.repeat(20) as NodeId;

test('a chain that waits for validators says so every 10 s until it has them', () => {
  let missing: string | undefined = 'it is down';
  const source = { missingReason: () => missing, describeMissingPeers: () => undefined };
  const { run, stop, lines } = setUp('connecting', source, [other]);
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

test('a chain that waits for peers says once, after 10 s, what it waits for', () => {
  const source = {
    missingReason: () => undefined,
    describeMissingPeers: (isConnected: (node: NodeId) => boolean) => `self ${isConnected(self)}, other ${isConnected(other)}`,
  };
  const advice = 'check that nodes of --bootstrap-ips and --bootstrap-ids run, and that no other node has this staking key';
  for (const [phase, peers, expected] of [
    ['connecting', [other], [`warn the X-Chain waits for peers: self true, other true; ${advice}`]],
    ['connecting', [], [`warn the X-Chain waits for peers: no peer is connected; ${advice}`]],
    ['vertices', [], [`warn the X-Chain waits for peers: no peer is connected; ${advice}`]],
    // Any peer serves vertices.
    ['vertices', [other], []],
  ] as const) {
    const { run, stop, lines } = setUp(phase, source, peers);
    run(10);
    expect(lines).toEqual([]);
    run(60);
    expect(lines).toEqual([...expected]);
    stop();
  }
});
