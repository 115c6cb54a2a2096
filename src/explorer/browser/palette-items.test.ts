import { expect, test } from 'bun:test';
import { devActions } from '../views/dev-actions.ts';
import { defaultParams, filterItems } from './palette-items.ts';

test('all words must be in the word, the note or the group of a line; a group has a few lines', () => {
  const items = Array.from({ length: 20 }, (_, at) => ({ group: at % 2 === 0 ? 'API' : 'Docs', word: `get ${at}`, note: 'an answer' }));
  expect(filterItems(items, 'ANSWER get docs').map(({ word }) => word)).toEqual([
    'get 1',
    'get 3',
    'get 5',
    'get 7',
    'get 9',
    'get 11',
    'get 13',
    'get 15',
  ]);
  expect(filterItems(items, '').length).toBe(10);
  expect(filterItems(items, 'get nothing')).toEqual([]);
});

test('only an action whose fields all have a value is done at once', () => {
  expect(defaultParams(devActions.mine)).toEqual({ blocks: 1 });
  expect(defaultParams(devActions.snapshot)).toEqual({});
  expect(defaultParams(devActions.send)).toBeUndefined();
});
