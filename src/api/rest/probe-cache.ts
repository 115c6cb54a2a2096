import type { HealthComponent } from './served-chains.ts';

/**
 * Limits probes of a component to one per second: all callers share the result, also a failure. A probe that has not ended is shared too, for
 * up to `hangLimit`. When the component's revision changes, the next call probes again.
 */
export function cachedComponent(component: HealthComponent, now: () => number): HealthComponent {
  const { probeWrite, probeRead, revision = () => 0 } = component;
  const { note } = component;
  return { probeWrite: cachedProbe(probeWrite, revision, now), probeRead: cachedProbe(probeRead, revision, now), note };
}

/** Milliseconds that a result is shared, and after which a probe that has not ended is replaced by a new one. */
export const probeLife = 1_000;
const hangLimit = 5_000;

function cachedProbe(probe: () => Promise<void>, revision: () => number, now: () => number): () => Promise<void> {
  let last: { readonly result: Promise<void>; readonly revision: number; until: number } | undefined;

  const start = (): Promise<void> => {
    const entry = { result: (async () => probe())(), revision: revision(), until: now() + hangLimit };
    const ended = (): void => {
      entry.until = now() + probeLife;
    };
    entry.result.then(ended, ended);
    last = entry;
    return entry.result;
  };

  return () => (last !== undefined && now() < last.until && last.revision === revision() ? last.result : start());
}
