import { faultRows } from '../contract/dev-chain-methods.ts';
import { badArgument } from '../rpc/fault.ts';
import { implement } from '../rpc/method.ts';
import type { CallFaults } from './call-faults.ts';

/** What `dev.setLatency`, `dev.failNext` and `dev.setUnhealthy` work with. */
export type FaultDeps = {
  readonly faults: Pick<CallFaults, 'setLatency' | 'failNext' | 'isActive'>;
  /** Tells the reader processes whether calls may be delayed or fail. Resolves when they know. */
  readonly informReaders: () => Promise<void>;
  /** Makes a health check fail with a message; undefined: it runs as usual again. Resolves when the health report shows it. */
  readonly forceCheck: (check: string, message: string | undefined) => Promise<void>;
};

/** Methods that make the node slow, fail or unhealthy, to test how a client handles it. They affect JSON-RPC calls, not the `dev.*` methods. */
export const faultMethods = implement<FaultDeps>()(faultRows, {
  setLatency: {
    run: async ({ faults, informReaders }, { ms, method: name }) => {
      faults.setLatency(ms, name);
      await informReaders();
      return { ms, method: name === '' ? null : name };
    },
    needsWriter: true,
  },
  failNext: {
    run: async ({ faults, informReaders }, { method: name, times, error }) => {
      faults.failNext(name, times, error === '' ? `${name} fails because dev.failNext was called` : error);
      await informReaders();
      return { method: name, times };
    },
    needsWriter: true,
  },
  setUnhealthy: {
    run: async ({ forceCheck }, { check, message }) => {
      if (check === '') throw badArgument('check', 'string');
      await forceCheck(check, message === '' ? undefined : message);
      return { check, healthy: message === '' };
    },
    needsWriter: true,
  },
});
