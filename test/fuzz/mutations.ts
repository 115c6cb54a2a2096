import type { Random } from '../random.ts';

/** Numbers at which parsers go wrong. */
const numbers = [0, 1, 2, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff];
const digits = ['0', '-1', '1e400', '9007199254740993', '18446744073709551615', '18446744073709551616', '0.5', '9'.repeat(30)];

type Mutation = (random: Random, input: Buffer, from: MutationSource) => Buffer;
export type MutationSource = { readonly words: readonly Uint8Array[]; readonly others: readonly Uint8Array[]; readonly maxBytes: number };

const splice = (input: Buffer, at: number, drop: number, put: Uint8Array): Buffer =>
  Buffer.concat([input.subarray(0, at), put, input.subarray(at + drop)]);
const place = (random: Random, input: Buffer): number => random.below(input.length + 1);
/** Mostly short. */
const length = (random: Random, max: number): number => random.below(1 + Math.min(max, 1 << random.below(10)));

const mutations: readonly Mutation[] = [
  // A byte, a bit.
  (random, input) => splice(input, place(random, input), 1, random.bytes(1)),
  (random, input) => {
    const at = place(random, input);
    return splice(input, at, 1, Uint8Array.of((input[at] ?? 0) ^ (1 << random.below(8))));
  },
  // A byte that is a little larger or smaller.
  (random, input) => {
    const at = place(random, input);
    return splice(input, at, 1, Uint8Array.of((input[at] ?? 0) + random.below(9) - 4));
  },
  // A cut, a removed part, random bytes.
  (random, input) => input.subarray(0, place(random, input)),
  (random, input) => splice(input, place(random, input), 1 + length(random, input.length), Buffer.alloc(0)),
  (random, input) => splice(input, place(random, input), random.below(2) * 4, random.bytes(1 + random.below(8))),
  // A number of 2, 4 or 8 bytes.
  (random, input) => {
    const put = Buffer.alloc(random.pick([2, 4, 8]));
    const value = random.pick(numbers);
    if (put.length === 2) put.writeUInt16BE(value & 0xffff);
    else put.writeUInt32BE(value, put.length - 4);
    return splice(input, place(random, input), put.length, put);
  },
  // A number in digits.
  (random, input) => {
    const found = [...input.toString('latin1').matchAll(/\d+/g)];
    const digit = found.length === 0 ? undefined : random.pick(found);
    return splice(input, digit?.index ?? place(random, input), digit?.[0].length ?? 0, Buffer.from(random.pick(digits)));
  },
  // A repeated part, some of them many times: what is not linear shows here.
  (random, input, { maxBytes }) => {
    const at = place(random, input);
    const part = input.subarray(at, at + 1 + length(random, input.length));
    const room = Math.max(1, Math.floor((maxBytes - input.length) / Math.max(1, part.length)));
    const times = random.below(16) === 0 ? Math.min(room, 4096) : 1 + random.below(4);
    return splice(input, at, 0, Buffer.concat(Array.from({ length: times }, () => part)));
  },
  // A part at another place.
  (random, input) => {
    const at = place(random, input);
    return splice(input, place(random, input), random.below(2) * 8, input.subarray(at, at + 1 + length(random, input.length)));
  },
  // A part of another input, or its end.
  (random, input, { others }) => {
    const other = others.length === 0 ? input : random.pick(others);
    const at = random.below(other.length + 1);
    return splice(input, place(random, input), length(random, 32), other.subarray(at, at + 1 + length(random, other.length)));
  },
  (random, input, { others }) => {
    const other = others.length === 0 ? input : random.pick(others);
    const at = place(random, input);
    return Buffer.concat([input.subarray(0, at), other.subarray(random.below(2) === 0 ? at : random.below(other.length + 1))]);
  },
  // A word of the format, in place of another one or between.
  (random, input, { words }) => {
    if (words.length === 0) return input;
    const found = [...input.toString('latin1').matchAll(/[\w.-]+/g)];
    const old = found.length === 0 || random.below(2) === 0 ? undefined : random.pick(found);
    return splice(input, old?.index ?? place(random, input), old?.[0].length ?? 0, random.pick(words));
  },
];

/** One to four changes of an input, mostly one. */
export function mutateInput(random: Random, input: Uint8Array, from: MutationSource): Uint8Array {
  let changed = Buffer.from(input);
  for (let left = random.below(2) === 0 ? 1 : 1 + random.below(4); left > 0; left--)
    changed = Buffer.from(random.pick(mutations)(random, changed, from));
  return changed.subarray(0, from.maxBytes);
}
