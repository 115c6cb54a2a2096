import { fujiId, getNetwork, localId, mainnetId } from '../../avm/network.ts';
import { type Address, addressFromBytes, addressToBytes, parseShortId, shortIdText } from '../../base/bytes/address.ts';
import { bech32Decode, bech32Encode } from '../../base/bytes/bech32.ts';
import { Fault } from '../../base/fault.ts';

/** Reads an address in any spelling: with or without chain prefix, of any network, as CB58 or as 40 hex digits. Returns undefined for other text. */
export function parseAddressSpellings(text: string): Address | undefined {
  const bare = text.trim().replace(/^[A-Za-z0-9]+-/, '');
  const hex = /^(?:0x)?([0-9a-fA-F]{40})$/.exec(bare)?.[1];
  if (hex !== undefined) return hex.toLowerCase() as Address;
  for (const parse of [(part: string) => addressFromBytes(bech32Decode(part).bytes), parseShortId])
    try {
      return parse(bare);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
    }
  return undefined;
}

/** Adds the prefix of a chain to an address without one, such as `local1…`. Other text stays: the node says what is wrong with it. */
export function addChainPrefix(text: string, chain = 'X'): string {
  if (text.includes('-')) return text;
  try {
    bech32Decode(text);
    return `${chain}-${text}`;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return text;
  }
}

/** All spellings of an address; `own` is that of the X-Chain of a network. */
export function spellAddress(
  address: Address,
  networkID: number,
): { readonly own: string; readonly all: { readonly [label: string]: string } } {
  const bytes = addressToBytes(address);
  const { hrp, name } = getNetwork(networkID);
  const own = `X-${bech32Encode(hrp, bytes)}`;
  const others = [mainnetId, fujiId, localId]
    .filter((id) => id !== networkID)
    .map((id) => [getNetwork(id).name, `X-${bech32Encode(getNetwork(id).hrp, bytes)}`] as const);
  return {
    own,
    all: {
      [name]: own,
      'P-Chain': own.replace(/^X/, 'P'),
      ...Object.fromEntries(others),
      hex: `0x${address}`,
      cb58: shortIdText(address),
    },
  };
}
