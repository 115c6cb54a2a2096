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

test('a failed statement counts', async () => {
  const { sql, count } = createSqlCounter({ dialect: 'postgres', all: () => Promise.reject(new RangeError('down')) });
  const attempt = async () => {
    await expect(Promise.resolve(sql.all('', []))).rejects.toThrow('down');
  };
  expect(await count(attempt)).toEqual({ statements: 1, roundTrips: 1 });
  expect(await count(attempt)).toEqual({ statements: 1, roundTrips: 1 });
});
