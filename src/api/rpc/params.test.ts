import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { parseId, zeroId } from '../../base/bytes/id.ts';
import type { RpcError } from './fault.ts';
import {
  bool,
  encoding,
  idParam,
  list,
  nodeId,
  noParams,
  obj,
  type ParamsOf,
  type RpcParam,
  readRpcParams,
  str,
  u8,
  u32,
  u64,
} from './params.ts';

const id = '27YCeU1fqQXCFttscfkNgaARW1d4aSo3zbFFDxUKvTmf5dDJvx';
const node = 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg';

/** The value that a parameter reads from JSON text, or "rejected". */
function read<T>(param: RpcParam<T>, json: string): T | 'rejected' {
  const text = Buffer.from(json).toString('latin1');
  try {
    return param.read(text, 0, text.length, param.zero);
  } catch (error) {
    expect((error as RpcError).fault.code).toMatch(/^(RPC_BAD_ARGUMENT|CB58_|ID_)/);
    return 'rejected';
  }
}

describe('scalars', () => {
  const rows: readonly [string, RpcParam<unknown>, readonly (readonly [string, unknown])[], readonly string[]][] = [
    [
      'str',
      str,
      [
        ['"a"', 'a'],
        ['""', ''],
        ['"\\u0041\\n<é"', 'A\n<é'],
        ['null', ''],
      ],
      ['1', 'true', '[]', '{}'],
    ],
    [
      'bool',
      bool,
      [
        ['true', true],
        ['false', false],
        ['null', false],
      ],
      ['1', '"true"', '[]', '{}'],
    ],
    [
      'u64',
      u64,
      [
        ['0', 0n],
        ['"0"', 0n],
        ['"00"', 0n],
        [`"${'0'.repeat(50)}7"`, 7n],
        ['18446744073709551615', 18446744073709551615n],
        ['"18446744073709551615"', 18446744073709551615n],
        ['null', 0n],
      ],
      [
        '18446744073709551616',
        '"18446744073709551616"',
        '99999999999999999999999',
        '-1',
        '"-1"',
        '"+0"',
        '""',
        '" 0"',
        '0.0',
        '0e0',
        '1e3',
        '"1_0"',
        '"\\u0030"',
        'true',
        '[]',
        '{}',
      ],
    ],
    [
      'u32',
      u32,
      [
        ['4294967295', 4294967295],
        ['"2"', 2],
        ['null', 0],
      ],
      ['4294967296', '"4294967296"', '1.5', '-1'],
    ],
    [
      'u8',
      u8,
      [
        ['255', 255],
        ['"32"', 32],
      ],
      ['256', '-1'],
    ],
    [
      'id',
      idParam,
      [
        [`"${id}"`, parseId(id)],
        ['null', zeroId],
      ],
      [`"${id.slice(1)}"`, `"${id}1"`, '""', '"x"', '5', '[]', '{}', `"\\u0032${id.slice(1)}"`],
    ],
    [
      'nodeId',
      nodeId,
      [
        [`"${node}"`, node],
        ['null', 'NodeID-111111111111111111116DBWJs'],
      ],
      [`"${node.slice(7)}"`, '"NodeID-"', `"NodeID-${id}"`, '""', '5', `["${node}"]`],
    ],
    [
      'encoding',
      encoding,
      [
        ['"hex"', 'hex'],
        ['"HexNC"', 'hexnc'],
        ['"HEXC"', 'hexc'],
        ['"Json"', 'json'],
        ['null', 'hex'],
      ],
      ['""', '"cb58"', '" hex"', '5', '{}'],
    ],
  ];
  test.each(rows)('%s', (_, param, good, bad) => {
    for (const [json, value] of good) expect([json, read(param, json)]).toEqual([json, value]);
    for (const json of bad) expect([json, read(param, json)]).toEqual([json, 'rejected']);
  });
});

