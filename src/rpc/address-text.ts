import { type Address, addressFromBytes, addressLength, parseShortId } from '../bytes/address.ts';
import { bech32Decode } from '../bytes/bech32.ts';
import { type Id, idText } from '../bytes/id.ts';
import { memoize } from '../bytes/memoize.ts';
import { Fault } from '../fault.ts';
import type { Aliases } from './aliases.ts';
import { AvmError } from './avm-fault.ts';
import { goQuote } from './go-quote.ts';

/** A chain and how its addresses are spelt. */
export type Spelling = {
  readonly chainID: Id;
  readonly hrp: string;
  readonly aliases: Aliases;
  readonly write: (address: Address) => string;
  /** Whether the chain itself holds outputs, or only meets those that other chains send it. */
  readonly ownOutputs: boolean;
  /** Refuse what the peer would pad; see the differences. */
  readonly exactLength: boolean;
};

/** The chain whose addresses are read and written. */
export type AddressSpace = Spelling & { readonly read: (text: string) => Address };

/** The same few addresses are asked about again and again, and a checksum takes microseconds. */
export const addressSpace = (spelling: Spelling): AddressSpace => ({
  ...spelling,
  read: memoize(4096, (text: string) => parseAddress(text, spelling)),
});

/** An address as users write it: bare CB58, or `<chain>-<bech32>` of this chain. Peer: vms/components/avax/addresses.go, in its order of checks. */
function parseAddress(text: string, space: Spelling): Address {
  return bareAddress(text) ?? localAddress(text, space);
}

function bareAddress(text: string): Address | undefined {
  // A chain prefix is no base58, so this mostly ends at the first character.
  if (text.includes('-')) return undefined;
  try {
    return parseShortId(text);
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

function localAddress(text: string, space: Spelling): Address {
  const refuse = (reason: string, expected?: string) =>
    new AvmError(`couldn't parse address ${goQuote(text)}: ${reason}`, {
      code: 'AVM_BAD_ADDRESS',
      address: text,
      reason,
      ...(expected === undefined ? {} : { expected }),
    });
  const dash = text.indexOf('-');
  if (dash < 0) throw refuse('no separator found in address');
  try {
    const { hrp, bytes, wholeBytes } = bech32Decode(text.slice(dash + 1));
    const chainID = space.aliases.lookup(text.slice(0, dash));
    // The same bytes under the right prefix: what the caller most likely wanted.
    const spelt = bytes.length === addressLength ? space.write(addressFromBytes(bytes)) : undefined;
    if (hrp !== space.hrp) throw refuse(`expected hrp ${goQuote(space.hrp)} but got ${goQuote(hrp)}`, spelt);
    const address = addressFromBytes(bytes);
    if (space.exactLength && wholeBytes !== addressLength)
      throw refuse(`invalid hash length: expected ${addressLength} bytes but got ${wholeBytes}`);
    if (chainID !== space.chainID)
      throw refuse(`mismatched chainIDs: expected "${idText(space.chainID)}" but got "${idText(chainID)}"`, spelt);
    return address;
  } catch (error) {
    if (error instanceof AvmError || !(error instanceof Fault)) throw error;
    throw refuse(error.message);
  }
}
