import { expect, test } from 'bun:test';
import type { ClusterEnv } from '../cluster-env.ts';
import { isDatabaseBehind, isDatabaseDown, PostgresError } from '../postgres/postgres-fault.ts';
import type { DatabaseConfig } from './database-config.ts';
import type { DatabaseHost, HostState } from './database-host.ts';
import { createHostSelection } from './host-selection.ts';

/** `server`: two addresses of one server have the same. */
type FakeHost = { role: HostState['role']; timeline: number; height: number; isUp: boolean; server: string; isPooled: boolean };

/** Hosts that the test changes, and a clock in milliseconds. */
function createHosts(
  given: { readonly [name: string]: Partial<FakeHost> },
  config: Partial<DatabaseConfig> = {},
  reserve: readonly string[] = [],
  first = 0,
) {
  const states = new Map<string, FakeHost>(
    Object.entries(given).map(([name, state]) => [
      name,
      { role: 'replica', timeline: 0, height: 0, isUp: true, server: name, isPooled: false, ...state },
    ]),
  );
  const stateOf = (name: string) => states.get(name) as FakeHost;
  const down = () => new PostgresError('no answer', { code: 'DATABASE_DOWN', reason: 'test' });
  const hosts = [...states.keys()].map((name) => ({
    name,
    url: name,
    sql: { dialect: 'postgres', all: async () => [stateOf(name).height], groupThen: async () => ({ results: [], last: [] }) },
    probe: async () => {
      const { isUp, height: _, ...state } = stateOf(name);
      if (!isUp) throw down();
      return state;
    },
  })) as unknown as DatabaseHost[];
  let now = 0;
  const lines: string[] = [];
  const env = {
    random: () => new Uint8Array([first]),
    clock: { monotonic: () => now },
    timers: { after: () => () => {} },
    log: (line: string) => void lines.push(line),
  } as unknown as ClusterEnv;
  const [named, direct] = [false, true].map((isReserve) => hosts.filter(({ name }) => reserve.includes(name) === isReserve)) as [
    DatabaseHost[],
    DatabaseHost[],
  ];
  const selection = createHostSelection(named, { readsReplicas: true, maxLag: 1000, ...config } as DatabaseConfig, env, direct);
  selection.setReadPosition(async (sql) => ({ heights: (await sql.all('', [])) as number[], revision: 0 }));
  return {
    selection,
    lines,
    set: (name: string, state: Partial<FakeHost>) => Object.assign(stateOf(name), state),
    wait: (milliseconds: number) => {
      now += milliseconds;
    },
    /** Selects at a height, where `least` was served; returns the host that is read, or why there is none. */
    select: (height = 0, least = height) =>
      selection.select({ heights: [height], revision: 0 }, { heights: [least], revision: 0 }).then(
        () => selection.current()?.name,
        (error) => (isDatabaseBehind(error) ? 'behind' : isDatabaseDown(error) ? 'down' : error),
      ),
  };
}

test('of two hosts that accept writes on one timeline, every process takes the one that is named first', async () => {
  for (const first of [0, 1]) {
    const { select, selection } = createHosts({ a: { role: 'primary', timeline: 2 }, b: { role: 'primary', timeline: 2 } }, {}, [], first);
    await select();
    expect(selection.primary()?.host.name).toBe('a');
  }
});

test('a replica is read before the primary, and the same one as long as it has what was served', async () => {
  const { select, set, selection } = createHosts({ p: { role: 'primary', timeline: 1, height: 5 }, a: { height: 5 }, b: { height: 5 } });
  expect(await select(5)).toBe('a');
  expect(selection.primary()?.host.name).toBe('p');
  set('b', { height: 6 });
  expect([await select(5), selection.changes()]).toEqual(['a', 0]);
  expect([await select(6), selection.changes()]).toEqual(['b', 1]);
  set('a', { height: 7 });
  set('b', { isUp: false });
  expect(await select(7)).toBe('a');
  set('a', { isUp: false });
  expect(await select(5)).toBe('p');
  expect(await select(6)).toBe('behind');
  set('p', { isUp: false });
  expect(await select(0)).toBe('down');
});

test('only the primary is read if the URL says so', async () => {
  const { select, set } = createHosts({ a: { height: 5 }, p: { role: 'primary', timeline: 1, height: 5 } }, { readsReplicas: false });
  expect(await select(5)).toBe('p');
  set('p', { isUp: false });
  expect(await select(5)).toBe('a');
});

