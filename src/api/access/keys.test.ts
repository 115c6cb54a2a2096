import { expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { allows, hashOf, isKeyShaped, makeKey, stateOf, unmatchedGrants } from './keys.ts';

const details = { name: 'shop', plan: 'pro', created: 100, expires: undefined, routes: [] };

test('a key is the marker and 32 bytes; only its hash and its prefix are stored', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (random) => {
      const { text, key } = makeKey(random, details);
      expect(isKeyShaped(text)).toBe(true);
      expect(new Uint8Array(Buffer.from(text.slice('serac_'.length), 'base64url'))).toEqual(random);
      expect(key.hash).toBe(createHash('sha256').update(text).digest('hex'));
      expect(key.hash).toBe(hashOf(text));
      expect(key.hash).toStartWith(key.id);
      expect(text).toStartWith(key.prefix);
      expect(key.prefix).toHaveLength(12);
      expect(JSON.stringify(key)).not.toContain(text.slice(12));
    }),
  );
});

test('other texts do not have the form of a key', () => {
  for (const text of [
    '',
    'serac_',
    'serac_x',
    `serac_${'a'.repeat(42)}`,
    `serac_${'a'.repeat(44)}`,
    `serac_${'a'.repeat(42)}\n`,
    `Serac_${'a'.repeat(43)}`,
  ])
    expect(isKeyShaped(text)).toBe(false);
});

test('a key is active until it is revoked or expires', () => {
  const { key } = makeKey(new Uint8Array(32), { ...details, expires: 200 });
  expect([stateOf(key, 199), stateOf(key, 200), stateOf({ ...key, revoked: 150 }, 199)]).toEqual(['active', 'expired', 'revoked']);
});

test('grants decide which routes a key may be used for', () => {
  const isAllowed = (routes: string[], api: string, route: string) =>
    allows(makeKey(new Uint8Array(32), { ...details, routes }).key, api, route);
  const cases: [string[], boolean][] = [
    [[], true],
    [['data'], true],
    [['metrics'], false],
    [['listUtxos'], true],
    [['data:listUtxos'], true],
    [['metrics:listUtxos'], false],
    [['listUtxo'], false],
    [['list*'], true],
    [['data:list*'], true],
    [['data:get*', 'data:listU*'], true],
    [['metrics*'], false],
    [['*'], true],
  ];
  for (const [routes, expected] of cases) expect([routes, isAllowed(routes, 'data', 'listUtxos')]).toEqual([routes, expected]);
});

test('unmatchedGrants returns the grants that match no route', () => {
  const routes = { data: ['listUtxos'], metrics: ['avgTps'] };
  expect(unmatchedGrants(['data', 'listUtxos', 'metrics:*', 'listUtxo', 'metrics:listUtxos', ''], routes)).toEqual([
    'listUtxo',
    'metrics:listUtxos',
    '',
  ]);
});
