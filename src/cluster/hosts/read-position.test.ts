import { describe, expect, test } from 'bun:test';
import { dividedTables, shardOf } from '../../ledger/index/distribution.ts';
import { statementGroups } from '../postgres/statement-groups.ts';
import { describePosition, isAtLeast, joinPositions, type ReadPosition, startPosition } from './read-position.ts';
import { createReplicaLag } from './replica-lag.ts';
import { createServedPosition, noServedPosition } from './served-position.ts';

const at = (revision: number, ...heights: number[]): ReadPosition => ({ heights, revision });

describe('positions', () => {
  test('one has all of another if no number is smaller', () => {
    expect([isAtLeast(at(1, 5, 5), at(1, 5, 5)), isAtLeast(at(1, 5, 4), at(1, 5, 5)), isAtLeast(at(0, 5, 5), at(1, 5, 5))]).toEqual([
      true,
      false,
      false,
    ]);
    expect([isAtLeast(at(1, 5), at(1, 5, 1)), isAtLeast(at(1, 5), at(1, 5, 0)), isAtLeast(at(1, 5, 9), at(1, 5))]).toEqual([
      false,
      true,
      true,
    ]);
    expect(isAtLeast(startPosition, startPosition)).toBe(true);
  });

  test('joined have the larger of each number', () => {
    expect(joinPositions(at(1, 5, 9), at(2, 7))).toEqual(at(2, 7, 9));
    expect(joinPositions(at(3, 1), at(2, 1, 4))).toEqual(at(3, 1, 4));
    expect([describePosition(at(1, 5, 9)), describePosition(at(1, 5))]).toEqual(['height 5, 9', 'height 5']);
  });
});

describe('the lag of a replica', () => {
  const create = () => {
    let time = 0;
    const lag = createReplicaLag(() => time);
    const later = (now: number): void => {
      time = now;
    };
    const at = (now: number, position: ReadPosition): void => {
      later(now);
      lag.add(position);
    };
    return { ...lag, at, later };
  };

  test('is since the primary had the first thing that it lacks; infinite if it was there at first', () => {
    const lag = create();
    lag.at(0, at(0, 10));
    lag.at(100, at(0, 11));
    lag.at(200, at(0, 11));
    lag.at(300, at(1, 11));
    lag.later(1000);
    expect([lag.of(at(1, 11)), lag.of(at(0, 11)), lag.of(at(0, 10)), lag.of(at(0, 9))]).toEqual([0, 700, 900, Number.POSITIVE_INFINITY]);
    expect(create().of(startPosition)).toBe(0);
  });

  test('after the primary has lost commits, what it still has counts from the time at which it had it', () => {
    const lag = create();
    lag.at(0, at(0, 10));
    lag.at(100, at(0, 12));
    lag.at(200, at(0, 14));
    lag.at(300, at(0, 11));
    lag.later(1000);
    expect([lag.of(at(0, 11)), lag.of(at(0, 10))]).toEqual([0, 900]);
  });

  test('the last 4,000 positions are known', () => {
    const lag = create();
    for (let i = 0; i <= 4000; i++) lag.at(i, at(0, i));
    expect([lag.of(at(0, 0)), lag.of(at(0, 1)), lag.of(at(0, -1))]).toEqual([3999, 3998, 3999]);
  });
});

describe('the served position of all API servers', () => {
  const create = (answers: { readonly [command: string]: unknown } = {}) => {
    const sent: string[] = [];
    const send = async (command: string, args: readonly string[]): Promise<unknown> => {
      sent.push([command, ...args].join(' '));
      const answer = answers[command];
      if (answer instanceof Error) throw answer;
      return answer;
    };
    return { sent, ...createServedPosition({ send } as never, 'db') };
  };

  test('is raised, and kept for a day', async () => {
    const { record, sent } = create();
    await record(at(3, 5, 9));
    expect(sent).toEqual(['ZADD serac:served:db GT 5 height 0 9 height 1 3 revision', 'EXPIRE serac:served:db 86400']);
  });

  test('is read after the own one was recorded; what is no number is 0', async () => {
    const { share, sent } = create({ ZMSCORE: ['7', null, '4'] });
    expect([await share(at(3, 5, 9)), sent.at(-1)]).toEqual([at(4, 7, 0), 'ZMSCORE serac:served:db height 0 height 1 revision']);
    expect(await create({ ZMSCORE: ['1e400', '2'] }).share(at(0, 1))).toEqual(at(2, 0));
  });

  test('is nothing without Redis, or if it does not answer', async () => {
    const failure = new TypeError('down');
    expect(await create({ ZADD: failure, ZMSCORE: failure }).share(at(3, 5))).toEqual(startPosition);
    expect(await create({ ZMSCORE: 'nonsense' }).share(at(3, 5))).toEqual(startPosition);
    expect([await noServedPosition.share(at(3, 5)), await noServedPosition.record(at(3, 5))]).toEqual([startPosition, undefined]);
  });
});

describe('statements that are joined', () => {
  const table = dividedTables[0] as string;
  const address = (byte: number): Uint8Array => new Uint8Array(20).fill(byte);
  const queries = Array.from({ length: 30 }, (_, i) => ({ values: [i, address(i), i] }));

  test('on PostgreSQL all of one text are one group', () => {
    const groups = statementGroups.postgres(`SELECT ? FROM ${table} WHERE address = ?`);
    expect([groups.groupsOf(queries), groups.key, groups.keyArrays, groups.nameValues((i) => `$${i + 1}`)]).toEqual([
      [queries],
      undefined,
      0,
      `SELECT $1 FROM ${table} WHERE address = $2`,
    ]);
  });

  test('on Citus those of one shard are, with a list of their keys in the text', () => {
    const groups = statementGroups.citus(`SELECT ? FROM ${table} h WHERE h.address = ? AND seq > ?`);
    expect([groups.key, groups.keyArrays]).toEqual([1, 1]);
    expect(groups.nameValues((i) => `$${i + 1}`)).toBe(
      `SELECT $1 FROM ${table} h WHERE h.address = $2 AND h.address = ANY(CAST(? AS bytea[])) AND seq > $3`,
    );
    const found = groups.groupsOf(queries);
    expect([found.flat().length, found.length > 1]).toEqual([30, true]);
    for (const group of found) expect(new Set(group.map(({ values }) => shardOf(values[1] as Uint8Array))).size).toBe(1);
    const twice = statementGroups.citus(`SELECT 1 FROM ${table} WHERE subject = ? UNION SELECT 2 FROM ${table} WHERE subject = ?`);
    expect([twice.key, twice.keyArrays]).toEqual([0, 2]);
  });

  test('on Citus a text without a divided table is joined, one without a key or of a list of rows is not', () => {
    expect(statementGroups.citus('SELECT ? FROM other WHERE address = ?').groupsOf(queries)).toEqual([queries]);
    for (const text of [`SELECT ? FROM ${table} WHERE height = ?`, `WITH k(a) AS (?) SELECT 1 FROM ${table} WHERE address = ?`]) {
      const { groupsOf, key } = statementGroups.citus(text);
      expect([groupsOf(queries).length, key]).toEqual([30, undefined]);
    }
  });
});
