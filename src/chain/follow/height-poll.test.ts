import { expect, test } from 'bun:test';
import { createVirtualClock, settle } from '../../base/timing/virtual-timing.fixture.ts';
import { invalidResponse, noResponse, stopped } from './fault.ts';
import { startHeightPoll } from './height-poll.ts';

/** A poll of a node that answers, or fails, as `answer` says. `times`: of the questions. */
function open(answer: () => bigint | Promise<bigint>, onHeight: (height: bigint) => boolean = () => false) {
  const clock = createVirtualClock(0);
  const [times, errors]: [number[], unknown[]] = [[], []];
  const poll = startHeightPoll({
    remote: {
      height: async () => {
        times.push(clock.now());
        return answer();
      },
    } as never,
    timing: { ...clock, random: () => 1 } as never,
    onHeight,
    onError: (error) => errors.push(error),
  });
  /** Lets time pass in steps of 10 ms. */
  const pass = async (milliseconds: number): Promise<void> => {
    await settle();
    for (let passed = 0; passed < milliseconds; passed += 10) {
      clock.advance(10);
      await settle();
    }
  };
  return { clock, times, errors, poll, pass };
}

const fail = (error: unknown) => () => {
  throw error;
};

test('the height is asked for at once and every 150 ms, and every second while blocks are still to be requested', async () => {
  const heights: bigint[] = [];
  const live = open(
    () => 7n,
    (height) => heights.push(height) < 0,
  );
  await live.pass(500);
  expect(live.times).toEqual([0, 150, 300, 450]);
  expect(heights).toEqual([7n, 7n, 7n, 7n]);
  const busy = open(
    () => 7n,
    () => true,
  );
  await busy.pass(2500);
  expect(busy.times).toEqual([0, 1000, 2000]);
});

test('the wait of a busy follower ends early, but no earlier than that of one at the tip', async () => {
  const { times, poll, pass } = open(
    () => 7n,
    () => true,
  );
  await pass(50);
  poll.hurry();
  poll.hurry();
  await pass(200);
  expect(times).toEqual([0, 150]);
  await pass(300);
  poll.hurry();
  await pass(20);
  expect(times).toEqual([0, 150, 550]);
});

test('a node that answers slowly is asked less often', async () => {
  const clocks: (() => void)[] = [];
  const { times, clock, pass } = open(() => new Promise<bigint>((resolve) => clocks.push(() => resolve(7n))));
  await pass(400);
  clocks[0]?.();
  await pass(390);
  expect(times).toEqual([0]);
  await pass(20);
  expect(times).toEqual([0, 800]);
  expect(clock.now()).toBe(810);
});

test('a failed poll is repeated after longer and longer pauses; a wrong node is asked every two seconds', async () => {
  const silent = open(fail(noResponse('avm.getHeight', 'test')));
  await silent.pass(400);
  expect(silent.times).toEqual([0, 50, 150, 350]);
  expect(silent.errors).toHaveLength(4);
  const nonsense = open(fail(invalidResponse('avm.getHeight', 'test')));
  await nonsense.pass(60);
  expect(nonsense.times).toEqual([0, 50]);
  const other = open(fail(stopped()));
  await other.pass(2100);
  expect(other.times).toEqual([0, 2000]);
});

test('after it was stopped nothing is asked and nothing told', async () => {
  const heights: bigint[] = [];
  const { times, errors, poll, pass } = open(
    () => 7n,
    (height) => heights.push(height) < 0,
  );
  poll.stop();
  await pass(500);
  expect([times, heights, errors]).toEqual([[0], [], []]);
  const failing = open(fail(noResponse('avm.getHeight', 'test')));
  failing.poll.stop();
  await failing.pass(500);
  expect([failing.times, failing.errors]).toEqual([[0], []]);
});
