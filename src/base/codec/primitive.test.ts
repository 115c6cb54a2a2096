import { describe, expect, test } from 'bun:test';
import type { Address } from '../bytes/address.ts';
import { bitOf, firstDifference, type Id, idBits } from '../bytes/id.ts';
import { endpointText, isLoopbackIp, isPublicIp, mapIp, parseIp, remoteText, unmapIp } from '../bytes/ip-address.ts';
import { faultOf } from '../fault.fixture.ts';
import type { AnyCodec, JsonContext } from './codec.ts';
import { goString, goStringFromBytes } from './go-string.ts';
import { pack, unpack } from './pack.ts';
import { address, bytes, fixedBytes, id, list, text, u8, u32, u64 } from './primitive.ts';
import { struct } from './struct.ts';
import { union } from './union.ts';

const context: JsonContext = { address: (one) => `addr ${one.slice(0, 2)}`, id: (one) => `id ${one.slice(0, 2)}` };
const hex = (value: Uint8Array): string => Buffer.from(value).toString('hex');
const [someId, someAddress] = ['ab'.repeat(32) as Id, 'cd'.repeat(20) as Address];

describe('a codec', () => {
  const shapes = union('Shape', { 5: 'a.Dot', 6: 'a.Line', 7: 'b.Other' }, {
    'a.Dot': [5, struct({ x: u8 })],
    'a.Line': [6, struct({ x: u8, y: u8 }, ['y', 'x'])],
  } as const);

  test.each<[string, AnyCodec, unknown, string, string]>([
    ['a byte', u8, 7, '07', '7'],
    ['a number', u32, 258, '00000102', '258'],
    ['a large number', u64, 2n ** 63n + 1n, '8000000000000001', '9223372036854775809'],
    ['an ID', id, someId, someId, '"id ab"'],
    ['an address', address, someAddress, someAddress, '"addr cd"'],
    ['bytes', bytes, new Uint8Array([1, 2]), '000000020102', '"0x0102"'],
    ['no bytes', bytes, new Uint8Array(0), '00000000', '"0x"'],
    ['two bytes', fixedBytes(2), new Uint8Array([1, 2]), '0102', '"0x0102"'],
    ['a text', text, new Uint8Array(Buffer.from('a"')), '00026122', '"a\\""'],
    ['a list', list(u8), [3, 4], '000000020304', '[3,4]'],
    ['an empty list', list(u8), [], '00000000', '[]'],
    ['a struct', struct({ a: u8, b: u32 }, ['b', 'a']), { a: 1, b: 2 }, '0100000002', '{"b":2,"a":1}'],
    ['a variant', shapes, { kind: 'a.Line', x: 1, y: 2 }, '000000060102', '{"y":2,"x":1}'],
  ])('of %s', (_, codec, value, wire, json) => {
    const packed = pack(codec, value);
    expect([hex(packed), codec.json(value, context), unpack(codec, packed)]).toEqual([`0000${wire}`, json, value]);
    if (codec.size !== undefined) expect(packed.length).toBe(2 + codec.size);
    expect(faultOf(() => unpack(codec, packed.slice(0, -1)))).toBeDefined();
  });

  test('knows where the fields of a struct begin, as far as sizes are fixed', () => {
    const codec = struct({ a: u8, b: u32, c: bytes, d: u8 });
    expect([codec.offsetOf('a'), codec.offsetOf('b'), codec.offsetOf('c'), codec.size]).toEqual([0, 1, 5, undefined]);
    expect(() => codec.offsetOf('d')).toThrow('d begins where the fields before it end');
    expect(struct({ a: u8, b: u32 }).size).toBe(5);
  });

  test('refuses unknown types, and known ones that do not fit', () => {
    const read = (typeID: number) => faultOf(() => unpack(shapes, new Uint8Array([0, 0, 0, 0, 0, typeID, 1, 2])));
    expect([read(6), read(8), read(7)]).toEqual([
      undefined,
      { code: 'CODEC_UNKNOWN_TYPE', typeID: 8 },
      { code: 'CODEC_WRONG_TYPE', typeID: 7, slot: 'Shape' },
    ]);
  });

  test('refuses what is too large, of another version, too short, or followed by more', () => {
    const packed = pack(u8, 7);
    expect(faultOf(() => unpack(u8, packed, 2))).toEqual({ code: 'CODEC_TOO_LARGE', size: 3, max: 2 });
    expect([unpack(u8, packed, 3), unpack(u8, pack(u8, 7, 1), 9, 1)]).toEqual([7, 7]);
    expect([faultOf(() => unpack(u8, packed, 9, 1)), faultOf(() => unpack(u8, new Uint8Array(1)))]).toEqual([
      { code: 'CODEC_VERSION' },
      { code: 'CODEC_VERSION' },
    ]);
    expect(faultOf(() => unpack(u8, new Uint8Array(2)))).toEqual({ code: 'CODEC_TOO_SHORT' });
    expect(faultOf(() => unpack(u8, new Uint8Array(5)))).toEqual({ code: 'CODEC_TRAILING_BYTES', read: 3, provided: 5 });
    expect(faultOf(() => unpack(list(struct({})), new Uint8Array([0, 0, 0, 0, 0, 1])))).toEqual({ code: 'CODEC_EMPTY_ELEMENT' });
  });

  test('packs within packing, and after a value that failed', () => {
    const nested = { ...u8, write: (w: Parameters<typeof u8.write>[0], value: number) => w.fixed(pack(u8, value)) };
    expect(hex(pack(nested, 7))).toBe('0000000007');
    expect(() => pack(struct({ a: u8, b: u8 }), { a: 1, b: 256 })).toThrow();
    expect(hex(pack(u8, 9))).toBe('000009');
    const large = new Uint8Array(100_000).fill(1);
    expect([pack(bytes, large).length, hex(pack(u8, 9))]).toEqual([100_006, '000009']);
  });

  test('writes text as Go does', () => {
    expect(goString('<a>&"\\\b\f\n\r\t\u0001\u2028é😀')).toBe('"\\u003ca\\u003e\\u0026\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u2028é😀"');
    expect([goString('\ud800'), goString('plain'), goStringFromBytes(new Uint8Array([0x61, 0xff]))]).toEqual([
      '"\\ufffd"',
      '"plain"',
      '"a\\ufffd"',
    ]);
  });
});

