import { describe, expect, test } from 'bun:test';
import { createParamsReader } from './method.ts';
import { bool, list, obj, readRpcParams, str, u32 } from './params.ts';

const params = obj({ addresses: list(str), limit: u32, flag: bool });

describe('parameters read through the cache equal those read without it', () => {
  const texts = [
    null,
    'null',
    '{}',
    '[]',
    '[{"limit":1}]',
    '{"limit":1}',
    '{"limit":"1"}',
    '{"LIMIT":2,"limit":3}',
    '{"addresses":["a","b"],"flag":true}',
    '{"addresses":["\u00c3\u00a9"]}',
    `{"addresses":["${'a'.repeat(300)}"]}`,
    ...Array.from({ length: 2000 }, (_, at) => `{"limit":${at}}`),
  ];
  const read = createParamsReader(params);
  test.each(['first', 'second'])('%s time', () => {
    for (const text of texts) expect(read(text)).toEqual(readRpcParams(params, text));
  });
});

test('a text is read once while it is cached, and errors are thrown each time', () => {
  let reads = 0;
  const counting: typeof params = {
    ...params,
    read: (...args) => {
      reads++;
      return params.read(...args);
    },
  };
  const read = createParamsReader(counting);
  expect(read('{"limit":1}')).toBe(read('{"limit":1}'));
  expect(reads).toBe(1);
  for (let pass = 0; pass < 2; pass++) expect(() => read('{"limit":-1}')).toThrow();
  expect(reads).toBe(3);
  const long = `{"addresses":["${'a'.repeat(300)}"]}`;
  expect(read(long)).not.toBe(read(long));
});
