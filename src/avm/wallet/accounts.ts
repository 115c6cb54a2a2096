import type { Address } from '../../base/bytes/address.ts';
import { fromHex } from '../../base/bytes/hex.ts';
import { derivePath, masterKey, parsePath } from './hd-key.ts';
import { createKey, type Key, type KeyCrypto } from './key.ts';
import { normalizeMnemonic, seedOfMnemonic } from './mnemonic.ts';

/** An account of the developer's chain. `isPublic`: its private key is publicly known and may be shown. */
export type Account = { readonly index: number; readonly key: Key; readonly isPublic: boolean };

export type AccountOptions = {
  /** The number of accounts derived from the mnemonic, beside account 0. */
  readonly count: number;
  readonly mnemonic: string;
  readonly derivationPath: string;
};

/** The number of accounts that are derived and funded by default. */
export const defaultAccounts = 10;

/** A mnemonic that everyone knows, the default of Anvil and Hardhat. */
export const testMnemonic = 'test test test test test test test test test test test junk';

/** The path of X-Chain addresses in Avalanche's wallets; the index of an address is appended. */
export const avalanchePath = "m/44'/9000'/0'/0";

/** The publicly known key that AvalancheGo's local genesis funds. AvalancheGo: genesis/genesis_local.go, EWOQKey. */
export const ewoqSecret: Uint8Array = fromHex('56289e99c94b6912bfc12adc093c9b51124f0dc54ac7a766b2bc5ccf558d8027');

/** The same key as text, and its address: the banner shows both, and needs no cryptography for it. */
export const ewoqKey = {
  text: 'PrivateKey-ewoqjP7PxY4yr3iLTpLisriqt94hdyDFNgchSxGGztUrTXtNN',
  address: '3cb7d3842e8cee6a0ebd09f1fe884f6861e1b29c' as Address,
} as const;

/**
 * Account 0, which has the ewoq key, and the accounts of the mnemonic: account 1 is the mnemonic's first address (index 0 of the path), so
 * that a wallet with the same mnemonic shows it first.
 */
export function deriveAccounts({ count, mnemonic, derivationPath }: AccountOptions, crypto: KeyCrypto): [Account, ...Account[]] {
  const ewoq: Account = { index: 0, key: createKey(ewoqSecret, crypto), isPublic: true };
  if (count === 0) return [ewoq];
  const isPublic = isTestMnemonic(mnemonic);
  const isKnown = isPublic && derivationPath === avalanchePath && count <= testSecrets.length;
  const secrets = isKnown ? testSecrets.slice(0, count).map(fromHex) : deriveSecrets({ count, mnemonic, derivationPath }, crypto);
  return [ewoq, ...secrets.map((secret, index): Account => ({ index: index + 1, key: createKey(secret, crypto), isPublic }))];
}

/** The private keys of the first addresses of a mnemonic. */
export function deriveSecrets({ count, mnemonic, derivationPath }: AccountOptions, crypto: KeyCrypto): Uint8Array[] {
  const parent = derivePath(masterKey(seedOfMnemonic(mnemonic, crypto), crypto), parsePath(derivationPath), crypto);
  return Array.from({ length: count }, (_, index) => derivePath(parent, [index], crypto).secret);
}

export const isTestMnemonic = (mnemonic: string): boolean => normalizeMnemonic(mnemonic) === testMnemonic;

/** The private keys of the first addresses of `testMnemonic` at `avalanchePath`. Deriving them takes 3 ms of a start. */
export const testSecrets: readonly string[] = [
  '211cdc80c23ccc8eceab5d6903312391e656366a7a553e2c501b06add1729816',
  '9f8799874aeb19dc930f9e5d82c71ebe361bdeea343907e87cba737589dd17eb',
  '9ac048b0ccc9a3d90fdee74f52b5a6e4cf28e70696f3d6e45a5f8cf34a53fd78',
  '2119b8ec008c75998effa2cbb83a8228cf8124d8840254fe1307c6d06ad5d9a4',
  'edf2bd01bbd1b1c35e82f5689fd188826b09e1b8e40960e52af64c361e86dc0d',
  '36bc4c0b5e9b13a3d29d6cdec34c0474f70c8ce12b42b64a598bbcb65f247efd',
  'e8c61325266f87b64db672bd3bf3a9e3819e8c9932a2d79002d11429232526de',
  'dad79f166f5359a5d40b3a8a992d9d022d66f4cb23ef47b189070df1e79380fe',
  '2b15356991756b70b646073a6232bd7a07d317292d275db31d60593c757fa99f',
  '248c879bf5a222745af837638c6050a03463880fd77083b6e3d6ea52ad68b93c',
];
