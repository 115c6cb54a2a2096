import { WalletError } from './fault.ts';
import type { KeyCrypto } from './key.ts';

/** The seed of a mnemonic, 64 bytes. BIP-39. */
export const seedOfMnemonic = (mnemonic: string, crypto: KeyCrypto): Uint8Array =>
  crypto.pbkdf2Sha512(utf8(normalizeMnemonic(mnemonic)), utf8('mnemonic'), seedRounds, seedLength);

/** The words of a mnemonic, separated by single spaces. */
export const normalizeMnemonic = (mnemonic: string): string => mnemonic.normalize('NFKD').trim().split(/\s+/).join(' ');

/** Throws if a mnemonic has a word that is not in the English list, a wrong number of words or a wrong checksum. Loads the word list. */
export async function checkMnemonic(mnemonic: string): Promise<void> {
  const words = normalizeMnemonic(mnemonic).split(' ');
  if (!wordCounts.has(words.length)) throw badMnemonic(`it has ${words.length} words; it must have 12, 15, 18, 21 or 24`);
  const [{ validateMnemonic }, { wordlist }] = await Promise.all([import('@scure/bip39'), import('@scure/bip39/wordlists/english.js')]);
  const known = new Set(wordlist);
  // The message gives the position, not the word: a mnemonic is a secret.
  const unknown = words.findIndex((word) => !known.has(word));
  if (unknown >= 0) throw badMnemonic(`word ${unknown + 1} is not in the English word list of BIP-39`);
  if (!validateMnemonic(words.join(' '), wordlist)) throw badMnemonic('its checksum is wrong; check the words and their order');
}

const seedRounds = 2048;
const seedLength = 64;
const wordCounts: ReadonlySet<number> = new Set([12, 15, 18, 21, 24]);

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

const badMnemonic = (reason: string) => new WalletError(`the mnemonic is not valid: ${reason}`, { code: 'WALLET_BAD_MNEMONIC', reason });
