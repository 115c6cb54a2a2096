import { type ChainClock, maxTime } from '../../base/timing/chain-clock.ts';
import { timeRows } from '../contract/dev-chain-methods.ts';
import { implement } from '../rpc/method.ts';
import { requireParam } from '../rpc/text-params.ts';
import { DevError } from './fault.ts';

/** Methods that read and change the chain's clock. All return the clock as `getTime` does. */
export const timeMethods = implement<{
  readonly clock: ChainClock;
  /** The time of the last accepted block. */
  readonly lastBlockTime: () => bigint;
  /** Tells the reader processes the time. Resolves when they know it. */
  readonly informReaders: () => Promise<void>;
}>()(timeRows, {
  getTime: async ({ clock }) => readTime(clock),
  setTime: {
    run: async ({ clock, informReaders }, { time }) => {
      clock.set(checkTime(requireParam('time', 'time', time), 0n));
      await informReaders();
      return readTime(clock);
    },
    needsWriter: true,
  },
  increaseTime: {
    run: async ({ clock, informReaders }, { seconds }) => {
      const by = requireParam('seconds', 'duration', seconds);
      checkTime(clock.unixSeconds() + by, 0n);
      clock.advance(by);
      await informReaders();
      return readTime(clock);
    },
    needsWriter: true,
  },
  setNextBlockTime: {
    run: async ({ clock, lastBlockTime, informReaders }, { time }) => {
      clock.setNextBlockTime(checkTime(requireParam('time', 'time', time), lastBlockTime()));
      await informReaders();
      return readTime(clock);
    },
    needsWriter: true,
  },
  freezeTime: {
    run: async ({ clock, informReaders }) => {
      clock.freeze();
      await informReaders();
      return readTime(clock);
    },
    needsWriter: true,
  },
  resetTime: {
    run: async ({ clock, informReaders }) => {
      clock.reset();
      await informReaders();
      return readTime(clock);
    },
    needsWriter: true,
  },
});

function readTime(clock: ChainClock) {
  const { time, offset, isFrozen } = clock.read();
  return { time: String(time), offset: String(offset), frozen: isFrozen };
}

function checkTime(time: bigint, min: bigint): bigint {
  if (time >= min && time <= maxTime) return time;
  const limit = time < min ? `the last block is at ${min}, and block times never decrease` : 'the latest time is the end of the year 9999';
  throw new DevError(`the time ${time} is not allowed: ${limit}`, {
    code: 'DEV_BAD_TIME',
    time: String(time),
    min: String(min),
    max: String(maxTime),
  });
}
