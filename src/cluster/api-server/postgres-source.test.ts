import { expect, test } from 'bun:test';
import type { DatabaseHosts } from '../hosts/database-hosts.ts';
import type { IndexVersion } from './index-version.ts';
import { createHealthComponent } from './postgres-source.ts';

/** The health of a database. `failing`: what does not answer. */
function open({ leftOut = [] as string[], failing = '' } = {}) {
  const asked: string[] = [];
  const answer = (what: string) => async () => {
    asked.push(what);
    if (what === failing) throw new RangeError(`no ${what}`);
  };
  const hosts = { sql: { all: answer('statement') }, leftOut: () => leftOut } as unknown as Pick<DatabaseHosts, 'sql' | 'leftOut'>;
  const version = { read: answer('index') } as unknown as Pick<IndexVersion, 'read'>;
  return { component: createHealthComponent(hosts, version), asked };
}

test('a database is up if it answers a statement and the index can be served from it', async () => {
  const { component, asked } = open();
  await component.probeRead();
  await component.probeWrite?.();
  expect(asked).toEqual(['statement', 'index', 'statement', 'index']);
  for (const failing of ['statement', 'index']) await expect(open({ failing }).component.probeRead()).rejects.toThrow(`no ${failing}`);
});

test('operators see which hosts are not read, and nothing if all are', () => {
  expect(open().component.note?.()).toBeUndefined();
  expect(open({ leftOut: ['a is not read: no answer', 'b is not read: no answer'] }).component.note?.()).toBe(
    'a is not read: no answer; b is not read: no answer',
  );
});
