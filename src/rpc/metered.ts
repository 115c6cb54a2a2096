import type { Call, Services } from './method.ts';

/** Told of every call of one method: how long it took, and whether it ended in an error. */
export type CallMeter = { done(seconds: number, isError: boolean): void };

/**
 * The same services, each call counted. Meters are taken here, once per method; a call then costs two looks at the clock.
 * `now` counts seconds from any point. A call is timed from reading its parameters to its answer.
 */
export function metered(services: Services, meterOf: (method: string) => CallMeter, now: () => number): Services {
  const calls = [...services.calls].map(([method, call]): [string, Call] => [method, meteredCall(call, meterOf(method), now)]);
  return { ...services, calls: new Map(calls) };
}

function meteredCall(call: Call, meter: CallMeter, now: () => number): Call {
  const failed = (start: number, error: unknown): never => {
    meter.done(now() - start, true);
    throw error;
  };
  const succeeded = <T>(start: number, answer: T): T => {
    meter.done(now() - start, false);
    return answer;
  };
  return {
    writer: call.writer,
    params: call.params,
    read(params) {
      const start = now();
      try {
        return { start, given: call.read(params) } satisfies Timed;
      } catch (error) {
        return failed(start, error);
      }
    },
    run(params) {
      const { start, given } = params as Timed;
      try {
        const answer = call.run(given);
        if (!(answer instanceof Promise)) return succeeded(start, answer);
        return answer.then(
          (value) => succeeded(start, value),
          (error: unknown) => failed(start, error),
        );
      } catch (error) {
        return failed(start, error);
      }
    },
  };
}

/** Parameters on their way from `read` to `run`, with the time they set out. */
type Timed = { readonly start: number; readonly given: unknown };
