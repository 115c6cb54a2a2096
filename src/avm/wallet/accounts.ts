import { fromHex } from '../../base/bytes/hex.ts';
import { derivePath, masterKey, parsePath } from './hd-key.ts';
import { createKey, type Key, type KeyCrypto } from './key.ts';
import { normalizeMnemonic, seedOfMnemonic } from './mnemonic.ts';
import { testSecrets } from './test-secrets.ts';

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
