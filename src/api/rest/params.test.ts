import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { hostileRounds, hostileTimeout } from '../../../test/random.ts';
import { type Address, addressToBytes } from '../../base/bytes/address.ts';
import { bech32Encode } from '../../base/bytes/bech32.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import {
  amountOrZero,
  assetId,
  bodyAddresses,
  choices,
  flagOrFalse,
  maxQueryAddresses,
  pageSize,
  pageToken,
  sortOrder,
  timestamp,
} from '../contract/route-params.ts';
import {
  type AnySchema,
  addresses,
  heightOrId,
  id as idSchema,
  integerIn,
  nodeID,
  type Optional,
  oneOf,
  text as textSchema,
  utxoID,
} from '../contract/schema.ts';
import { createParamContext } from './addresses.ts';
import { ApiError } from './api-error.ts';
import { compileParam, compileRouteParams } from './params.ts';

const context = createParamContext('local');
type Field = AnySchema | Optional;
const read = (field: Field, ...texts: string[]): unknown => compileParam(field).read(texts, 'it', context);
const owners = addresses(maxQueryAddresses);

/** The message of the error. */
function errorOf(param: Field, ...texts: string[]): string {
  try {
    return `read as ${String(read(param, ...texts))}`;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    expect(error.fault.status).toBe(400);
    return error.message;
  }
}

const owner = '3cb7d3842e8cee6a0ebd09f1fe884f6861e1b29c' as Address;
const bech = 'local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u';
const id = 'ab'.repeat(32) as Id;

describe('numbers', () => {
  test.each([
    ['1', 1],
    ['100', 100],
    ['007', 7],
  ])('page size %s', (text, value) => expect(read(pageSize(10, 100), text)).toBe(value));

  test.each([
    ['101', 'it must not be greater than 100'],
    ['99999999999999999999', 'it must not be greater than 100'],
    ['0', 'it must not be less than 1'],
    ['-5', 'it must not be less than 1'],
    ['', 'it must be an integer number'],
    ['1.0', 'it must be an integer number'],
    ['1e1', 'it must be an integer number'],
    ['0x10', 'it must be an integer number'],
    [' 1', 'it must be an integer number'],
    ['+1', 'it must be an integer number'],
    ['٣', 'it must be an integer number'],
    ['NaN', 'it must be an integer number'],
  ])('page size %p is rejected', (text, sentence) => expect(errorOf(pageSize(10, 100), text)).toBe(sentence));

  test('a very long number is rejected', () =>
    expect(errorOf(pageSize(10, 100), '9'.repeat(100_000))).toBe('it must be an integer number'));

  test('values of missing parameters', () => {
    expect(compileParam(pageSize(10, 100)).absent).toBe(10);
    expect(compileParam(timestamp('t')).absent).toBeUndefined();
    expect(compileParam(amountOrZero('a')).absent).toBe(0n);
    expect(compileParam(flagOrFalse('b')).absent).toBe(false);
    expect(compileParam(sortOrder()).absent).toBe('desc');
    expect(compileParam(integerIn(0)).required).toBe(true);
    expect(compileParam(timestamp('t')).required).toBe(false);
  });

  test('a time is a safe integer from zero on', () => {
    expect(read(timestamp('t'), '0')).toBe(0);
    expect(read(timestamp('t'), '9007199254740991')).toBe(Number.MAX_SAFE_INTEGER);
    expect(errorOf(timestamp('t'), '9007199254740993')).toContain('greater');
    expect(errorOf(timestamp('t'), '-1')).toBe('it must not be less than 0');
    expect(read(integerIn(-3, 3), '-3')).toBe(-3);
  });

  test('an amount is exact up to 2^64 - 1', () => {
    expect(read(amountOrZero('a'), '18446744073709551615')).toBe(18446744073709551615n);
    expect(errorOf(amountOrZero('a'), '18446744073709551616')).toBe('it must not be greater than 18446744073709551615');
    expect(errorOf(amountOrZero('a'), '-1')).toBe('it must not be less than 0');
    expect(errorOf(amountOrZero('a'), '1.5')).toBe('it must be an integer number');
  });
});

describe('choices, booleans and texts', () => {
  const kinds = choices(['BaseTx', 'ImportTx', 'ExportTx']);
  test('one of the given values', () => {
    expect(read(oneOf(['a', 'b']), 'b')).toBe('b');
    expect(errorOf(oneOf(['a', 'b']), 'A')).toBe('it must be one of the following values: a, b');
    expect(errorOf(sortOrder(), 'toString')).toBe('it must be one of the following values: asc, desc');
    expect(read(oneOf(['x']), 'x')).toBe('x');
  });
  test('several values: repeated key, commas, or both; duplicates are dropped', () => {
    expect(read(kinds, 'BaseTx', 'ImportTx')).toEqual(['BaseTx', 'ImportTx']);
    expect(read(kinds, 'BaseTx,ImportTx', ' BaseTx')).toEqual(['BaseTx', 'ImportTx']);
    expect(errorOf(kinds, 'BaseTx,')).toBe('it must be one of the following values: BaseTx, ImportTx, ExportTx');
  });
  test('a boolean is true, false, 1 or 0', () => {
    expect(['true', '1', 'false', '0'].map((text) => read(flagOrFalse('b'), text))).toEqual([true, true, false, false]);
    for (const text of ['', 'TRUE', 'yes', '2']) expect(errorOf(flagOrFalse('b'), text)).toBe('it must be a boolean value');
  });
  test('a text has at most 512 characters, and none that PostgreSQL cannot store', () => {
    expect(read(textSchema(), 'x')).toBe('x');
    expect(errorOf(textSchema(), 'a\0b')).toBe('it must not contain the character U+0000');
    expect(errorOf(textSchema(), 'x'.repeat(513))).toBe('it must not be longer than 512 characters');
    const places = compileRouteParams({ path: '/{a}', params: { a: textSchema(), b: textSchema(), c: bodyAddresses } });
    expect(Object.values(places).map((param) => param.in)).toEqual(['path', 'query', 'body']);
  });
});

