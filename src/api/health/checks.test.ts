import { describe, expect, test } from 'bun:test';
import { parseId, zeroId } from '../../base/bytes/id.ts';
import { type ChainHealthState, chainCheck } from '../../base/health/chain-check.ts';
import { durationText } from '../../base/health/duration.ts';
import type { Outcome } from '../../base/health/result.ts';
import { blsCheck, bootstrappedCheck, databaseCheck, diskSpaceCheck, shuttingDownCheck } from './checks.ts';
import { futureUpgradeCheck, networkCheck, routerCheck } from './network-checks.ts';

/** The JSON that a caller sees: keys in order, a u64 as a number. */
const jsonOf = (outcome: Outcome) => JSON.stringify(outcome, (_, value) => (typeof value === 'bigint' ? Number(value) : value));

test('durations are printed as Go prints them', () => {
  const rows: [bigint, string][] = [
    [0n, '0s'],
    [1n, '1ns'],
    [1_100n, '1.1µs'],
    [2_200_000n, '2.2ms'],
    [1_995_688_957n, '1.995688957s'],
    [3_300_000_000n, '3.3s'],
    [245_000_000_000n, '4m5s'],
    [245_001_000_000n, '4m5.001s'],
    [18_367_001_000_000n, '5h6m7.001s'],
    [480_000_000_001n, '8m0.000000001s'],
    [3_600_000_000_000n, '1h0m0s'],
    [-1_500_000n, '-1.5ms'],
  ];
  for (const [nanos, text] of rows) expect(durationText(nanos)).toBe(text);
});

describe('a chain', () => {
  const consensus = {
    avgAcceptanceTime: 0n,
    lastAcceptedHeight: 0n,
    lastAcceptedID: parseId('2R2UY2pZMQr8nR9ywCdqn97Lp5a6hceqtLXkag6vH7KQSVvmst'),
    longestProcessingBlock: 0n,
    processingBlocks: 0,
  };
  const networking = { disconnectedValidators: [], percentConnected: 1 };
  const outcomeOf = async (state: ChainHealthState) => await chainCheck(() => state)();

  test('when idle reports what AvalancheGo reports', async () => {
    expect(jsonOf(await outcomeOf({ consensus, networking }))).toBe(
      '{"details":{"engine":{"consensus":{"avgAcceptanceTime":"0s","lastAcceptedHeight":0,' +
        '"lastAcceptedID":"2R2UY2pZMQr8nR9ywCdqn97Lp5a6hceqtLXkag6vH7KQSVvmst","longestProcessingBlock":"0s","processingBlocks":0},' +
        '"vm":null},"networking":{"disconnectedValidators":[],"percentConnected":1}}}',
    );
  });

  test('while bootstrapping, without peers', async () => {
    expect(await outcomeOf({ networking: { disconnectedValidators: ['NodeID-a'], percentConnected: 0 } })).toEqual({
      details: { engine: { consensus: {}, vm: null }, networking: { disconnectedValidators: ['NodeID-a'], percentConnected: 0 } },
      error: 'not connected to enough stake: connected to 0.000000%; required at least 80.000000%',
    });
  });

  test('with another chain than the network has', async () => {
    expect((await outcomeOf({ consensus, networking, isSplit: true })).error).toContain(
      'split from the network: at least half of the stake',
    );
  });

  test('with slow consensus', async () => {
    const stuck = { ...consensus, processingBlocks: 257, longestProcessingBlock: 31_000_000_000n };
    const trouble = 'too many processing blocks: 257 > 256\nblock processing too long: 31s > 30s';
    expect((await outcomeOf({ consensus: stuck, networking })).error).toBe(trouble);
    const alone = { ...networking, percentConnected: 0.5 };
    expect((await outcomeOf({ consensus: stuck, networking: alone })).error).toBe(
      `engine: ${trouble}; networking: not connected to enough stake: connected to 50.000000%; required at least 80.000000%`,
    );
    expect((await outcomeOf({ consensus: { ...consensus, avgAcceptanceTime: 15_000_000_001n }, networking })).error).toBe(
      'acceptance time too high: 15.000000001s > 15s',
    );
  });
});

test('bootstrapped names the subnets that are bootstrapping', async () => {
  expect(await bootstrappedCheck(() => [])()).toEqual({ details: [] });
  expect(await bootstrappedCheck(() => [zeroId])()).toEqual({
    details: ['11111111111111111111111111111111LpoYY'],
    error: 'subnets not bootstrapped',
  });
});

test('database has no details and fails if the store throws', async () => {
  let probes = 0;
  expect(jsonOf(await databaseCheck(() => void probes++)())).toBe('{}');
  expect(probes).toBe(1);
  const broken = databaseCheck(() => Promise.reject(new Error('disk I/O error')));
  await expect(Promise.resolve(broken())).rejects.toThrow('disk I/O error');
});

