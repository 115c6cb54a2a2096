import { toHex } from '../../base/bytes/hex.ts';
import { concat } from '../../base/bytes/octets.ts';
import { WalletError } from './fault.ts';
import type { KeyCrypto } from './key.ts';

/** A private key from which child keys are derived. BIP-32. */
type HdKey = { readonly secret: Uint8Array; readonly chainCode: Uint8Array };

/** The index of a child in a path; hardened ones have the highest bit set. */
type ChildIndex = number;

export const masterKey = (seed: Uint8Array, crypto: KeyCrypto): HdKey => {
  const hash = crypto.hmacSha512(new TextEncoder().encode('Bitcoin seed'), seed);
  const secret = hash.slice(0, 32);
  if (!isValidSecret(numberOf(secret))) throw unusableKey();
  return { secret, chainCode: hash.slice(32) };
};

/** Derives the key at a path below `key`. */
export const derivePath = (key: HdKey, path: readonly ChildIndex[], crypto: KeyCrypto): HdKey =>
  path.reduce((parent, index) => deriveChild(parent, index, crypto), key);

/**
 * Parses the path of a group of keys, such as `m/44'/9000'/0'/0`. The number of a key is appended to it, so a last part `i` and a slash at
 * the end may be written too.
 */
export function parsePath(path: string): ChildIndex[] {
  const parts = path.replace(/\/i?$/, '').split('/');
  const bad = () =>
    new WalletError(`${JSON.stringify(path)} is not a derivation path; write it as m/44'/9000'/0'/0`, { code: 'WALLET_BAD_PATH', path });
  if (parts[0] !== 'm' || parts.length > maxDepth + 1) throw bad();
  return parts.slice(1).map((part) => {
    const [, digits, mark] = /^(\d{1,10})('?)$/.exec(part) ?? [];
    const index = Number(digits);
    if (digits === undefined || index >= hardened) throw bad();
    return mark === "'" ? index + hardened : index;
  });
}

/** The first index of hardened children. */
const hardened = 0x80000000;

const maxDepth = 16;

function deriveChild({ secret, chainCode }: HdKey, index: ChildIndex, crypto: KeyCrypto): HdKey {
  const parent = index >= hardened ? concat([Uint8Array.of(0), secret]) : crypto.publicKey(secret);
  const number = Uint8Array.of(index >>> 24, index >>> 16, index >>> 8, index);
  const hash = crypto.hmacSha512(chainCode, concat([parent, number]));
  const tweak = numberOf(hash.subarray(0, 32));
  const child = (tweak + numberOf(secret)) % curveOrder;
  if (tweak >= curveOrder || !isValidSecret(child)) throw unusableKey();
  return { secret: bytesOf(child), chainCode: hash.slice(32) };
}

/** The order of secp256k1. */
const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

const isValidSecret = (value: bigint): boolean => value > 0n && value < curveOrder;

const numberOf = (bytes: Uint8Array): bigint => BigInt(`0x${toHex(bytes)}`);

function bytesOf(value: bigint): Uint8Array {
  const bytes = new Uint8Array(32);
  for (let at = 31, rest = value; at >= 0; at--, rest >>= 8n) bytes[at] = Number(rest & 0xffn);
  return bytes;
}

/** One seed in 2^127 has no key at a path. */
const unusableKey = () => new WalletError('the seed has no key at this path; use another mnemonic or path', { code: 'WALLET_BAD_KEY' });
