import { expect, test } from 'bun:test';
import { Fault } from '../../base/fault.ts';
import { createVirtualClock } from '../../base/timing/virtual-timing.fixture.ts';
import { joinPositions, type ReadPosition, startPosition } from '../hosts/read-position.ts';
import { createServedState } from './served-state.ts';

const at = (height: number, revision = 0): ReadPosition => ({ heights: [height], revision });

/** The floor on hosts whose states a test gives: `host` is read now, `other` after another one was selected. */
function open({
  host,
  other = host,
  shared = startPosition,
  isPrimary = false,
  share = async () => {},
}: Record<'host', () => object> & { other?: () => object; shared?: ReadPosition; isPrimary?: boolean; share?: () => Promise<void> }) {
  const clock = createVirtualClock(0);
  const [selected, recorded]: ReadPosition[][] = [[], []] as never;
  const state = () => (selected!.length > 0 ? other() : host());
  const query = { read: async () => state(), stateOf: (rows: readonly unknown[]) => rows[0] };
  const sql = { groupThen: async () => ({ results: ['result'], last: [state()] }) };
  const served = createServedState({
    hosts: {
      sql,
      settledSql: sql,
      select: async (wanted: ReadPosition) => void selected!.push(wanted),
      changes: () => 5,
      readsPrimary: () => isPrimary,
    } as never,
    query: query as never,
    timers: clock,
    now: clock.now,
    served: {
      record: (position) => {
        recorded!.push(position);
        return share();
      },
      share: async () => shared,
    },
    lowest: at(0),
  });
  /** Lets time pass until a promise has settled. */
  const settle = async <T>(promise: Promise<T>): Promise<T | string> => {
    let result: { value: T | string } | undefined;
    promise.then(
      (value) => {
        result = { value };
      },
      (error: unknown) => {
        if (!(error instanceof Fault)) throw error;
        result = { value: (error.fault as { code: string }).code };
      },
    );
    for (let turn = 0; result === undefined && turn < 200; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
      clock.advance(10);
    }
    return (result as { value: T | string }).value;
  };
  return { served, clock, selected: selected as ReadPosition[], recorded: recorded as ReadPosition[], settle };
}

const stateAt = (position: ReadPosition, more: object = {}) => ({ position, server: 1, writer: 7, ...more });

test('the floor rises with what is read, is shared first, and never falls', async () => {
  let height = 5;
  const { served, recorded, settle } = open({ host: () => stateAt(at(height, 1)) });
  expect(served.floor()).toEqual(at(0));
  expect(await settle(served.readWith([]))).toEqual({ results: ['result'], state: stateAt(at(5, 1)) } as never);
  expect([served.floor(), recorded]).toEqual([at(5, 1), [at(5, 1)]]);
  // As high as before: nothing is shared again.
  await settle(served.readWith([]));
  expect(recorded).toHaveLength(1);
  height = 4;
  expect(await settle(served.readWith([]))).toBe('DATABASE_BEHIND');
  expect(served.floor()).toEqual(at(5, 1));
});

test('a replica that is behind is waited for, and read when it has caught up', async () => {
  let height = 9;
  const { served, clock, selected, settle } = open({ host: () => stateAt(at(height)) });
  await settle(served.readWith([]));
  height = 8;
  clock.after(100, () => {
    height = 9;
  });
  expect(await settle(served.readWith([]))).toMatchObject({ state: { position: at(9) } });
  expect(selected).toEqual([]);
});