describe('diskspace', () => {
  const disk = (available: bigint) => () => ({ blocks: 1000n, availableBlocks: available, blockBytes: 4096n });

  test('shows bytes and whole percent', async () => {
    expect(jsonOf(await diskSpaceCheck(disk(299n))())).toBe('{"details":{"availableDiskBytes":1224704,"availableDiskPercentage":29}}');
  });

  test('reports the warning limit, and calls onExhausted below the required limit', async () => {
    let exhausted = 0;
    const limits = { requiredPercentage: 20, warningPercentage: 50, onExhausted: () => void exhausted++ };
    expect((await diskSpaceCheck(disk(499n), limits)()).error).toBe(
      'remaining available disk space percentage (49%) is below warning threshold available space percentage (50%)',
    );
    expect(exhausted).toBe(0);
    expect((await diskSpaceCheck(disk(199n), limits)()).error).toBe(
      'remaining available disk space percentage (19%) is below minimum required available space percentage (20%)',
    );
    expect(exhausted).toBe(1);
    expect((await diskSpaceCheck(disk(500n), limits)()).error).toBeUndefined();
  });

  test('fails for a file system without blocks', async () => {
    expect(await diskSpaceCheck(() => ({ blocks: 0n, availableBlocks: 0n, blockBytes: 4096n }))()).toHaveProperty('error');
  });
});

test('bls compares keys, and computes none if the node registered itself', async () => {
  const own = () => Promise.resolve(Uint8Array.of(1));
  const other = () => Promise.resolve(Uint8Array.of(2));
  const same = () => Promise.resolve(Uint8Array.of(1));
  const neverCalled = () => expect.unreachable();
  expect(await blsCheck(own, () => undefined)()).toEqual({ details: 'node is not a validator' });
  expect(await blsCheck(own, () => ({ publicKey: undefined }))()).toEqual({ details: "validator doesn't have a BLS key" });
  expect(await blsCheck(neverCalled, () => ({ publicKey: neverCalled }))()).toEqual({ details: 'node has the correct BLS key' });
  expect(await blsCheck(own, () => ({ publicKey: same }))()).toEqual({ details: 'node has the correct BLS key' });
  expect(await blsCheck(own, () => ({ publicKey: other }))()).toEqual({
    error: 'node has BLS key 0x01, but is registered to the validator set with 0x02',
  });
});

describe('network', () => {
  const alone = { connectedPeers: 0, sendFailRate: 0 };

  test('a node without peers is healthy unless peers are required', async () => {
    expect(jsonOf(await networkCheck(() => alone, false)())).toBe('{"details":{"connectedPeers":0,"sendFailRate":0}}');
    expect((await networkCheck(() => alone, true)()).error).toBe(
      'network layer is unhealthy reason: not connected to a minimum of 1 peer(s) only 0, no messages received from network, no messages sent to network',
    );
  });

  test('names idle time, send failures and missing inbound connections', async () => {
    const state = {
      connectedPeers: 3,
      sendFailRate: 0.95,
      sinceReceived: 61_000_000_000n,
      sinceSent: 1_000_000n,
      ingress: { connections: 0, isValidator: true },
    };
    const { details, error } = await networkCheck(() => state, true)();
    expect(jsonOf({ details })).toBe(
      '{"details":{"connectedPeers":3,"primary network validator health":{"ingressConnectionCount":0,"primaryNetworkValidator":true},' +
        '"sendFailRate":0.95,"timeSinceLastMsgReceived":"1m1s","timeSinceLastMsgSent":"1ms"}}',
    );
    expect(error).toBe(
      'network layer is unhealthy reason: no messages from network received in 1m1s > 1m0s, messages failure send rate 0.95 > 0.9, ' +
        'primary network validator has no inbound connections',
    );
  });
});

test('router reports outstanding requests', async () => {
  expect(jsonOf(await routerCheck(() => ({ outstandingRequests: 0, longestRunningRequest: 0n }))())).toBe(
    '{"details":{"longestRunningRequest":"0s","outstandingRequests":0}}',
  );
  const { error } = await routerCheck(() => ({ outstandingRequests: 1025, longestRunningRequest: 301_000_000_000n }))();
  expect(error).toBe(
    'the router is not healthy reason: number of outstanding requests 1025 > 1024, time for outstanding requests 5m1s > 5m0s',
  );
});

describe('futureupgrade', () => {
  const now = 1_794_703_706n * 1_000_000_000n;
  const localUpgradeTime = '2020-12-05T05:00:00Z';
  const check = async (peers: { upgradeTime: bigint; weight: bigint }[], totalWeight = 100n) =>
    await futureUpgradeCheck(
      () => ({ localUpgradeTime, totalWeight, peers }),
      () => now,
    )();

  test('passes without peers', async () => {
    expect(jsonOf(await check([]))).toBe(
      '{"details":{"localUpgradeTime":"2020-12-05T05:00:00Z","modeUpgradeTime":"1970-01-01T00:00:00Z","modeUpgradeWeightPercentage":0,"numUpgradeTimes":0}}',
    );
    expect(await check([], 0n)).toEqual({ error: 'no validators in the current validator set' });
  });

  test('is more urgent the closer an unknown upgrade of the majority is', async () => {
    const at = (hours: bigint, weight = 60n) => [{ upgradeTime: now / 1_000_000_000n + hours * 3600n, weight }];
    expect((await check(at(200n))).error).toBeUndefined();
    expect((await check(at(48n))).error).toBe('unknown network upgrade detected');
    expect((await check(at(5n))).error).toBe('unknown network upgrade detected - update as soon as possible');
    expect((await check(at(1n))).error).toBe('imminent network upgrade detected - update immediately');
    expect((await check(at(1n))).details).toMatchObject({
      timeUntilUpgrade: '1h0m0s',
      modeUpgradeWeightPercentage: 60,
      numUpgradeTimes: 1,
    });
    expect((await check(at(1n, 49n))).error).toBeUndefined();
  });
});

test('shuttingDown fails', async () => {
  expect(await shuttingDownCheck()).toEqual({ details: { isShuttingDown: true }, error: 'server shutting down' });
});
