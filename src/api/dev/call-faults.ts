import { findNearestName } from '../../base/bytes/nearest-name.ts';
import type { OrderedFaultJson } from '../contract/dev-chain-methods.ts';
import type { BoundMethod, Services } from '../rpc/method.ts';
import type { Json } from '../rpc/write-json.ts';
import { DevError } from './fault.ts';

export type CallFaults = ReturnType<typeof createCallFaults>;

/** Milliseconds, number of calls, number of methods, and calls that are delayed at once. */
const faultLimits = { latency: 20_000, times: 1_000_000, methods: 100, delayed: 10_000, message: 1000 } as const;

/** Delays and failures of JSON-RPC calls that a developer has ordered. `onChange` is called when what is ordered has changed. */
export function createCallFaults(after: (ms: number, run: () => void) => unknown, onChange: () => void) {
  const names = new Set<string>();
  const latencies = new Map<string, number>();
  const failures = new Map<string, { left: number; readonly message: string }>();
  let latencyOfAll = 0;
  let delayed = 0;
  let isActive = false;

  const update = (): void => {
    isActive = latencyOfAll > 0 || latencies.size > 0 || failures.size > 0;
    onChange();
  };

  const checkMethod = (method: string, table: ReadonlyMap<string, unknown>): void => {
    if (!names.has(method)) {
      const didYouMean = findNearestName(method, [...names]);
      throw new DevError(`there is no method ${JSON.stringify(method)} that can be delayed or fail`, {
        code: 'DEV_UNKNOWN_METHOD',
        method,
        didYouMean,
      });
    }
    if (table.size >= faultLimits.methods && !table.has(method)) throw overLimit('methods', faultLimits.methods);
  };

  const throwIfOrdered = (method: string): void => {
    const failure = failures.get(method);
    if (failure === undefined) return;
    failure.left--;
    if (failure.left === 0) failures.delete(method);
    update();
    throw new DevError(failure.message, { code: 'DEV_ORDERED_FAILURE', method });
  };

  const run = async (name: string, method: BoundMethod, params: unknown): Promise<Json> => {
    const latency = latencies.get(name) ?? latencyOfAll;
    if (latency > 0) {
      if (delayed >= faultLimits.delayed) throw overLimit('delayed calls', faultLimits.delayed);
      delayed++;
      await new Promise<void>((resolve) => void after(latency, resolve));
      delayed--;
    }
    throwIfOrdered(name);
    return method.run(params);
  };

  return {
    /** Returns services whose calls are delayed or fail as ordered. While nothing is ordered, they have the methods of `services`. */
    apply: (services: Services): Services => {
      const methods = [...services.methods].map(([name, method]): [string, BoundMethod] => {
        names.add(name);
        return [name, { ...method, run: (params) => run(name, method, params) }];
      });
      const faulty = new Map(methods);
      return {
        ...services,
        get methods() {
          return isActive ? faulty : services.methods;
        },
      };
    },
    /** Delays every call, or those of one method, by some milliseconds; 0 ends the delay. */
    setLatency: (milliseconds: number, method: string): void => {
      if (milliseconds > faultLimits.latency) throw overLimit('ms', faultLimits.latency);
      if (method === '') latencyOfAll = milliseconds;
      else {
        checkMethod(method, latencies);
        if (milliseconds === 0) latencies.delete(method);
        else latencies.set(method, milliseconds);
      }
      update();
    },
    /** Makes the next calls of a method fail with a message; 0 times ends it. */
    failNext: (method: string, times: number, message: string): void => {
      checkMethod(method, failures);
      if (times > faultLimits.times) throw overLimit('times', faultLimits.times);
      if (message.length > faultLimits.message) throw overLimit('characters of error', faultLimits.message);
      if (times === 0) failures.delete(method);
      else failures.set(method, { left: times, message });
      update();
    },
    /** Whether anything is ordered. */
    isActive: (): boolean => isActive,
    /** What is ordered. */
    list: (): OrderedFaultJson[] => [
      ...(latencyOfAll > 0 ? [{ kind: 'latency', target: '', ms: latencyOfAll } as const] : []),
      ...[...latencies].map(([target, ms]) => ({ kind: 'latency', target, ms }) as const),
      ...[...failures].map(([target, { left, message }]) => ({ kind: 'failure', target, times: left, message }) as const),
    ],
  };
}

const overLimit = (what: string, max: number) =>
  new DevError(`${what}: more than ${max} are not allowed`, { code: 'DEV_LIMIT', what, max });
