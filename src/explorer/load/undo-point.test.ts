import { expect, test } from 'bun:test';
import { heightAfter, isUndoName, splitSnapshots, undoName } from './undo-point.ts';

test("the page's snapshot is not among the developer's, and says what it undoes", () => {
  const all = [
    { name: 'funded', height: '3' },
    { name: undoName('reset', undefined), height: '5' },
    { name: undoName('revert', 7), height: '8' },
  ];
  const { own, undo } = splitSnapshots(all);
  expect(own).toEqual([{ name: 'funded', height: '3' }]);
  expect(undo).toEqual({ name: 'page undo: revert to 7', kind: 'revert', height: 8, to: 7 });
  expect([isUndoName('funded'), isUndoName('page undo: reset'), isUndoName(undefined)]).toEqual([false, true, false]);
  expect(splitSnapshots([{ name: 'page undo: of somebody', height: '1' }])).toEqual({
    own: [{ name: 'page undo: of somebody', height: '1' }],
    undo: undefined,
  });
});

test('the height after an action is known for a revert, a reorg and a reset, not for a state file', () => {
  const after = (kind: 'revert' | 'reset' | 'load', to?: number) => heightAfter({ name: '', kind, height: 8, to });
  expect([after('revert', 7), after('reset'), after('load')]).toEqual([7, 1, undefined]);
});
