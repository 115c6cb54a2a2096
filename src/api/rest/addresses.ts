import { type Address, addressFromBytes, addressLength } from '../../base/bytes/address.ts';
import { bech32Decode } from '../../base/bytes/bech32.ts';
import { cacheFunction } from '../../base/cache/cache.ts';
import { Fault } from '../../base/fault.ts';
import { apiError } from './api-error.ts';
import type { Param, ParamContext } from './param.ts';
import { quoteValue } from './quote-value.ts';

/** Maximum number of addresses in a query, and in a body. */
export const maxQueryAddresses = 64;
export const maxBodyAddresses = 1024;

type Options = { readonly required?: boolean; readonly max?: number };

/** `hrp`: the HRP of the first address, so that the response can use the same one. */
export type AddressList = { readonly owners: readonly Address[]; readonly hrp: string };

/** Addresses in the query, separated by commas. Duplicates are dropped, the order stays. Undefined if the parameter is missing. */
export function addresses(options: Options & { readonly required: true }): Param<AddressList>;
export function addresses(options?: Options): Param<AddressList | undefined>;
export function addresses({ required = false, max = maxQueryAddresses }: Options = {}): Param<AddressList | undefined> {
  return addressList('query', required, max);
}

/** Addresses in the body of a POST: `{"addresses": "a,b,c"}`. */
export const bodyAddresses = ({ max = maxBodyAddresses }: { readonly max?: number } = {}): Param<AddressList> =>
  addressList('body', true, max) as Param<AddressList>;

const addressList = (place: 'query' | 'body', required: boolean, max: number): Param<AddressList | undefined> => ({
  in: place,
  required,
  absent: undefined,
  schema: { type: 'string', example: 'X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u' },
  description: `Addresses of the network, separated by commas, at most ${max}; each with or without X-, P- or C- before it.`,
  read: ([text = ''], name, context) => readAddresses(text, name, max, context),
  listKey: (list) => list?.owners.toSorted(),
});

function readAddresses(text: string, name: string, max: number, { address, hrps }: ParamContext): AddressList {
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
