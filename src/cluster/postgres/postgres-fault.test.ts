import { expect, test } from 'bun:test';
import {
  databaseName,
  isDatabaseBehind,
  isDatabaseDown,
  isServerAnswer,
  PostgresError,
  timeoutError,
  toPostgresFault,
  withoutPrefix,
} from './postgres-fault.ts';

/** An error as the driver throws it; `state` is the SQLSTATE of an answer of the server. */
const driverError = (message: string | undefined, code: string, state?: string) => ({ name: 'PostgresError', message, code, errno: state });
const answer = (state: string) => driverError('words of the server', 'ERR_POSTGRES_SERVER_ERROR', state);
const faultOf = (cause: unknown) => {
  const error = toPostgresFault(cause, 'db:5432') as PostgresError;
  return [error.message, error.fault.code, error.fault.reason];
};

test('what the server refused is not tried again; what may pass is', () => {
  const text = 'PostgreSQL at db:5432: words of the server';
  for (const state of ['42601', '22003', '23505', '25001']) expect(faultOf(answer(state))).toEqual([text, 'DATABASE_REFUSED', state]);
  for (const state of ['08006', '25006', '40P01', '53300', '57014', '58030'])
    expect(faultOf(answer(state))).toEqual([text, 'DATABASE_DOWN', state]);
  expect(faultOf(driverError('closed', 'ERR_POSTGRES_CONNECTION_CLOSED'))).toEqual([
    'PostgreSQL at db:5432: closed',
    'DATABASE_DOWN',
    'ERR_POSTGRES_CONNECTION_CLOSED',
  ]);
  expect(faultOf(driverError(undefined, 'ERR_X'))[0]).toBe('PostgreSQL at db:5432: ERR_X');
  expect(faultOf({ name: 'PostgresError', message: 'x', errno: 7 })).toEqual(['PostgreSQL at db:5432: x', 'DATABASE_DOWN', 'unknown']);
  const cause = answer('42601');
  expect((toPostgresFault(cause, 'x') as Error).cause).toBe(cause);
});

test('errors that are not of the driver stay as they are', () => {
  const own = new PostgresError('x', { code: 'DATABASE_BEHIND', reason: 'y' });
  for (const cause of [new TypeError('x'), own, {}]) expect(toPostgresFault(cause, 'db')).toBe(cause);
});

test('an error says whether the database is away or behind', () => {
  const [down, behind] = [timeoutError(500, 'db:1', true), new PostgresError('x', { code: 'DATABASE_BEHIND', reason: 'y' })];
  expect([down.message, down.fault.reason]).toEqual(['PostgreSQL at db:1: no answer within 500 ms', 'no answer']);
  expect([down, behind, new Error('x')].map((error) => [isDatabaseDown(error), isDatabaseBehind(error)])).toEqual([
    [true, false],
    [false, true],
    [false, false],
  ]);
  expect([answer('1'), driverError('x', 'ERR_X'), undefined].map(isServerAnswer)).toEqual([true, false, false]);
});

test('a database is named without its password, and once in a line', () => {
  const name = databaseName('postgres://user:secret@db:5432/chain');
  expect([name.startsWith('PostgreSQL at '), name.includes('db:5432'), name.includes('secret')]).toEqual([true, true, false]);
  expect([withoutPrefix(`${name}: gone`, name), withoutPrefix('gone', name), withoutPrefix(`${name} gone`, name)]).toEqual([
    'gone',
    'gone',
    `${name} gone`,
  ]);
});
