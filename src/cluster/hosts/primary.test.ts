import { expect, test } from 'bun:test';
import type { AnyFault } from '../../base/fault.ts';
import { PostgresError } from '../postgres/postgres-fault.ts';
import type { DatabaseHost, HostState } from './database-host.ts';
import { createPrimaryChoice, createPrimaryFinder, probeHosts } from './primary.ts';

const stateOf = (role: HostState['role'], timeline = 0): HostState => ({
  role,
  timeline,
  server: 's',
  isPooled: false,
  dialect: 'postgres',
});
const hostOf = (name: string, probe: () => HostState): DatabaseHost =>
  ({ name: `PostgreSQL at ${name}`, probe: async () => probe() }) as unknown as DatabaseHost;
const down = (name: string) => () => {
  throw new PostgresError(`PostgreSQL at ${name}: connection refused`, { code: 'DATABASE_DOWN', reason: 'test' });
};

test('every host is asked; one that does not answer has its error', async () => {
  const [a, b] = [hostOf('a', () => stateOf('primary', 1)), hostOf('b', down('b'))];
  expect(await probeHosts([a, b])).toEqual([
    { host: a, state: stateOf('primary', 1) },
    { host: b, error: expect.objectContaining({ message: 'PostgreSQL at b: connection refused' }) },
  ]);
});

test('of several primaries the one with the highest timeline is chosen, of two addresses of one server the first', () => {
  const choose = createPrimaryChoice();
  const probed = (name: string, state: HostState) => ({ host: hostOf(name, () => state), state });
  const [old, replica, first, second] = [
    probed('old', stateOf('primary', 3)),
    probed('replica', stateOf('replica', 0)),
    probed('first', stateOf('primary', 4)),
    probed('second', stateOf('primary', 4)),
  ];
  expect(choose([replica])).toBeUndefined();
  expect(choose([old, replica, first, second])).toBe(first);
  // The former primary is back, and the new one is away.
  expect(choose([old, replica])).toBeUndefined();
  expect(choose([second, old])).toBe(second);
});

test('a failed host is never the primary', () => {
  expect(createPrimaryChoice()([{ host: hostOf('a', down('a')), error: new Error('x') }])).toBeUndefined();
});

test('without a primary the error says what each host is; a lone host has its own error', async () => {
  let role: HostState['role'] = 'replica';
  const find = createPrimaryFinder([hostOf('a', () => stateOf(role, role === 'primary' ? 1 : 0)), hostOf('b', down('b'))]);
  const error = (await find().catch((reason: unknown) => reason)) as AnyFault;
  expect(error.fault as object).toEqual({ code: 'DATABASE_DOWN', reason: 'no primary' });
  expect(error.message).toBe('PostgreSQL has no primary now: a is a replica; connection refused (b)');
  role = 'primary';
  expect((await find()).state).toEqual(stateOf('primary', 1));
  await expect(createPrimaryFinder([hostOf('b', down('b'))])()).rejects.toThrow('PostgreSQL at b: connection refused');
  const lone = createPrimaryFinder([hostOf('a', () => stateOf('replica'))]);
  await expect(lone()).rejects.toThrow('PostgreSQL has no primary now: a is a replica');
});
