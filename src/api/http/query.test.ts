import { expect, test } from 'bun:test';
import { queryValues } from './query.ts';

const cases: readonly [string, string[]][] = [
  ['', []],
  ['tag=a', ['a']],
  ['tag=a&tag=b', ['a', 'b']],
  ['tag=', ['']],
  ['tag', ['']],
  ['&&tag=a&', ['a']],
  ['Tag=a', []],
  ['tag=a;b', []],
  ['tag=a;b&tag=c', ['c']],
  ['tag=a=b', ['a=b']],
  ['tag=a%20b', ['a b']],
  ['tag=a+b', ['a b']],
  ['t%61g=a', ['a']],
  ['tag=%', []],
  ['tag=%zz&tag=b', ['b']],
  ['tag=%c3%a9', ['é']],
  ['tag=é%41', ['éA']],
  ['tag=%ff', ['\ufffd']],
  ['tag=%253B', ['%3B']],
];
for (const [query, values] of cases) test(`"${query}"`, () => expect(queryValues(query, 'tag')).toEqual(values));
