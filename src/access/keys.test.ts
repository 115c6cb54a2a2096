import { expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { allows, hashOf, idleGrants, isKeyShaped, makeKey, stateOf } from './keys.ts';

const facts = { name: 'shop', plan: 'pro', created: 100, expires: undefined, routes: [] };

test('a key is its mark and 32 bytes; only its hash and its beginning are kept', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (random) => {
      const { text, key } = makeKey(random, facts);
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

test('other texts are no keys', () => {
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

test('it is active until it is revoked or its time has come', () => {
  const { key } = makeKey(new Uint8Array(32), { ...facts, expires: 200 });
  expect([stateOf(key, 199), stateOf(key, 200), stateOf({ ...key, revoked: 150 }, 199)]).toEqual(['active', 'expired', 'revoked']);
});

test('what a key may be used for', () => {
  const may = (routes: string[], api: string, route: string) => allows(makeKey(new Uint8Array(32), { ...facts, routes }).key, api, route);
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
  for (const [routes, expected] of cases) expect([routes, may(routes, 'data', 'listUtxos')]).toEqual([routes, expected]);
});

test('grants for nothing are noticed', () => {
  const routes = { data: ['listUtxos'], metrics: ['avgTps'] };
  expect(idleGrants(['data', 'listUtxos', 'metrics:*', 'listUtxo', 'metrics:listUtxos', ''], routes)).toEqual([
    'listUtxo',
    'metrics:listUtxos',
    '',
  ]);
});
