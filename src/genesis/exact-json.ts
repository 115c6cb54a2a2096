import { type Address, addressFromBytes } from '../bytes/address.ts';
import { bech32Decode } from '../bytes/bech32.ts';
import { maxU64 } from '../bytes/octets.ts';
import { Fault } from '../fault.ts';
import { GenesisError } from './fault.ts';

/** A value of a JSON text and where it stands, so that a fault can name the place. */
export type Place = { readonly path: string; readonly value: unknown };

/** JSON with every whole number as a bigint: amounts go beyond 2^53. */
export function parseExact(text: string): Place {
  try {
    return { path: '', value: (JSON.parse as ExactParse)(text, exactNumber) };
  } catch {
    throw new GenesisError('could not unmarshal genesis JSON', { code: 'GENESIS_BAD_JSON' });
  }
}

/** A field, found whatever the case of its name, as Go finds it. A field that is null is as good as absent. */
export function at(place: Place, name: string): Place {
  const key = Object.keys(objectOf(place)).findLast((known) => known.toLowerCase() === name.toLowerCase());
  return {
    path: place.path === '' ? name : `${place.path}.${name}`,
    value: key === undefined ? undefined : (objectOf(place)[key] ?? undefined),
  };
}

/** The elements of a list; an absent one has none. */
export function each(place: Place): Place[] {
  if (place.value === undefined) return [];
  if (!Array.isArray(place.value)) throw wrong(place, 'must be a list');
  return place.value.map((value: unknown, i) => ({ path: `${place.path}[${i}]`, value: value ?? undefined }));
}

/** Names and values of an object; an absent one has none. */
export const entries = (place: Place): [name: string, value: Place][] =>
  Object.entries(objectOf(place)).map(([name, value]) => [name, { path: `${place.path}.${name}`, value: value ?? undefined }]);

export function textAt(place: Place): string {
  if (place.value === undefined) return '';
  if (typeof place.value !== 'string') throw wrong(place, 'must be a text');
  return place.value;
}

/** A whole number, or its digits as a text where the peer's API takes both. */
export function wholeAt(place: Place, max: bigint = maxU64, quoted = false): bigint {
  const value = quoted && typeof place.value === 'string' && /^\d{1,20}$/.test(place.value) ? BigInt(place.value) : (place.value ?? 0n);
  if (typeof value !== 'bigint' || value < 0n || value > max) throw wrong(place, `must be a whole number from 0 to ${max}`);
  return value;
}

/** `X-local1…`: the chain and the prefix are not looked at. Peer: utils/formatting/address, Parse. */
export function addressAt(place: Place): Address {
  const text = textAt(place);
  const dash = text.indexOf('-');
  if (dash < 0) throw wrong(place, 'no separator found in address');
  return explained(place, () => addressFromBytes(bech32Decode(text.slice(dash + 1)).bytes));
}

/** Runs a parser of another room; its fault comes back with the place before it. */
export function explained<T>(place: Place, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof Fault) throw wrong(place, error.message);
    throw error;
  }
}

export const wrong = (place: Place, why: string) =>
  new GenesisError(`${place.path === '' ? 'the whole' : place.path}: ${why}`, { code: 'GENESIS_BAD_FIELD', path: place.path });

function objectOf(place: Place): { [name: string]: unknown } {
  if (place.value === undefined) return {};
  if (typeof place.value !== 'object' || place.value === null || Array.isArray(place.value)) throw wrong(place, 'must be an object');
  return place.value as { [name: string]: unknown };
}

/** The third argument is part of ECMAScript (JSON.parse source text access); the type library does not know it yet. */
type ExactParse = (text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown) => unknown;

/** More digits than a u64 has are no whole number here. */
const exactNumber = (_: string, value: unknown, context: { source?: string }): unknown =>
  typeof value === 'number' && /^-?\d{1,20}$/.test(context.source ?? '') ? BigInt(context.source as string) : value;