test('no reader gets what it has read before the floor is shared, whichever of two reads has raised it', async () => {
  let height = 5;
  const shares: PromiseWithResolvers<void>[] = [];
  const { served, recorded } = open({
    host: () => stateAt(at(height)),
    share: () => {
      const one = Promise.withResolvers<void>();
      shares.push(one);
      return one.promise;
    },
  });
  const answered: string[] = [];
  const read = async (name: string): Promise<void> => {
    await served.readWith([]);
    answered.push(name);
  };
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const reads = [read('raises to 5'), read('has 5')];
  await turn();
  height = 6;
  reads.push(read('raises to 6'));
  await turn();
  expect([answered, recorded]).toEqual([[], [at(5), at(6)]]);
  shares[0]?.resolve();
  await turn();
  reads.push(read('has 6'));
  await turn();
  expect(answered).not.toContain('raises to 6');
  expect(answered).not.toContain('has 6');
  shares[1]?.resolve();
  await Promise.all(reads);
  expect(recorded).toHaveLength(2);
});

test('a host that goes back after it had caught up is an error, not an older answer', async () => {
  const heights = [9, 8, 9, 8];
  const { served, settle } = open({ host: () => stateAt(at(heights.shift() ?? 8)) });
  await settle(served.readWith([]));
  expect(await settle(served.readWith([]))).toBe('DATABASE_BEHIND');
  expect(heights).toEqual([]);
});

test('another host must have what is asked for and all that was served before', async () => {
  const { served, selected, settle } = open({ host: () => stateAt(at(9, 3)), other: () => stateAt(at(10, 3)) });
  await settle(served.readWith([]));
  expect(await settle(served.reach(at(10)))).toEqual(stateAt(at(10, 3)) as never);
  expect(selected).toEqual([at(10, 3)]);
});

test('a replica that stays behind is left for another host', async () => {
  const { served, selected, settle } = open({ host: () => stateAt(at(3)), other: () => stateAt(at(6)) });
  expect(await settle(served.reach(at(6)))).toEqual(stateAt(at(6)) as never);
  expect(selected).toEqual([at(6)]);
  expect(served.floor()).toEqual(at(6));
});

test('the primary has all there is: it is not waited for', async () => {
  const { served, clock, settle } = open({ host: () => stateAt(at(3)), isPrimary: true });
  expect(await settle(served.waitForHost(at(6), 10_000))).toEqual(stateAt(at(3)) as never);
  expect(clock.now()).toBeLessThan(100);
});

test('a host is waited for no longer than asked', async () => {
  const { served, clock, settle } = open({ host: () => stateAt(at(3)) });
  expect(await settle(served.waitForHost(at(6), 500))).toEqual(stateAt(at(3)) as never);
  expect(clock.now()).toBeGreaterThan(500);
  expect(clock.now()).toBeLessThan(700);
});

test('floors of other servers are taken over', async () => {
  const shared = joinPositions(at(8), at(0, 3));
  const { served, settle } = open({ host: () => stateAt(at(8, 3)), shared });
  expect(await settle(served.exchange())).toBe(true);
  expect(served.floor()).toEqual(at(8, 3));
  expect(await settle(served.exchange())).toBe(false);
});

test('settled reads need the height they ask for and all that was backfilled', async () => {
  let state = stateAt(at(5, 2));
  const { served, settle } = open({ host: () => state });
  expect(await settle(served.settled.atLeast(5))).toBeUndefined();
  expect(await settle(served.settled.atLeast(6))).toBe('DATABASE_BEHIND');
  await settle(served.settled.read([]));
  expect(served.floor()).toEqual(at(5, 2));
  state = stateAt(at(9, 1));
  expect(await settle(served.settled.atLeast(5))).toBe('DATABASE_BEHIND');
});

test('a failover behind one name counts as a change, and another indexer is seen', async () => {
  let server = 1;
  const { served, settle } = open({ host: () => stateAt(at(1), { server, writer: 40 + server }) });
  expect([served.changes(), served.writer()]).toEqual([5, 0]);
  await settle(served.readWith([]));
  expect([served.changes(), served.writer()]).toEqual([5, 41]);
  server = 2;
  await settle(served.readWith([]));
  expect([served.changes(), served.writer()]).toEqual([6, 42]);
  await settle(served.settled.read([]));
  expect(served.changes()).toBe(6);
});
