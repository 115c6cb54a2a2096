import { expect, test } from 'bun:test';
import type { LongWork } from '../../base/timing/long-work.ts';
import type { Sql } from '../index/sql.ts';
import { fetchRows, type Queries } from '../store/queries.ts';
import { queryRunnerOn } from './read-runner.ts';

/** Creates a runner on a database that returns the text of each query as its row, and pauses after every `interval` queries until `resume`. */
function createPausingRunner(interval: number) {
  let epoch = 0;
  let isReading = false;
  let resume = (): void => {};
  const queried: string[] = [];
  const sql: Sql = {
    dialect: 'sqlite',
    all: <Row>(text: string) => {
      expect(isReading).toBe(true);
      queried.push(text);
      return [`${text} in epoch ${epoch}`] as Row[];
    },
    read: (work) => {
      isReading = true;
      const result = work();
      isReading = false;
      return result;
    },
    epoch: () => epoch,
  };
  const longWork: LongWork = {
    begin: () => () => {
      if (queried.length % interval !== 0) return undefined;
      return new Promise((resolve) => {
        resume = resolve;
      });
    },
  };
  return {
    run: queryRunnerOn(sql, longWork),
    queried,
    isReading: () => isReading,
    revert: () => {
      epoch++;
    },
    resume: async () => {
      resume();
      await new Promise((resolve) => void setImmediate(resolve));
    },
  };
}

const query = (text: string) => ({ text, values: [] });

function* twoSteps(): Queries<readonly string[]> {
  const first = yield* fetchRows<string>([query('a'), query('b'), query('c')]);
  return [...first, ...(yield* fetchRows<string>([query('d')]))];
}

const rowsInEpoch = (epoch: number) => ['a', 'b', 'c', 'd'].map((text) => `${text} in epoch ${epoch}`);

test('a run pauses between queries, outside the read transaction, and continues with the next query', async () => {
  const { run, queried, isReading, resume } = createPausingRunner(2);
  const result = run(twoSteps);
  expect([queried, isReading()]).toEqual([['a', 'b'], false]);
  await resume();
  expect([queried, isReading()]).toEqual([['a', 'b', 'c', 'd'], false]);
  await resume();
  expect(await result).toEqual(rowsInEpoch(0));
  expect(queried).toEqual(['a', 'b', 'c', 'd']);
});

test('a short run does not pause', async () => {
  const { run } = createPausingRunner(5);
  expect(await run(twoSteps)).toEqual(rowsInEpoch(0));
});

test('a run starts again if the database was reverted during a pause', async () => {
  const { run, queried, revert, resume } = createPausingRunner(3);
  const result = run(twoSteps);
  revert();
  await resume();
  await resume();
  expect(await result).toEqual(rowsInEpoch(1));
  expect(queried).toEqual(['a', 'b', 'c', 'a', 'b', 'c', 'd']);
});
