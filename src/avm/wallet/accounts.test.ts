import { describe, expect, test } from 'bun:test';
import { nativeKeyCrypto } from '../../app/platform/key-crypto.ts';
import { fromHex, toHex } from '../../base/bytes/hex.ts';
import { avalanchePath, defaultAccounts, deriveAccounts, deriveSecrets, testMnemonic, testSecrets } from './accounts.ts';
import { derivePath, masterKey, parsePath } from './hd-key.ts';
import { formatSecret, type KeyCrypto } from './key.ts';
import { checkMnemonic, seedOfMnemonic } from './mnemonic.ts';
import { portableKeyCrypto } from './portable-crypto.ts';

const cryptos: readonly [string, KeyCrypto][] = [
  ['native', nativeKeyCrypto],
  ['portable', portableKeyCrypto],
];

describe.each(cryptos)('%s key cryptography', (_, crypto) => {
  test('the seed of a mnemonic is that of the BIP-39 test vectors', () => {
    // The vectors of BIP-39 have the passphrase TREZOR; this seed is of the same kind without one.
    const mnemonic = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';
    expect(toHex(seedOfMnemonic(` ${mnemonic.replace(' ', '  ')}\n`, crypto))).toBe(
      '5eb00bbddcf069084889a8ab9155568165f5c453ccb85e70811aaed6f6da5fc19a5ac40b389cd370d086206dec8aa6c43daea6690f20ad3d8d48b2d2ce9e38e4',
    );
  });

  test('derived keys are those of test vector 1 of BIP-32', () => {
    const master = masterKey(fromHex('000102030405060708090a0b0c0d0e0f'), crypto);
    expect(toHex(master.secret)).toBe('e8f32e723decf4051aefac8e2c93c9c5b214313817cdb01a1494b917c8436b35');
    const secretAt = (path: string) => toHex(derivePath(master, parsePath(path), crypto).secret);
    expect(secretAt("m/0'")).toBe('edb2e14f9ee77d26dd93b4ecede8d16ed408ce149b6cd80b0715a2d911a0afea');
    expect(secretAt("m/0'/1")).toBe('3c6cb8d0f6a264c91ea8b5030fadaa8e538b020f0a387421a12de9319dc93368');
    expect(secretAt("m/0'/1/2'/2/1000000000")).toBe('471b76e389e528d6de6d816857e012c5455051cad6660850e58372a6c3e6e7c8');
  });

  test('the stored keys of the test mnemonic are those that its derivation gives', () => {
    const options = { count: defaultAccounts, mnemonic: testMnemonic, derivationPath: avalanchePath };
    expect(testSecrets).toEqual(deriveSecrets(options, crypto).map((secret) => toHex(secret)));
    // One account more than the table has, so all are derived.
    const addressesOf = (count: number) => deriveAccounts({ ...options, count }, crypto).map(({ key }) => key.address);
    expect(addressesOf(defaultAccounts + 1).slice(0, -1)).toEqual(addressesOf(defaultAccounts));
  });

  test('accounts: the ewoq key, then the addresses of the mnemonic from index 0', () => {
    const accounts = deriveAccounts({ count: 10, mnemonic: testMnemonic, derivationPath: avalanchePath }, crypto);
    expect(accounts.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(accounts[0].key.address as string).toBe('3cb7d3842e8cee6a0ebd09f1fe884f6861e1b29c');
    expect(formatSecret(accounts[0].key.secret)).toBe('PrivateKey-ewoqjP7PxY4yr3iLTpLisriqt94hdyDFNgchSxGGztUrTXtNN');
    // Derived once with @scure/bip32 from m/44'/9000'/0'/0/0 and /2.
    expect(toHex(accounts[1]?.key.secret as Uint8Array)).toBe('211cdc80c23ccc8eceab5d6903312391e656366a7a553e2c501b06add1729816');
    expect(toHex(accounts[3]?.key.secret as Uint8Array)).toBe('9ac048b0ccc9a3d90fdee74f52b5a6e4cf28e70696f3d6e45a5f8cf34a53fd78');
    expect(accounts.every(({ isPublic }) => isPublic)).toBe(true);
  });
});

test('native and portable signatures are equal', () => {
  const [{ key }] = deriveAccounts({ count: 0, mnemonic: '', derivationPath: '' }, nativeKeyCrypto);
  for (let i = 0; i < 8; i++) {
    const hash = nativeKeyCrypto.hmacSha512(key.secret, Uint8Array.of(i)).subarray(0, 32);
    expect(toHex(portableKeyCrypto.sign(hash, key.secret))).toBe(toHex(nativeKeyCrypto.sign(hash, key.secret)));
  }
});

test('keys of another mnemonic are not public, but the ewoq key is', () => {
  const mnemonic = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
  const accounts = deriveAccounts({ count: 2, mnemonic, derivationPath: avalanchePath }, nativeKeyCrypto);
  expect(accounts.map(({ isPublic }) => isPublic)).toEqual([true, false, false]);
});

test('a path may end in a slash or in i; other texts are refused', () => {
  expect(parsePath("m/44'/9000'/0'/0/")).toEqual(parsePath(avalanchePath));
  expect(parsePath("m/44'/9000'/0'/0/i")).toEqual(parsePath(avalanchePath));
  expect(parsePath('m')).toEqual([]);
  for (const path of ['', '44/0', "m/44''", 'm//0', 'm/2147483648', 'm/-1', 'm/x', `m${'/0'.repeat(17)}`])
    expect(() => parsePath(path)).toThrow('is not a derivation path');
});

test('a mnemonic is checked: number of words, words, checksum; the message repeats no word', async () => {
  await checkMnemonic(testMnemonic);
  const faults: [string, string][] = [
    ['test junk', 'it has 2 words'],
    [testMnemonic.replace('junk', 'junkk'), 'word 12 is not in the English word list'],
    [testMnemonic.replace('junk', 'test'), 'its checksum is wrong'],
  ];
  for (const [mnemonic, reason] of faults) {
    const message = await checkMnemonic(mnemonic).catch((error) => error.message);
    expect(message).toContain(reason);
    expect(message).not.toContain('junk');
  }
});
