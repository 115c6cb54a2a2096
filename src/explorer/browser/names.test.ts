import { expect, test } from 'bun:test';
import { useLocalStorage } from './local-storage.fixture.ts';
import { importNames, keepName, keptNames, maxKeptNames, parseNames } from './names.ts';

const items = useLocalStorage();

const address = (at: number): string => `local1${String(at).padStart(38, 'q').replaceAll('1', 'z')}`;

test('a name is kept for all spellings of an address, and forgotten', () => {
  expect(keepName(`X-${address(2)}`, 'Alice')).toBeUndefined();
  expect(keptNames()).toEqual({ [address(2)]: 'Alice' });
  expect(keepName(address(2), '')).toBeUndefined();
  expect(keptNames()).toEqual({});
});

test('a name that could deceive is refused', () => {
  expect(keepName(address(2), 'Ali\u202ece')).toBe('The name has a character that is invisible or changes the direction of text.');
  expect(keepName(address(2), ' Alice')).toContain('a space at its beginning');
  expect(keepName(address(2), 'x'.repeat(65))).toContain('at most 64');
  expect(keptNames()).toEqual({});
});

test('the number of names is bounded, also those of a file', () => {
  const many = Object.fromEntries(Array.from({ length: maxKeptNames }, (_, at) => [address(at), `n${at}`]));
  expect(importNames(JSON.stringify(many))).toEqual({ count: maxKeptNames });
  expect(keepName(address(maxKeptNames + 5), 'one more')).toContain('which is the most');
  expect(importNames(JSON.stringify({ [address(9999)]: 'x' }))).toEqual({
    fault: `With this file there would be more than ${maxKeptNames} names.`,
  });
  expect(keepName(address(3), 'renamed')).toBeUndefined();
});

test('what is not a list of names is left out', () => {
  expect(parseNames({ [address(2)]: 'Alice', nonsense: 'Bob', [address(3)]: 5, [address(4)]: '\u0007' })).toEqual({
    [address(2)]: 'Alice',
  });
  expect(parseNames([1])).toEqual({});
  expect(importNames('{')).toEqual({ fault: 'The file is not JSON.' });
  items.set('serac-names', 'broken');
  expect(keptNames()).toEqual({});
});
