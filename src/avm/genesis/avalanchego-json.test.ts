import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { parseGenesisConfig, recentStartTime, validateGenesisConfig } from './avalanchego-json.ts';
import { GenesisError } from './fault.ts';
import { buildXGenesis } from './x-genesis.ts';

const text = readFileSync(new URL('./data/local.json', import.meta.url), 'utf8');
const local = parseGenesisConfig(text);
const network = { id: 12345, hrp: 'local' };
const now = local.startTime + 10n;

const codeOf = (run: () => unknown): unknown => {
  try {
    run();
  } catch (error) {
    return error instanceof GenesisError ? error.fault : error;
  }
  return 'passed';
};

test('amounts above 2^53 are exact, and field names match in any case, as in Go', () => {
  const exact = text.replace('300000000000000000', '300000000000000001').replace('"initialAmount"', '"INITIALamount"');
  expect(parseGenesisConfig(exact).allocations[1]?.initialAmount).toBe(300000000000000001n);
});

describe('a configuration that AvalancheGo rejects', () => {
  const cases: [what: string, change: Partial<typeof local>, rule: string, text: string][] = [
    ['another network', { networkID: 7 }, 'networkID', 'conflicting networkIDs: expected 12345 but config contains 7'],
    ['no allocations', { allocations: [] }, 'supply', 'initial supply must be > 0'],
    ['a start time in the future', { startTime: now + 1n }, 'startTime', 'startTime cannot be in the future'],
    ['no stake duration', { initialStakeDuration: 0n }, 'stakeDuration', 'initial stake duration must be > 0'],
    [
      'a stake duration of more than a year',
      { initialStakeDuration: 31_536_001n },
      'stakeDuration',
      'initial stake duration larger than maximum configured',
    ],
    ['no stakers', { initialStakers: [] }, 'stakers', 'initial stakers must be > 0'],
    ['offsets too long', { initialStakeDurationOffset: 10_000_000n }, 'stakeDuration', 'must be at least 40000000'],
    ['no staked funds', { initialStakedFunds: [] }, 'stakedFunds', 'initial staked funds cannot be empty'],
    [
      'staked funds twice',
      { initialStakedFunds: [...local.initialStakedFunds, ...local.initialStakedFunds] },
      'stakedFunds',
      'duplicate initially staked address: X-local1g65uqn6t77p656w64023nh8nd9updzmxyymev2',
    ],
    [
      'staked funds without allocation',
      { initialStakedFunds: [local.allocations[0]?.ethAddress as never] },
      'stakedFunds',
      'no allocation to stake in address X-local1',
    ],
    [
      'too little locked',
      { allocations: local.allocations.map((allocation) => ({ ...allocation, unlockSchedule: [{ amount: 1n, locktime: 0n }] })) },
      'lockedAmount',
      '3 locked < 5 stakers',
    ],
    ['no C-Chain', { cChainGenesis: '' }, 'cChainGenesis', 'C-Chain genesis cannot be empty'],
  ];
  for (const [what, change, rule, message] of cases)
    test(what, () => {
      const run = () => validateGenesisConfig({ ...local, ...change }, network, now);
      expect(codeOf(run)).toEqual({ code: 'GENESIS_INVALID', rule });
      expect(run).toThrow(message);
    });

  test('an overflowing supply', () => {
    const huge = local.allocations.map((allocation) => ({ ...allocation, initialAmount: 2n ** 63n }));
    expect(() => validateGenesisConfig({ ...local, allocations: huge }, network, now)).toThrow(
      'unable to calculate initial supply: overflow',
    );
  });

  test('a valid one passes', () => expect(codeOf(() => validateGenesisConfig(local, network, now))).toBe('passed'));
});

describe('the error for an invalid file names the path', () => {
  const cases: [from: string, to: string, path: string][] = [
    ['"networkID": 12345', '"networkID": 4294967296', 'networkID'],
    ['300000000000000000', '-1', 'allocations[1].initialAmount'],
    ['300000000000000000', '18446744073709551616', 'allocations[1].initialAmount'],
    ['300000000000000000', '1.5', 'allocations[1].initialAmount'],
    ['300000000000000000', '"1"', 'allocations[1].initialAmount'],
    ['0xb3d82b1367d362de99ab59a658165aff520cbd4d', '0xb3', 'allocations[0].ethAddr'],
    ['X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u', 'X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96v', 'allocations[1].avaxAddr'],
    ['X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u', 'local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u', 'allocations[1].avaxAddr'],
    ['NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg', '7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg', 'initialStakers[0].nodeID'],
    ['0x900c9b119b5c82d7', '0x', 'initialStakers[0].signer.publicKey'],
  ];
  for (const [from, to, path] of cases)
    test(`${path}: ${to}`, () =>
      expect(codeOf(() => parseGenesisConfig(text.replace(from, to)))).toEqual({ code: 'GENESIS_BAD_FIELD', path }));

  test('invalid JSON, not an object', () => {
    expect(codeOf(() => parseGenesisConfig('{'))).toEqual({ code: 'GENESIS_BAD_JSON' });
    expect(codeOf(() => parseGenesisConfig('[]'))).toEqual({ code: 'GENESIS_BAD_FIELD', path: '' });
  });
});

test('13 allocations with an ambiguous order are rejected, 12 are accepted', () => {
  const [, allocation] = local.allocations;
  const ambiguous = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ ...(allocation as never as object), ethAddress: i.toString(16).padStart(40, '0') }));
  expect(codeOf(() => buildXGenesis({ ...local, allocations: ambiguous(12) as never }))).toBe('passed');
  expect(codeOf(() => buildXGenesis({ ...local, allocations: ambiguous(13) as never }))).toEqual({ code: 'GENESIS_ORDER_UNDEFINED' });
});

test('the start time of the local network moves every 270 days', () => {
  const period = 270n * 86_400n;
  for (const [after, start] of [
    [-5n, 0n],
    [0n, 0n],
    [period - 1n, 0n],
    [period, period],
    [period * 3n + 7n, period * 3n],
  ] as const)
    expect(recentStartTime(local.startTime, local.startTime + after)).toBe(local.startTime + start);
});