test('bits of an ID are those of its bytes, least significant first', () => {
  const one = 'f10a'.padEnd(64, '0') as Id;
  expect(Array.from({ length: 16 }, (_, i) => bitOf(one, i))).toEqual([1, 0, 0, 0, 1, 1, 1, 1, 0, 1, 0, 1, 0, 0, 0, 0]);
  expect([idBits, bitOf(`${'0'.repeat(62)}80` as Id, 255)]).toEqual([256, 1]);
  const other = 'f18a'.padEnd(64, '0') as Id;
  expect([
    firstDifference(one, other, 0, 256),
    firstDifference(one, other, 15, 16),
    firstDifference(one, other, 0, 15),
    firstDifference(one, other, 16, 256),
  ]).toEqual([15, 15, undefined, undefined]);
});

describe('IP addresses', () => {
  const parse = (text_: string): Uint8Array => parseIp(text_) as Uint8Array;
  test('that are public, by the ranges of IPv4 and IPv6', () => {
    const isPublic = (text_: string): boolean => isPublicIp(parse(text_));
    const publicOnes = [
      '1.2.3.4',
      '9.255.255.255',
      '11.0.0.0',
      '126.0.0.1',
      '128.0.0.1',
      '169.253.0.1',
      '169.255.0.1',
      '172.15.0.1',
      '172.32.0.1',
    ];
    const more = [
      '192.167.0.1',
      '192.169.0.1',
      '223.255.255.255',
      '240.0.0.1',
      '::2',
      '2001:db8::1',
      'fe7f::1',
      'fec0::1',
      'fbff::1',
      '0.0.0.1',
    ];
    for (const one of [...publicOnes, ...more]) expect([one, isPublic(one)]).toEqual([one, true]);
    const privateOnes = [
      '0.0.0.0',
      '255.255.255.255',
      '127.0.0.1',
      '224.0.0.1',
      '239.255.0.1',
      '169.254.1.1',
      '10.0.0.1',
      '172.16.0.1',
      '172.31.255.1',
    ];
    const others = ['192.168.0.1', '::', '::1', 'ff00::1', 'fe80::1', 'febf::1', 'fc00::1', 'fdff::1'];
    for (const one of [...privateOnes, ...others]) expect([one, isPublic(one)]).toEqual([one, false]);
  });

  test('of this machine', () => {
    expect(['127.0.0.1', '127.9.9.9', '::1', '128.0.0.1', '::2', '1::1', '::'].map((one) => isLoopbackIp(parse(one)))).toEqual([
      ...[true, true, true, false, false, false, false],
    ]);
  });

  test('IPv4 within IPv6, and as text with a port', () => {
    const mapped = mapIp(parse('1.2.3.4'));
    expect([mapped.length, hex(mapped), [...unmapIp(mapped)]]).toEqual([16, '00000000000000000000ffff01020304', [1, 2, 3, 4]]);
    const six = parse('2001:db8::1');
    expect([mapIp(six) === six, unmapIp(six) === six]).toEqual([true, true]);
    expect([endpointText('1.2.3.4', 80), endpointText('::1', 80)]).toEqual(['1.2.3.4:80', '[::1]:80']);
    expect([remoteText('::ffff:1.2.3.4'), remoteText('fe80::1%eth0'), remoteText('unknown')]).toEqual(['1.2.3.4', 'fe80::1', 'unknown']);
  });
});
