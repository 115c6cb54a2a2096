import { Fault } from '../../base/fault.ts';
import type { Check } from '../../base/health/result.ts';
import type { Health } from './health.ts';
import { applicationTag } from './worker.ts';

/** Health checks that can be made to fail, for tests of clients. */
export type ForcedChecks = ReturnType<typeof createForcedChecks>;

/** The most checks that can be added by `force`, which never removes one. */
const maxAdded = 100;

export function createForcedChecks(health: Health) {
  const messages = new Map<string, string>();
  const checks = new Map<string, Check>();
  /** Names of the checks that `force` has added. */
  const added = new Set<string>();
  /** Registers checks as `Health.register` does, so that those of kind `health` can be forced to fail. A name that `force` has added is taken over. */
  const register: Health['register'] = (kind, name, check, tags) => {
    if (kind !== 'health') return health.register(kind, name, check, tags);
    // `force` may have taken the name before: a node registers some checks late, the last one when it stops.
    const isAdded = added.delete(name);
    const forced: Check = () => {
      const error = messages.get(name);
      return error === undefined ? (checks.get(name) ?? check)() : { error };
    };
    if (!isAdded) health.register(kind, name, forced, tags);
    checks.set(name, check);
    if (isAdded) void health.recheck(kind, name);
  };
  return {
    register,
    /** Names and messages of the checks that are forced to fail. */
    forced: (): readonly (readonly [name: string, message: string])[] => [...messages],
    /** Makes a health check fail with a message, and adds it if there is none of this name; undefined: it runs as usual again. */
    force: async (name: string, message: string | undefined): Promise<void> => {
      if (!checks.has(name)) {
        if (message === undefined) return;
        if (added.size >= maxAdded)
          throw new ForcedCheckError(`more than ${maxAdded} checks cannot be added`, { code: 'HEALTH_TOO_MANY_CHECKS' });
        register('health', name, () => ({ details: {} }), [applicationTag]);
        added.add(name);
      }
      if (message === undefined) messages.delete(name);
      else messages.set(name, message);
      await health.recheck('health', name);
    },
  };
}

class ForcedCheckError extends Fault<{ code: 'HEALTH_TOO_MANY_CHECKS' }> {}
