import { expect, test } from 'bun:test';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import vectors from '../../../vectors/vectors.json' with { type: 'json' };
import { sha256 } from '../bytes/hash.ts';
import { fromHex, toHex } from '../bytes/hex.ts';
import { budgetFor } from '../cache/budget.fixture.ts';
import { chooseCurve, recoverNative, recoverPackaged } from './curve-native.ts';
import { openSystemCurve } from './curve-system.ts';
import { createSignerCache, type RecoverKey, recoverSigner } from './recover.ts';

/** Key recovery in pure JavaScript, to compare. (The native package has its own JavaScript fallback.) */
const recoverPortable: RecoverKey = (hash, signature, recoveryID) => {
  try {
    return secp256k1.Signature.fromBytes(signature, 'compact').addRecoveryBit(recoveryID).recoverPublicKey(hash).toBytes(true);
  } catch {
    return undefined;
  }
};

/** The library that a variable names, else the one of the system, if it has one. */
const named = process.env.SERAC_TEST_SECP256K1;
const system = openSystemCurve(named ? [named] : undefined);
const engines: Record<string, RecoverKey> = {
  native: recoverNative,
  packaged: recoverPackaged,
  portable: recoverPortable,
  ...(system && { system }),
};

test('a library named in SERAC_TEST_SECP256K1 is loaded', () => {
  expect(system !== undefined || !named).toBe(true);
});

for (const [name, engine] of Object.entries(engines)) {
  test(`${name}: recovers the signers of AvalancheGo's signatures`, () => {
    for (const key of vectors.keys) {
      const hash = fromHex(key.messageSha256.slice(2));
      expect(recoverSigner(engine, hash, fromHex(key.signature.slice(2))) as string).toBe(key.addressBytes.slice(2));
    }
  });

  test(`${name}: a high s is reported as mutated, recovery ids 4-7 as compressed, other junk as invalid`, () => {
    const [key] = vectors.keys;
    const hash = fromHex(key!.messageSha256.slice(2));
    const good = fromHex(key!.signature.slice(2));
    const change = (at: number, value: number) => Uint8Array.from(good, (byte, i) => (i === at ? value : byte));
    const code = (signature: Uint8Array) => {
      try {
        recoverSigner(engine, hash, signature);
        return 'ok';
      } catch (e) {
        return (e as { fault: { code: string } }).fault.code;
      }
    };
    expect(code(change(32, 0xff))).toBe('SIGNATURE_MUTATED');
    expect(code(change(64, (good[64] as number) + 4))).toBe('SIGNATURE_COMPRESSED');
    expect(code(change(64, 27))).toBe('SIGNATURE_INVALID');
    expect(code(new Uint8Array(65))).toBe('SIGNATURE_INVALID');
  });
}

test('all engines agree on random valid and invalid signatures', () => {
  for (let i = 0; i < 200; i++) {
    const secret = secp256k1.utils.randomSecretKey();
    const hash = sha256(secret);
    const signature = new Uint8Array(65);
    signature.set(secp256k1.sign(hash, secret, { prehash: false, format: 'compact' }));
    signature[64] = i % 8;
    if (i % 3 === 0) signature[i % 64] = (signature[i % 64] as number) ^ (1 << (i % 8));
    const run = (engine: typeof recoverNative) => {
      try {
        return recoverSigner(engine, hash, signature);
      } catch (e) {
        return (e as Error).message;
      }
    };
    for (const engine of Object.values(engines)) expect(run(engine)).toBe(run(recoverPortable));
  }
});

test('a signature, hash or recovery ID of a wrong size recovers nothing', () => {
  const [key] = vectors.keys;
  const hash = fromHex(key!.messageSha256.slice(2));
  const signature = fromHex(key!.signature.slice(2)).subarray(0, 64);
  for (const [name, engine] of Object.entries(engines).filter(([name]) => name !== 'portable')) {
    expect([name, engine(hash.subarray(1), signature, 0)]).toEqual([name, undefined]);
    expect([name, engine(hash, signature.subarray(1), 0)]).toEqual([name, undefined]);
    expect([name, engine(hash, signature, 4)]).toEqual([name, undefined]);
    expect([name, engine(hash, signature, -1)]).toEqual([name, undefined]);
  }
});

test('a file that is missing or is no library is not used, nor a library that recovers other keys', () => {
  expect(openSystemCurve(['/nowhere/libsecp256k1.so.5', import.meta.path])).toBeUndefined();
  expect(chooseCurve(undefined)).toBe(recoverPackaged);
  expect(chooseCurve(() => undefined)).toBe(recoverPackaged);
  expect(chooseCurve(() => new Uint8Array(33))).toBe(recoverPackaged);
  const other: RecoverKey = (...values) => recoverPackaged(...values);
  expect(chooseCurve(other)).toBe(other);
});

test('the signer cache returns the same signers as uncached recovery, also when it is full', () => {
  const cached = createSignerCache(recoverNative, undefined, budgetFor('signers', 1700)).recover;
  for (const key of [...vectors.keys, ...vectors.keys]) {
    const message = new TextEncoder().encode(key.message);
    expect(cached(message, fromHex(key.signature.slice(2))) as string).toBe(key.addressBytes.slice(2));
  }
  expect(toHex(sha256(new TextEncoder().encode(vectors.keys[0]!.message)))).toBe(vectors.keys[0]!.messageSha256.slice(2));
});
