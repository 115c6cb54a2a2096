import type { Health } from '../../api/health/health.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { RunningChain } from './running-chain.ts';

/** The chains that are bootstrapped. Once bootstrapped, a chain stays so, as in AvalancheGo. */
export type BootstrapState = { readonly isBootstrapped: (chain: Id) => boolean; readonly isEveryChainDone: () => boolean };

/**
 * Tracks bootstrapping. A chain that decides its own blocks is bootstrapped at once, as are `notRun`. A chain that follows a node or is on a
 * network of peers is bootstrapped when it first has every block of that node or network; the health checks then run again at once, not at the next interval.
 */
export function watchBootstrap(chains: readonly RunningChain[], notRun: readonly { readonly id: Id }[], health: Health): BootstrapState {
  const done = new Set<Id>(notRun.map(({ id }) => id));
  for (const { spec, follower, joined } of chains) {
    const caughtUp = (follower ?? joined)?.caughtUp;
    if (caughtUp === undefined) done.add(spec.id);
    else
      void caughtUp.then(async () => {
        done.add(spec.id);
        const kinds = ['readiness', 'health'] as const;
        await Promise.all(kinds.map((kind) => health.recheck(kind, 'bootstrapped')));
        await Promise.all(kinds.map((kind) => health.recheck(kind, spec.aliases[0])));
      });
  }
  return { isBootstrapped: (chain) => done.has(chain), isEveryChainDone: () => chains.every(({ spec }) => done.has(spec.id)) };
}
