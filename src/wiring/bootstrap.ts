import type { Id } from '../bytes/id.ts';
import type { Health } from '../health/health.ts';
import type { RunningChain } from './avm-chain.ts';

/** Which chains run here and have had all their blocks; once bootstrapped, a chain stays so, as in AvalancheGo. */
export type Bootstrap = { readonly has: (chain: Id) => boolean; readonly isDone: () => boolean };

/**
 * A chain that decides its own blocks has them all. One that follows a node is bootstrapped when it first has every block of that node; the
 * checks are then run again, instead of half a minute later.
 */
export function watchBootstrap(chains: readonly RunningChain[], idle: readonly { readonly id: Id }[], health: Health): Bootstrap {
  const done = new Set<Id>(idle.map(({ id }) => id));
  for (const { spec, follower } of chains)
    if (follower === undefined) done.add(spec.id);
    else
      void follower.caughtUp.then(async () => {
        done.add(spec.id);
        await Promise.all([health.recheck('readiness', 'bootstrapped'), health.recheck('health', 'bootstrapped')]);
        await health.recheck('health', spec.aliases[0]);
      });
  return { has: (chain) => done.has(chain), isDone: () => chains.every(({ spec }) => done.has(spec.id)) };
}
