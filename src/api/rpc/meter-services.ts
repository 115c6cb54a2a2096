import type { BoundMethod, Services } from './method.ts';

/** Records each call of one method: its duration and whether it failed. */
type MethodMeter = { record(seconds: number, isError: boolean): void };

/**
 * Returns the services with every call recorded. Meters are created here, once per method, so a call costs only two clock reads.
 * `now`: seconds of a monotonic clock. A call is timed from reading its parameters to its result.
 */
export function meterServices(services: Services, meterOf: (method: string) => MethodMeter, now: () => number): Services {
  const methods = [...services.methods].map(([name, method]): [string, BoundMethod] => [name, meterMethod(method, meterOf(name), now)]);
  return { ...services, methods: new Map(methods) };
}

function meterMethod(method: BoundMethod, meter: MethodMeter, now: () => number): BoundMethod {
  const failed = (start: number, error: unknown): never => {
    meter.record(now() - start, true);
    throw error;
  };
  const succeeded = <T>(start: number, result: T): T => {
    meter.record(now() - start, false);
    return result;
  };
  return {
    needsWriter: method.needsWriter,
    paramNames: method.paramNames,
    readParams(params) {
      const start = now();
      try {
        return { start, params: method.readParams(params) } satisfies TimedParams;
      } catch (error) {
        return failed(start, error);
      }
    },
    run(timedParams) {
      const { start, params } = timedParams as TimedParams;
      try {
        const result = method.run(params);
        if (!(result instanceof Promise)) return succeeded(start, result);
        return result.then(
          (value) => succeeded(start, value),
          (error: unknown) => failed(start, error),
        );
      } catch (error) {
        return failed(start, error);
      }
    },
  };
}

/** Parameters that `readParams` passes to `run`, with the start time of the call. */
type TimedParams = { readonly start: number; readonly params: unknown };
