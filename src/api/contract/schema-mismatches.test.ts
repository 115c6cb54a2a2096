import { describe, expect, test } from 'bun:test';
import {
  type AnySchema,
  anyOf,
  anything,
  flag,
  integer,
  list,
  map,
  nothing,
  number,
  object,
  oneOf,
  openObject,
  optional,
  text,
} from './schema.ts';
import { findJsonMismatches, findMismatches } from './schema-mismatches.fixture.ts';

const Item = object('Item', { id: text(), size: optional(integer()) });
const Page = object('Page', { items: list(Item), kind: oneOf(['a', 'b']), ratio: number(), last: flag(), counts: map(integer()) });
const good = { items: [{ id: 'x', size: 1 }, { id: 'y' }], kind: 'a', ratio: 0.5, last: false, counts: { p: 1 } };

describe('a matching value', () => {
  test.each([
    ['a page', Page, good],
    ['an integer is a number', number(), 3],
    ['one of two types', anyOf([text(), nothing()]), null],
    ['one of two schemas', anyOf([text(), integer()]), 4],
    ['anything', anything(), [1, 'a', null]],
  ] as [string, AnySchema, unknown][])('%s', (_, schema, value) => expect(findMismatches(schema, value, { strict: true })).toEqual([]));
});

describe('a value that does not match', () => {
  test.each([
    ['missing', { ...good, kind: undefined }, 'nothing'],
    ['wrong type', { ...good, items: [{ id: 5 }] }, '$.items[0].id is integer, not string'],
    ['a fraction', { ...good, items: [{ id: 'x', size: 1.5 }] }, '$.items[0].size is number, not integer'],
    ['null for optional', { ...good, items: [{ id: 'x', size: null }] }, '$.items[0].size is null, not integer'],
    ['another word', { ...good, kind: 'c' }, '$.kind is "c", not one of a, b'],
    ['a list for an object', [], '$ is array, not object'],
    ['a wrong value in a map', { ...good, counts: { p: 'x' } }, '$.counts.p is string, not integer'],
  ])('%s', (_, value, line) => expect(findMismatches(Page, value).join('\n')).toContain(line));

  test('bounds, patterns and UUIDs', () => {
    expect(findJsonMismatches({ type: 'integer', minimum: 2 }, 1)).toEqual(['$ is 1, less than 2']);
    expect(findJsonMismatches({ type: 'integer', maximum: 2 }, 3)).toEqual(['$ is 3, greater than 2']);
    expect(findJsonMismatches({ type: 'string', pattern: '^0x' }, '1')).toEqual(['$ is "1", not like ^0x']);
    expect(findJsonMismatches({ type: 'string', format: 'uuid' }, 'x')).toEqual(['$ is "x", no UUID']);
    expect(findMismatches(anyOf([text(), text()]), 'x')).toEqual(['$ fits 2 schemas']);
  });

  test('missing properties are named', () => {
    expect(findMismatches(Page, {})).toEqual(['items', 'kind', 'ratio', 'last', 'counts'].map((name) => `$.${name} is missing`));
  });

  test('undocumented properties are mismatches in strict mode only, unless the schema allows them', () => {
    const more = { ...good, more: 1, items: [{ id: 'x', also: 2 }] };
    expect(findMismatches(Page, more)).toEqual([]);
    expect(findMismatches(Page, more, { strict: true })).toEqual(['$.items[0].also is not documented', '$.more is not documented']);
    expect(findMismatches(openObject('Open', Item.properties), { id: 'x', also: 2 }, { strict: true })).toEqual([]);
    expect(findMismatches(Item, JSON.parse('{"id":"x","__proto__":1}'), { strict: true })).toEqual(['$.__proto__ is not documented']);
  });
});
