import { type Address, addressFromBytes, addressLength } from '../../base/bytes/address.ts';
import { bech32Decode } from '../../base/bytes/bech32.ts';
import { cacheFunction } from '../../base/cache/cache.ts';
import { Fault } from '../../base/fault.ts';
import type { AddressList } from '../contract/kinds.ts';
import { apiError, quoteValue } from './api-error.ts';
import type { ParamContext } from './param.ts';

/** Reads addresses of the network, separated by commas. Duplicates are dropped, the order stays. */
export function readAddresses(text: string, name: string, max: number, { address, hrps }: ParamContext): AddressList {
  const texts = text.split(',', max + 1);
  if (texts.length > max) throw apiError(400, `${name} must have at most ${max} addresses`);
  const read = new Set<Address>();
  let hrp: string | undefined;
  for (const each of texts) {
    const found = address(each.trim());
    if (found === undefined)
      throw apiError(
        400,
        `${name} must be addresses of this network (${hrps.join('1... or ')}1..., X-, P- or C- before them or not), not ${quoteValue(each)}`,
      );
    read.add(found.address);
    hrp ??= found.hrp;
  }
  return { owners: [...read], hrp: hrp ?? hrps[0] };
}

/**
 * The context for reading parameters of one network. Decoded addresses are cached, because requests repeat and a checksum takes
 * microseconds.
 */
export function createParamContext(hrp: string, alias?: string, chain = (name: string): string => name): ParamContext {
  const decode = cacheFunction('parsedAddresses', entrySize, (text: string): { readonly address: Address; readonly hrp: string } => {
    const at = prefix.test(text) ? 2 : 0;
    const found = bech32Decode(text.slice(at));
    const isKnown = found.hrp === hrp || found.hrp === alias;
    if (!isKnown || found.unpaddedLength !== addressLength) throw apiError(400, 'not an address of this network');
    return { address: addressFromBytes(found.bytes), hrp: found.hrp };
  });
  return {
    hrps: alias === undefined ? [hrp] : [hrp, alias],
    chain,
    address: (text) => {
      try {
        return decode(text);
      } catch (error) {
        if (error instanceof Fault) return undefined;
        throw error;
      }
    },
  };
}

/** Bytes of a cached address. */
const entrySize = 350;
const prefix = /^[XPC]-/;
