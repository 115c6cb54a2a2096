import { expect, test } from 'bun:test';
import { createSqlCounter } from './sql-counter.ts';

test('statements that start together are one round trip', async () => {
  const { sql, count } = createSqlCounter({ dialect: 'postgres', all: () => Bun.sleep(1).then(() => []) });
  const counted = await count(async () => {
    const beside = Promise.resolve(sql.all('', [])).then(() => Bun.sleep(5));
    await Promise.all([sql.all('', []), sql.all('', [])]);
    await sql.all('', []);
    await sql.all('', []);
    await beside;
  });
  expect(counted).toEqual({ statements: 5, roundTrips: 3 });
  expect(await count(async () => {})).toEqual({ statements: 0, roundTrips: 0 });
});

test('two computations side by side take as many round trips as the longer one', async () => {
  const delays = [1, 9, 2, 5, 3];
  const { sql, count } = createSqlCounter({ dialect: 'postgres', all: () => Bun.sleep(delays.pop() as number).then(() => []) });
  const askTimes = async (times: number) => {
    for (let i = 0; i < times; i++) await sql.all('', []);
  };
  expect(await count(() => Promise.all([askTimes(2), askTimes(3)]))).toEqual({ statements: 5, roundTrips: 3 });
});

test('a failed statement counts', async () => {
  const { sql, count } = createSqlCounter({ dialect: 'postgres', all: () => Promise.reject(new RangeError('down')) });
  const attempt = async () => {
    await expect(Promise.resolve(sql.all('', []))).rejects.toThrow('down');
  };
  expect(await count(attempt)).toEqual({ statements: 1, roundTrips: 1 });
  expect(await count(attempt)).toEqual({ statements: 1, roundTrips: 1 });
});
