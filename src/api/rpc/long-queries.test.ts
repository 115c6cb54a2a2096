import { expect, test } from 'bun:test';
import { longWork } from '../../base/timing/long-work.fixture.ts';
import { createLongQueryRunner, maxWaiting } from './long-queries.ts';

/** A query of three steps that logs its start and end. */
function* query(name: string, log: string[], fails = false): Generator<void, string> {
  log.push(`${name} begins`);
  yield;
  yield;
  log.push(`${name} ends`);
  if (fails) throw new Error(name);
  return name;
}

test('queries run one at a time, in order; after a failure the next one runs', async () => {
  const runLongQuery = createLongQueryRunner(longWork);
  const log: string[] = [];
  const all = await Promise.allSettled(['a', 'b', 'c'].map((name) => runLongQuery(name, query(name, log, name === 'b'))));
  expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(log).toEqual(['a', 'b', 'c'].flatMap((name) => [`${name} begins`, `${name} ends`]));
});

test('callers with the same key share a running query; a later call runs it again', async () => {
  const runLongQuery = createLongQueryRunner(longWork);
  const log: string[] = [];
  const run = () => runLongQuery('same', query('same', log));
  expect(await Promise.all([run(), run(), run()])).toEqual(['same', 'same', 'same']);
  expect(log).toHaveLength(2);
  expect(await run()).toBe('same');
  expect(log).toHaveLength(4);
});

test('more than so many waiting queries are refused as busy, until one has ended', async () => {
  const runLongQuery = createLongQueryRunner(longWork);
  const log: string[] = [];
  const all = Array.from({ length: maxWaiting }, (_, i) => runLongQuery(`${i}`, query(`${i}`, log)));
  await expect(runLongQuery('more', query('more', log))).rejects.toMatchObject({ fault: { code: 'AVM_BUSY', max: maxWaiting } });
  // A caller with the key of a waiting query shares its result.
  expect(await runLongQuery('0', query('0', log))).toBe('0');
  await Promise.all(all);
  expect(await runLongQuery('more', query('more', log))).toBe('more');
});