describe('ids', () => {
  test('CB58', () => {
    expect(read(assetId, idText(id))).toBe(id);
    expect(read(idSchema(), idText(id))).toBe(id);
    expect(errorOf(idSchema(), 'AVAX')).toBe('it must be a CB58 id, not "AVAX"');
    expect(errorOf(idSchema(), 'x'.repeat(5000)).length).toBeLessThan(150);
  });
  test('a block by number or id', () => {
    expect(read(heightOrId(), '12')).toEqual({ height: 12 });
    expect(read(heightOrId(), idText(id))).toEqual({ id });
    expect(errorOf(heightOrId(), '-1')).toBe('it must be a block number or a block id, not "-1"');
  });
  test('a page token has the form of a UUID', () => {
    expect(read(pageToken, '0f5c8917-292d-437c-a112-532cc11b1940')).toBe('0f5c8917-292d-437c-a112-532cc11b1940');
    for (const text of ['', 'x', '0f5c8917292d437ca112532cc11b1940', '0f5c8917-292d-437c-a112-532cc11b194g'])
      expect(errorOf(pageToken, text)).toBe('it must be a UUID');
  });
});

describe('addresses', () => {
  test('a private network accepts the HRP of its alias, and returns the HRP of the first address', () => {
    const both = createParamContext('local', 'fuji');
    const fuji = bech32Encode('fuji', Buffer.from(owner, 'hex'));
    const readBoth = (text: string) => compileParam(owners).read([text], 'it', both);
    expect(readBoth(fuji)).toEqual({ owners: [owner], hrp: 'fuji' });
    expect(readBoth(`X-${fuji},${bech}`)).toEqual({ owners: [owner], hrp: 'fuji' });
    expect(readBoth(`${bech},P-${fuji}`)).toEqual({ owners: [owner], hrp: 'local' });
    expect(() => readBoth(bech32Encode('avax', Buffer.from(owner, 'hex')))).toThrow(
      '(local1... or fuji1..., X-, P- or C- before them or not)',
    );
    expect(errorOf(owners, fuji)).toContain('(local1..., X-');
  });

  test('accepts every spelling and drops duplicates', () => {
    expect(read(owners, `X-${bech},P-${bech}, C-${bech} ,${bech},${bech.toUpperCase()}`)).toEqual({ owners: [owner], hrp: 'local' });
  });
  test('the error names an address of another network, or a malformed one', () => {
    const other = bech32Encode('fuji', addressToBytes(owner));
    for (const text of [other, `${bech},`, '', 'x', `Q-${bech}`, `x-${bech}`, `${bech.slice(0, -1)}q`, `0x${owner}`])
      expect(errorOf(owners, text)).toStartWith('it must be addresses of this network (local1...');
    expect(errorOf(owners, other)).toContain(other);
  });
  test('an address has 20 bytes, not 19 and not 21', () => {
    const bytes = addressToBytes(owner);
    expect(errorOf(owners, bech32Encode('local', bytes.subarray(1)))).toContain('addresses of this network');
    expect(errorOf(owners, bech32Encode('local', Buffer.concat([bytes, bytes.subarray(0, 1)])))).toContain('of this network');
  });
  test('at most 64 addresses in a query and 1024 in a body', () => {
    const many = (count: number) => Array.from({ length: count }, () => bech).join(',');
    expect(read(owners, many(64))).toEqual({ owners: [owner], hrp: 'local' });
    expect(errorOf(owners, many(65))).toBe('it must have at most 64 addresses');
    expect(read(bodyAddresses, many(1024))).toEqual({ owners: [owner], hrp: 'local' });
    expect(errorOf(bodyAddresses, many(1025))).toBe('it must have at most 1024 addresses');
    expect(errorOf(owners, ','.repeat(1_000_000))).toBe('it must have at most 64 addresses');
  });
});

test(
  'any text is read, or rejected with one sentence that names the parameter',
  () => {
    const all: Field[] = [
      pageSize(10, 100),
      pageToken,
      timestamp('t'),
      amountOrZero('a'),
      flagOrFalse('b'),
      sortOrder(),
      choices(['a', 'b']),
      assetId,
      heightOrId(),
      textSchema(),
      owners,
      nodeID(),
      utxoID(),
      bodyAddresses,
    ];
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.constantFrom(bech, idText(id), '1', 'asc', 'true', '__proto__', 'constructor', '\0', '\ud800'),
    );
    fc.assert(
      fc.property(fc.constantFrom(...all), text, text, (param, a, b) => {
        const sentence = errorOf(param, a === b ? a : a + b);
        expect(sentence.startsWith('it must ') || sentence.startsWith('read as ')).toBe(true);
        expect(sentence.isWellFormed() || sentence.startsWith('read as ')).toBe(true);
        expect(sentence.startsWith('it must ') ? sentence.length : 0).toBeLessThan(700);
      }),
      { numRuns: hostileRounds(0.1) },
    );
  },
  hostileTimeout,
);