test('a replica that is too far behind is left out, named, and read again when it has caught up', async () => {
  const { select, set, wait, selection, lines } = createHosts({ p: { role: 'primary', timeline: 1, height: 1 }, a: { height: 1 } });
  expect(await select()).toBe('a');
  set('p', { height: 2 });
  expect(await select()).toBe('a');
  wait(900);
  set('p', { height: 3 });
  expect(await select()).toBe('a');
  wait(200);
  expect(await select()).toBe('p');
  expect(selection.leftOut()).toEqual(['a is not read: it is a replica 1.1 s behind, at height 1']);
  set('a', { height: 2 });
  expect(await select()).toBe('a');
  expect(selection.leftOut()).toEqual([]);
  expect(lines.filter((line) => !line.startsWith('reading'))).toEqual([
    'a is not read: it is a replica 1.1 s behind, at height 1',
    'a is used again',
  ]);
});

test('a replica that lacks what the primary had when this process was started is left out', async () => {
  const { select, set, selection } = createHosts({ p: { role: 'primary', timeline: 1, height: 9 }, a: { height: 8 } });
  expect(await select()).toBe('p');
  expect(selection.leftOut()).toEqual(['a is not read: it is a replica that has not caught up yet, at height 8']);
  set('a', { height: 9 });
  expect(await select()).toBe('a');
});

test('of two hosts that accept writes the one that was promoted last is the primary, also while it does not answer', async () => {
  const { select, set, selection } = createHosts({ old: { role: 'primary', timeline: 1, height: 9 }, next: { height: 7 } });
  expect(await select(8)).toBe('old');
  set('next', { role: 'primary', timeline: 2 });
  expect(await select(8)).toBe('behind');
  expect(selection.leftOut()).toContain('old is not read: it accepts writes, but another host was promoted; make it a replica of that one');
  // For what no later block changes there is the one that was promoted.
  expect([selection.current(), selection.fullest()?.name]).toEqual([undefined, 'next']);
  set('next', { height: 9 });
  expect([await select(8), selection.primary()?.host.name]).toEqual(['next', 'next']);
  set('next', { isUp: false });
  expect([await select(8), selection.primary()]).toEqual(['behind', undefined]);
});

test('a host that is dropped and selected again is no change: what was read before and after belongs together', async () => {
  const { select, selection, lines } = createHosts({ p: { role: 'primary', timeline: 1, height: 5 }, a: { height: 5 } });
  const read = await select(5);
  for (let i = 0; i < 3; i++) {
    selection.dropCurrent(selection.current() as DatabaseHost);
    expect(selection.current()).toBeUndefined();
    expect(await select(5)).toBe(read);
  }
  expect([selection.changes(), lines]).toEqual([0, [`reading from ${read}`]]);
});

test("while no pooler answers, the servers' own addresses are read; notifications come from there all the time", async () => {
  const primary = { role: 'primary', timeline: 1, server: 'first' } as const;
  const { select, set, selection } = createHosts(
    {
      pooledPrimary: { ...primary, isPooled: true },
      pooledReplica: { server: 'second', isPooled: true },
      primary,
      replica: { server: 'second' },
    },
    {},
    ['primary', 'replica'],
  );
  const roles = () => [selection.primary()?.host.name, selection.primary()?.notifier?.name];
  expect([await select(), ...roles()]).toEqual(['pooledReplica', 'pooledPrimary', 'primary']);
  set('pooledReplica', { isUp: false });
  expect([await select(), ...roles()]).toEqual(['pooledPrimary', 'pooledPrimary', 'primary']);
  expect(selection.leftOut()).toEqual(['pooledReplica is not read: no answer']);
  set('pooledPrimary', { isUp: false });
  expect([await select(), ...roles()]).toEqual(['replica', 'primary', 'primary']);
  set('pooledReplica', { isUp: true });
  expect([await select(), ...roles()]).toEqual(['pooledReplica', 'primary', 'primary']);
  // An address that only this server cannot reach is no trouble while the poolers answer.
  set('replica', { isUp: false });
  expect([await select(), selection.leftOut()]).toEqual(['pooledReplica', ['pooledPrimary is not read: no answer']]);
});

test('a caller who wants a block that no host has takes the host from nobody', async () => {
  const { select, set, selection, lines } = createHosts({
    p: { role: 'primary', timeline: 1, height: 5 },
    a: { height: 5 },
    b: { height: 5 },
  });
  expect(await select(5)).toBe('a');
  set('p', { isUp: false });
  expect([await select(7, 5), selection.current()?.name]).toEqual(['behind', 'a']);
  expect([selection.leftOut(), lines.filter((line) => line.includes('was served'))]).toEqual([['p is not read: no answer'], []]);
  // Another host that has it is read.
  set('b', { height: 7 });
  expect([await select(7, 5), selection.changes()]).toEqual(['b', 1]);
});
