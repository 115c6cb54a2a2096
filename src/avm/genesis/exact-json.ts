import { type Address, addressFromBytes } from '../../base/bytes/address.ts';
import { bech32Decode } from '../../base/bytes/bech32.ts';
import { maxU64 } from '../../base/bytes/octets.ts';
import { Fault } from '../../base/fault.ts';
import { GenesisError } from './fault.ts';

/** A value in a JSON document and its path, which error messages name. */
export type JsonNode = { readonly path: string; readonly value: unknown };

/** Parses JSON with every integer as a bigint, because amounts exceed 2^53. */
export function parseGenesisJson(text: string, what = 'genesis'): JsonNode {
  try {
    return { path: '', value: (JSON.parse as ExactParse)(text, exactNumber) };
  } catch {
    throw new GenesisError(`could not unmarshal ${what} JSON`, { code: 'GENESIS_BAD_JSON' });
  }
}

/** Returns a field; the name's case is ignored, as in Go. A null field counts as absent. */
export function fieldAt(node: JsonNode, name: string): JsonNode {
  const key = Object.keys(objectAt(node)).findLast((known) => known.toLowerCase() === name.toLowerCase());
  return {
    path: node.path === '' ? name : `${node.path}.${name}`,
    value: key === undefined ? undefined : (objectAt(node)[key] ?? undefined),
  };
}

/** Returns the elements of a list; an absent list is empty. */
export function itemsAt(node: JsonNode): JsonNode[] {
  if (node.value === undefined) return [];
  if (!Array.isArray(node.value)) throw fieldError(node, 'must be a list');
  return node.value.map((value: unknown, i) => ({ path: `${node.path}[${i}]`, value: value ?? undefined }));
}

/** Returns names and values of an object; an absent object is empty. */
export const entriesAt = (node: JsonNode): [name: string, value: JsonNode][] =>
  Object.entries(objectAt(node)).map(([name, value]) => [name, { path: `${node.path}.${name}`, value: value ?? undefined }]);

export function stringAt(node: JsonNode): string {
  if (node.value === undefined) return '';
  if (typeof node.value !== 'string') throw fieldError(node, 'must be a string');
  return node.value;
}

/** Returns an integer; with `acceptString` also one in quotes, where AvalancheGo's API accepts both. */
export function integerAt(node: JsonNode, max: bigint = maxU64, acceptString = false): bigint {
  const value = acceptString && typeof node.value === 'string' && /^\d{1,20}$/.test(node.value) ? BigInt(node.value) : (node.value ?? 0n);
  if (typeof value !== 'bigint' || value < 0n || value > max) throw fieldError(node, `must be an integer from 0 to ${max}`);
  return value;
}

/** Returns an address written as `X-local1…`; chain and prefix are not checked. AvalancheGo: utils/formatting/address, Parse. */
export function addressAt(node: JsonNode): Address {
  const text = stringAt(node);
  const dash = text.indexOf('-');
  if (dash < 0) throw fieldError(node, 'no separator found in address');
  return withPath(node, () => addressFromBytes(bech32Decode(text.slice(dash + 1)).bytes));
}

/** Runs a parser and adds the path to the message of its error. */
export function withPath<T>(node: JsonNode, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof Fault) throw fieldError(node, error.message);
    throw error;
  }
}

export const fieldError = (node: JsonNode, why: string) =>
  new GenesisError(`${node.path === '' ? 'the document' : node.path}: ${why}`, { code: 'GENESIS_BAD_FIELD', path: node.path });

function objectAt(node: JsonNode): { [name: string]: unknown } {
  if (node.value === undefined) return {};
  if (typeof node.value !== 'object' || node.value === null || Array.isArray(node.value)) throw fieldError(node, 'must be an object');
  return node.value as { [name: string]: unknown };
}

/** The reviver's third argument is part of ECMAScript (JSON.parse source text access), but not yet of TypeScript's library. */
type ExactParse = (text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown) => unknown;

/** Integers with more than 20 digits, the most a u64 has, are not converted. */
const exactNumber = (_: string, value: unknown, context: { source?: string }): unknown =>
  typeof value === 'number' && /^-?\d{1,20}$/.test(context.source ?? '') ? BigInt(context.source as string) : value;
