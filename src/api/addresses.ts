import { type Address, addressFromBytes, addressLength } from '../bytes/address.ts';
import { bech32Decode } from '../bytes/bech32.ts';
import { memo } from '../bytes/memo.ts';
import { Fault } from '../fault.ts';
import type { Param, ParamContext } from './param.ts';
import { shown } from './quoted.ts';
import { refuse } from './refusal.ts';

/** How many addresses a request may name: in its query, and in a body. */
export const maxQueryAddresses = 64;
export const maxBodyAddresses = 1024;

type Options = { readonly required?: boolean; readonly max?: number };

/** Addresses as one text with commas between, each once, in the order given; undefined if the parameter is absent. */
export function addresses(options: Options & { readonly required: true }): Param<readonly Address[]>;
export function addresses(options?: Options): Param<readonly Address[] | undefined>;
export function addresses({ required = false, max = maxQueryAddresses }: Options = {}): Param<readonly Address[] | undefined> {
  return addressList('query', required, max);
}

/** The same in the body of a POST: `{"addresses": "a,b,c"}`. */
export const bodyAddresses = ({ max = maxBodyAddresses }: { readonly max?: number } = {}): Param<readonly Address[]> =>
  addressList('body', true, max) as Param<readonly Address[]>;

const addressList = (place: 'query' | 'body', required: boolean, max: number): Param<readonly Address[] | undefined> => ({
  in: place,
  required,
  absent: undefined,
  schema: { type: 'string', example: 'X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u' },
  description: `Addresses of the network, separated by commas, at most ${max}; with or without X-, P- or C- before each.`,
  read: ([text = ''], name, context) => readAddresses(text, name, max, context),
});

function readAddresses(text: string, name: string, max: number, { address, hrp }: ParamContext): readonly Address[] {
  const texts = text.split(',', max + 1);
  if (texts.length > max) throw refuse(400, `${name} must hold no more than ${max} addresses`);
  const read = new Set<Address>();
  for (const each of texts) {
    const found = address(each.trim());
    if (found === undefined)
      throw refuse(400, `${name} must be addresses of this network (${hrp}1..., X-, P- or C- before them or not), not ${shown(each)}`);
    read.add(found);
  }
  return [...read];
}

/** Reads parameters for one network. The same addresses are asked about again and again, and a checksum takes microseconds. */
export function paramContext(hrp: string): ParamContext {
  const decode = memo(remembered, (text: string): Address => {
    const at = prefix.test(text) ? 2 : 0;
    const found = bech32Decode(text.slice(at));
    if (found.hrp !== hrp || found.wholeBytes !== addressLength) throw refuse(400, 'not an address of this network');
    return addressFromBytes(found.bytes);
  });
  return {
    hrp,
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
