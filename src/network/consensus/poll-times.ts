import type { Timers } from '../../base/timing/timers.ts';
import type { PollEnd } from '../snowman/poll.ts';
import type { EngineCounters } from './counters.ts';

/** When each open poll began; counts ended polls and how long they were open. */
type PollTimes = {
  readonly opened: (requestId: number) => void;
  readonly ended: (requestId: number, end: PollEnd) => void;
};

export function createPollTimes(timers: Pick<Timers, 'now'>, counters: Pick<EngineCounters, 'polls'>): PollTimes {
  const starts = new Map<number, number>();
  return {
    opened: (requestId) => void starts.set(requestId, timers.now()),
    ended: (requestId, end) => {
      const now = timers.now();
      const row = counters.polls[end];
      row.count++;
      row.duration += now - (starts.get(requestId) ?? now);
      starts.delete(requestId);
    },
  };
}
