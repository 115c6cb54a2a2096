import { addressFromBytes } from '../../base/bytes/address.ts';
import { bech32Decode, bech32Encode } from '../../base/bytes/bech32.ts';
import { fromHex } from '../../base/bytes/hex.ts';
import { Fault } from '../../base/fault.ts';
import type { PageContext } from './page-context.ts';

export type AddressText = { readonly address: string; readonly hex: string };

/** Reads any spelling of an address: with or without a chain prefix, with any human-readable part, or 0x and 40 hex digits. */
export function parseAddressText({ chain, network }: PageContext, text: string): AddressText | undefined {
  const spelled = (bytes: Uint8Array): AddressText => ({
    address: `${chain.alias}-${bech32Encode(network.hrp, bytes)}`,
    hex: addressFromBytes(bytes),
  });
  if (/^0x[0-9a-fA-F]{40}$/.test(text)) return spelled(fromHex(text.slice(2).toLowerCase()));
  if (text.length > 100) return undefined;
  try {
    const { bytes, unpaddedLength } = bech32Decode(text.replace(/^[A-Za-z]+-/, '').toLowerCase());
    return unpaddedLength === 20 ? spelled(bytes) : undefined;
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}
