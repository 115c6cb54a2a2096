import { cacheFunction } from '../cache/cache.ts';
import { Fault } from '../fault.ts';
import { bech32Encode } from './bech32.ts';
import { cb58Decode, cb58Encode } from './cb58.ts';
import { fromHex, toHex } from './hex.ts';

/** A 20-byte address as 40 lower-case hex digits: a key for maps, equal by ===, ordered as its bytes. */
export type Address = string & { readonly __address: true };

export const addressLength = 20;

export const zeroAddress = '0'.repeat(40) as Address;

export function addressFromBytes(bytes: Uint8Array): Address {
  // AvalancheGo: ids/short.go, ToShortID; utils/hashing, ToHash160.
  if (bytes.length !== addressLength)
    throw new AddressError(`invalid hash length: expected ${addressLength} bytes but got ${bytes.length}`, {
      code: 'ADDRESS_LENGTH',
      got: bytes.length,
    });
  return toHex(bytes) as Address;
}

export const addressToBytes = (address: Address): Uint8Array => fromHex(address);

/** CB58 of the bytes, without a chain prefix. AvalancheGo writes addresses this way in its error messages. */
export const shortIdText = (address: Address): string => cb58Encode(fromHex(address));

export const parseShortId = (text: string): Address => addressFromBytes(cb58Decode(text));

/**
 * Returns a function that formats addresses of one chain, such as `X-local1…`. Results are cached: owners repeat, and a checksum
 * costs microseconds.
 */
export const createAddressFormatter = (chainAlias: string, hrp: string): ((address: Address) => string) =>
  cacheFunction('addressTexts', addressTextSize, (address: Address) => `${chainAlias}-${bech32Encode(hrp, fromHex(address))}`);

/** Bytes of a cached address and its text. */
export const addressTextSize = 220;

export type AddressFault = { code: 'ADDRESS_LENGTH'; got: number };
class AddressError extends Fault<AddressFault> {}