const args = obj({ addresses: list(str), limit: u32, startIndex: obj({ address: str, utxo: str }) });
const none = { addresses: [], limit: 0, startIndex: { address: '', utxo: '' } };

describe('objects and lists', () => {
  test('the static type follows the declaration', () => {
    const given: ParamsOf<typeof args> = { addresses: ['a'], limit: 1, startIndex: { address: 'b', utxo: 'c' } };
    expect(read(args, JSON.stringify(given))).toEqual(given);
  });

  test('names match in any case, unknown ones are ignored, missing ones are zero', () => {
    expect(read(args, '{"LIMIT":5,"foo":[{}],"startindex":{"UTXO":"u"}}')).toEqual({
      ...none,
      limit: 5,
      startIndex: { address: '', utxo: 'u' },
    });
    expect(read(args, '{}')).toEqual(none);
  });

  test('repeated members: scalars are replaced, objects merge, null keeps both, lists are replaced', () => {
    expect(read(args, '{"limit":1,"limit":2,"limit":null}')).toEqual({ ...none, limit: 2 });
    expect(read(args, '{"startIndex":{"address":"a"},"startIndex":{"utxo":"u"},"startIndex":null}')).toEqual({
      ...none,
      startIndex: { address: 'a', utxo: 'u' },
    });
    expect(read(args, '{"addresses":["a","b"],"addresses":[null]}')).toEqual({ ...none, addresses: ['a'] });
    expect(read(args, '{"addresses":["a"],"addresses":null}')).toEqual(none);
  });

  test('an error names the nested argument', () => {
    const faultOf = (json: string) => {
      try {
        args.read(json, 0, json.length, args.zero);
      } catch (error) {
        return (error as RpcError).fault;
      }
    };
    expect(faultOf('{"startIndex":{"utxo":5}}')).toEqual({ code: 'RPC_BAD_ARGUMENT', argument: 'startIndex.utxo', expected: 'string' });
    expect(faultOf('{"ADDRESSES":["a",1]}')).toEqual({ code: 'RPC_BAD_ARGUMENT', argument: 'addresses.1', expected: 'string' });
    expect(faultOf('{"addresses":"a"}')).toEqual({ code: 'RPC_BAD_ARGUMENT', argument: 'addresses', expected: 'string[]' });
  });

  test('the length of a list is limited', () => {
    expect(read(list(u8, 3), '[1,2,3]')).toEqual([1, 2, 3]);
    expect(read(list(u8, 3), '[1,2,3,4]')).toBe('rejected');
  });

  test('any JSON value is read or rejected', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom('addresses', 'limit', 'startIndex'), (value, name) => {
        const got = read(args, JSON.stringify({ [name]: value }));
        if (got !== 'rejected') expect(Object.keys(got)).toEqual(Object.keys(none));
      }),
    );
  });
});

describe('the parameters of a call', () => {
  test('are an object, the first element of an array, or absent', () => {
    expect(readRpcParams(args, null)).toEqual(none);
    for (const raw of ['{}', '[]', '[ ]', '[null]', '[{}]', '[{"limit":0},5,"x"]']) expect(readRpcParams(args, raw)).toEqual(none);
    expect(readRpcParams(args, '[ {"limit":7} , {"limit":8} ]')).toEqual({ ...none, limit: 7 });
    for (const raw of ['5', '"x"', 'true', '[5]', '[[{}]]', '["x"]']) {
      expect(() => readRpcParams(args, raw)).toThrow(/^couldn't unmarshal an argument\. /);
      expect(() => readRpcParams(noParams, raw)).toThrow(/^couldn't unmarshal an argument\. /);
    }
    expect(readRpcParams(noParams, '{"x":1}')).toEqual({});
  });

  test('shared zero values are not modified by reading', () => {
    const first = readRpcParams(args, '{"limit":1}');
    expect(readRpcParams(args, null)).toEqual(none);
    expect(first).toEqual({ ...none, limit: 1 });
  });
});
