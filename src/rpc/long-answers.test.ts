import { expect, test } from 'bun:test';
import { longWork } from '../timing/long-work.fixture.ts';
import { createLongAnswers } from './long-answers.ts';

/** Work of three steps that notes when it begins and ends. */
function* work(name: string, notes: string[], fails = false): Generator<void, string> {
  notes.push(`${name} begins`);
  yield;
  yield;
  notes.push(`${name} ends`);
  if (fails) throw new Error(name);
  return name;
}

test('one at a time, in order; a failure does not hold up the next', async () => {
  const longAnswers = createLongAnswers(longWork);
  const notes: string[] = [];
  const all = await Promise.allSettled(['a', 'b', 'c'].map((name) => longAnswers(name, work(name, notes, name === 'b'))));
  expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(notes).toEqual(['a', 'b', 'c'].flatMap((name) => [`${name} begins`, `${name} ends`]));
});

test('once for all who ask meanwhile, anew for who asks later', async () => {
  const longAnswers = createLongAnswers(longWork);
  const notes: string[] = [];
  const ask = () => longAnswers('same', work('same', notes));
  expect(await Promise.all([ask(), ask(), ask()])).toEqual(['same', 'same', 'same']);
  expect(notes).toHaveLength(2);
  expect(await ask()).toBe('same');
  expect(notes).toHaveLength(4);
});
