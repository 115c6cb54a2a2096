import { type Address, addressFromBytes, addressLength, parseShortId } from '../../base/bytes/address.ts';
import { bech32Decode } from '../../base/bytes/bech32.ts';
import { goQuote } from '../../base/bytes/go-quote.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import { cacheFunction } from '../../base/cache/cache.ts';
import { Fault, unlessFault } from '../../base/fault.ts';
import type { Aliases } from './aliases.ts';
import { AvmError } from './fault.ts';

/** A chain and how its addresses are written as text. */
type AddressFormatOptions = {
  readonly chainID: Id;
  readonly hrp: string;
  readonly aliases: Aliases;
  readonly format: (address: Address) => string;
  /** Whether the chain has UTXOs of its own. False for the C-Chain: it has only those that other chains exported to it. */
  readonly hasOwnOutputs: boolean;
  /** Reject bech32 data that AvalancheGo would pad to 20 bytes; see `addressLength` in differences.ts. */
  readonly requireExactLength: boolean;
};

/** Parses and formats the addresses of one chain. */
export type AddressFormat = AddressFormatOptions & { readonly parse: (text: string) => Address };

/** Parsed addresses are cached: clients send the same few again and again, and verifying a checksum takes microseconds. */
export const createAddressFormat = (options: AddressFormatOptions): AddressFormat => ({
  ...options,
  parse: cacheFunction('parsedAddresses', 250, (text: string) => parseAddress(text, options)),
});

/**
 * Parses an address as users write it: CB58 without a chain prefix, or `<chain>-<bech32>` of this chain. Checks run in AvalancheGo's order.
 * AvalancheGo: vms/components/avax/addresses.go.
 */
function parseAddress(text: string, options: AddressFormatOptions): Address {
  return parseCb58Address(text) ?? parseChainAddress(text, options);
}

function parseCb58Address(text: string): Address | undefined {
  // `-` is not a base58 character: text with a chain prefix is never CB58.
  return text.includes('-') ? undefined : unlessFault(() => parseShortId(text));
}

function parseChainAddress(text: string, options: AddressFormatOptions): Address {
  const badAddress = (reason: string, expected?: string) =>
    new AvmError(`couldn't parse address ${goQuote(text)}: ${reason}`, {
      code: 'AVM_BAD_ADDRESS',
      address: text,
      reason,
      expected,
    });
  const dash = text.indexOf('-');
  if (dash < 0) throw badAddress('no separator found in address');
  try {
    const { hrp, bytes, unpaddedLength } = bech32Decode(text.slice(dash + 1));
    const chainID = options.aliases.lookup(text.slice(0, dash));
    // The same bytes with the correct prefix, which is probably what the caller meant.
    const corrected = bytes.length === addressLength ? options.format(addressFromBytes(bytes)) : undefined;
    if (hrp !== options.hrp) throw badAddress(`expected hrp ${goQuote(options.hrp)} but got ${goQuote(hrp)}`, corrected);
    const address = addressFromBytes(bytes);
    if (options.requireExactLength && unpaddedLength !== addressLength)
      throw badAddress(`invalid hash length: expected ${addressLength} bytes but got ${unpaddedLength}`);
    if (chainID !== options.chainID)
      throw badAddress(`mismatched chainIDs: expected "${idText(options.chainID)}" but got "${idText(chainID)}"`, corrected);
    return address;
  } catch (error) {
    if (error instanceof AvmError || !(error instanceof Fault)) throw error;
    throw badAddress(error.message);
  }
}
