import { badArgument } from '../rpc/fault.ts';
import { method, methodTable } from '../rpc/method.ts';
import { type RpcParam, str, u32 } from '../rpc/params.ts';
import type { CallFaults } from './call-faults.ts';
import { devParams } from './params.ts';

export type FaultDeps = {
  readonly faults: Pick<CallFaults, 'setLatency' | 'failNext' | 'isActive'>;
  /** Tells the reader processes whether calls may be delayed or fail. Resolves when they know. */
  readonly informReaders: () => Promise<void>;
  /** Makes a health check fail with a message; undefined: it runs as usual again. Resolves when the health report shows it. */
  readonly forceCheck: (check: string, message: string | undefined) => Promise<void>;
};

/** A number that is missing is undefined, not 0. */
const optionalU32: RpcParam<number | undefined> = { ...u32, zero: undefined, read: (text, from, to) => u32.read(text, from, to, 0) };

/** Methods that make the node slow, fail or unhealthy, to test how a client handles it. They affect JSON-RPC calls, not the `dev.*` methods. */
export const faultMethods = methodTable<FaultDeps>()({
  setLatency: method(
    devParams({ ms: u32, method: str }),
    async ({ faults, informReaders }, { ms, method: name }) => {
      faults.setLatency(ms, name);
      await informReaders();
      return { ms, method: name === '' ? null : name };
    },
    { needsWriter: true },
  ),
  failNext: method(
    devParams({ method: str, times: optionalU32, error: str }),
    async ({ faults, informReaders }, { method: name, times = 1, error }) => {
      faults.failNext(name, times, error === '' ? `${name} fails because dev.failNext was called` : error);
      await informReaders();
      return { method: name, times };
    },
    { needsWriter: true },
  ),
  setUnhealthy: method(
    devParams({ check: str, message: str }),
    async ({ forceCheck }, { check, message }) => {
      if (check === '') throw badArgument('check', str.type);
      await forceCheck(check, message === '' ? undefined : message);
      return { check, healthy: message === '' };
    },
    { needsWriter: true },
  ),
});
