import type { ApiHealthDeps } from '../../api/rest/served-chains.ts';
import { Fault } from '../../base/fault.ts';
import type { TimeEnv } from '../platform/env.ts';

/** Returns a function that rejects with a `TimeoutError` if work takes longer than a number of milliseconds. */
export const createWithTimeout =
  ({ after }: Pick<TimeEnv['timers'], 'after'>): ApiHealthDeps['withTimeout'] =>
  (milliseconds, work) => {
    const { promise, reject } = Promise.withResolvers<never>();
    const cancel = after(milliseconds, () =>
      reject(new TimeoutError(`no answer in ${milliseconds} ms`, { code: 'TIMED_OUT', milliseconds })),
    );
    return Promise.race([work, promise]).finally(cancel);
  };

type TimeoutFault = { code: 'TIMED_OUT'; milliseconds: number };
class TimeoutError extends Fault<TimeoutFault> {}
