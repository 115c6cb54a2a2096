import { addressFromBytes } from '../bytes/address.ts';
import { bech32Decode, bech32Encode } from '../bytes/bech32.ts';
import { fromHex } from '../bytes/hex.ts';
import { Fault } from '../fault.ts';
import type { PageContext } from './page-context.ts';

export type AddressText = { readonly address: string; readonly hex: string };

/** Letters of bech32 data. */
const letters = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';

/** Reads any spelling of an address: with or without a chain prefix, with any human-readable part, or 0x and 40 hex digits. */
export function parseAddressText({ chain, network }: PageContext, text: string): AddressText | undefined {
  const spelled = (bytes: Uint8Array): AddressText => ({
    address: `${chain.alias}-${bech32Encode(network.hrp, bytes)}`,
    hex: addressFromBytes(bytes),
  });
  if (/^0x[0-9a-fA-F]{40}$/.test(text)) return spelled(fromHex(text.slice(2).toLowerCase()));
  if (!looksLikeAddress(text)) return undefined;
  try {
    const { bytes, unpaddedLength } = bech32Decode(bareAddress(text));
    return unpaddedLength === 20 ? spelled(bytes) : undefined;
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

const bareAddress = (text: string): string => text.replace(/^[A-Za-z]+-/, '').toLowerCase();

/** Whether a text has the shape of a bech32 address: a prefix, `1`, and 38 letters. */
export const looksLikeAddress = (text: string): boolean => /^(?:[A-Za-z]+-)?[a-zA-Z]{1,20}1[a-zA-Z0-9]{38}$/.test(text);

/** Addresses that differ from the text in one letter and have a valid checksum; at most one exists. */
export function nearestAddress(context: PageContext, text: string): string | undefined {
  const bare = bareAddress(text);
  const from = bare.lastIndexOf('1') + 1;
  for (let at = from; at < bare.length; at++)
    for (const letter of letters) {
      const found = letter === bare[at] ? undefined : parseAddressText(context, bare.slice(0, at) + letter + bare.slice(at + 1));
      if (found !== undefined) return found.address;
    }
  return undefined;
}
