import { expect, test } from 'bun:test';
import { describePosition, isAtLeast, joinPositions, type ReadPosition, startPosition } from './read-position.ts';
import { createReplicaLag } from './replica-lag.ts';
import { createServedPosition, noServedPosition } from './served-position.ts';

const at = (revision: number, ...heights: readonly number[]): ReadPosition => ({ heights, revision });

test('a server is at a position if it has every height of it and the revision', () => {
  expect([isAtLeast(at(2, 5, 7), at(2, 5, 7)), isAtLeast(at(2, 5, 7), at(1, 5)), isAtLeast(at(0), startPosition)]).toEqual([
    true,
    true,
    true,
  ]);
  expect([isAtLeast(at(1, 5, 7), at(2, 5, 7)), isAtLeast(at(2, 5, 6), at(2, 5, 7)), isAtLeast(at(2, 5), at(2, 5, 1))]).toEqual([
    false,
    false,
    false,
  ]);
  expect(isAtLeast(at(0, 5), at(0, 5, 0))).toBe(true);
});

test('two positions are joined number by number', () => {
  expect(joinPositions(at(3, 5), at(2, 4, 7))).toEqual(at(3, 5, 7));
  expect(joinPositions(at(1, 4, 7), at(2, 5))).toEqual(at(2, 5, 7));
  expect(joinPositions(startPosition, startPosition)).toEqual(startPosition);
  expect(describePosition(at(3, 5, 7))).toBe('height 5, 7');
});

test('a replica is behind for as long as the primary has had what it lacks', () => {
  let now = 0;
  const lag = createReplicaLag(() => now);
  expect(lag.of(at(0, 1))).toBe(0);
  lag.add(at(0, 5));
  // How long the primary has had its first position is not known.
  expect([lag.of(at(0, 5)), lag.of(at(0, 4))]).toEqual([0, Number.POSITIVE_INFINITY]);
  now = 1000;
  lag.add(at(0, 6));
  now = 1500;
  // What is not new is no sample.
  lag.add(at(0, 6));
  lag.add(at(1, 6));
  now = 2000;
  expect([lag.of(at(1, 6)), lag.of(at(0, 6)), lag.of(at(0, 5))]).toEqual([0, 500, 1000]);
  // The primary has lost commits: what it still has is a measure, at once.
  lag.add(at(0, 6));
  expect([lag.of(at(0, 6)), lag.of(at(0, 5)), lag.of(at(0, 4))]).toEqual([0, 1000, Number.POSITIVE_INFINITY]);
  lag.add(at(0, 9));
  now = 2200;
  lag.add(at(0, 8));
  expect([lag.of(at(0, 8)), lag.of(at(0, 7))]).toEqual([0, 200]);
  lag.add(at(0, 3));
  expect([lag.of(at(0, 3)), lag.of(at(0, 2))]).toEqual([0, Number.POSITIVE_INFINITY]);
});

test('4,000 positions of the primary are remembered', () => {
  let now = 0;
  const lag = createReplicaLag(() => now);
  for (let height = 0; height <= 3999; height++) {
    now = height;
    lag.add(at(0, height));
  }
  expect(lag.of(at(0, -1))).toBe(Number.POSITIVE_INFINITY);
  now = 4000;
  lag.add(at(0, 4000));
  expect(lag.of(at(0, -1))).toBe(3999);
});

/** Redis with the commands that the module uses. */
function openRedis() {
  const scores = new Map<string, number>();
  const sent: string[] = [];
  const state = { isDown: false };
  const send = async (command: string, [key, ...args]: readonly string[]): Promise<unknown> => {
    if (state.isDown) throw new Error('down');
    sent.push(`${command} ${key}${command === 'EXPIRE' ? ` ${args[0]}` : ''}`);
    if (command === 'ZADD')
      for (let i = 1; i < args.length; i += 2) {
        const [score, member] = [Number(args[i]), args[i + 1] as string];
        if (args[0] === 'GT' && score > (scores.get(member) ?? Number.NEGATIVE_INFINITY)) scores.set(member, score);
      }
    return command === 'ZMSCORE' ? args.map((member) => scores.get(member)?.toString() ?? null) : 1;
  };
  return { redis: { send } as unknown as Parameters<typeof createServedPosition>[0], scores, sent, state };
}

test('the highest position that any server has served is shared', async () => {
  const { redis, scores, sent, state } = openRedis();
  const [one, other] = [createServedPosition(redis, 'db'), createServedPosition(redis, 'db')];
  await one.record(at(2, 5, 7));
  expect([...scores]).toEqual([
    ['height 0', 5],
    ['height 1', 7],
    ['revision', 2],
  ]);
  expect(sent).toEqual(['ZADD serac:served:db', 'EXPIRE serac:served:db 86400']);
  expect(await other.share(at(3, 4, 8))).toEqual(at(3, 5, 8));
  // A number that Redis does not have, or that is none, is 0.
  scores.delete('height 1');
  scores.set('height 0', 1e300);
  expect(await other.share(at(0, 0, -5))).toEqual(at(3, 0, -5));
  state.isDown = true;
  await one.record(at(9, 9));
  expect(await one.share(at(9, 9))).toEqual(startPosition);
  expect([await noServedPosition.record(at(9)), await noServedPosition.share(at(9))]).toEqual([undefined, startPosition]);
});
