import { type Address, addressFromBytes, addressLength } from '../bytes/address.ts';
import { bech32Decode } from '../bytes/bech32.ts';
import { memoize } from '../bytes/memoize.ts';
import { Fault } from '../fault.ts';
import type { Param, ParamContext } from './param.ts';
import { refuse } from './refusal.ts';
import { shown } from './shown-value.ts';

/** How many addresses a request may name: in its query, and in a body. */
export const maxQueryAddresses = 64;
export const maxBodyAddresses = 1024;

type Options = { readonly required?: boolean; readonly max?: number };

/** `hrp`: what the first of them begins with, so that answers can be spelt alike. */
export type AskedAddresses = { readonly owners: readonly Address[]; readonly hrp: string };

/** Addresses as one text with commas between, each once, in the order given; undefined if the parameter is absent. */
export function addresses(options: Options & { readonly required: true }): Param<AskedAddresses>;
export function addresses(options?: Options): Param<AskedAddresses | undefined>;
export function addresses({ required = false, max = maxQueryAddresses }: Options = {}): Param<AskedAddresses | undefined> {
  return addressList('query', required, max);
}

/** The same in the body of a POST: `{"addresses": "a,b,c"}`. */
export const bodyAddresses = ({ max = maxBodyAddresses }: { readonly max?: number } = {}): Param<AskedAddresses> =>
  addressList('body', true, max) as Param<AskedAddresses>;

const addressList = (place: 'query' | 'body', required: boolean, max: number): Param<AskedAddresses | undefined> => ({
  in: place,
  required,
  absent: undefined,
  schema: { type: 'string', example: 'X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u' },
  description: `Addresses of the network, separated by commas, at most ${max}; with or without X-, P- or C- before each.`,
  read: ([text = ''], name, context) => readAddresses(text, name, max, context),
  listKey: (asked) => asked?.owners.toSorted(),
});

function readAddresses(text: string, name: string, max: number, { address, hrps }: ParamContext): AskedAddresses {
  const texts = text.split(',', max + 1);
  if (texts.length > max) throw refuse(400, `${name} must hold no more than ${max} addresses`);
  const read = new Set<Address>();
  let hrp: string | undefined;
  for (const each of texts) {
    const found = address(each.trim());
    if (found === undefined)
      throw refuse(
        400,
        `${name} must be addresses of this network (${hrps.join('1... or ')}1..., X-, P- or C- before them or not), not ${shown(each)}`,
      );
    read.add(found.address);
    hrp ??= found.hrp;
  }
  return { owners: [...read], hrp: hrp ?? hrps[0] };
}

/** Reads parameters for one network. The same addresses are asked about again and again, and a checksum takes microseconds. */
export function paramContext(hrp: string, alias?: string, chain = (name: string): string => name): ParamContext {
  const decode = memoize(remembered, (text: string): { readonly address: Address; readonly hrp: string } => {
    const at = prefix.test(text) ? 2 : 0;
    const found = bech32Decode(text.slice(at));
    const isKnown = found.hrp === hrp || found.hrp === alias;
    if (!isKnown || found.wholeBytes !== addressLength) throw refuse(400, 'not an address of this network');
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

const remembered = 16_384;
const prefix = /^[XPC]-/;
