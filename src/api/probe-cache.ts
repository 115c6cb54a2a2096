import type { Component } from './served.ts';

/**
 * A component that is probed at most once a second, however many callers ask: they share the result, good or bad. A probe that does not end
 * is shared too, until another one is due. A change of the component's revision makes one due at once.
 */
export function cachedComponent(component: Component, now: () => number): Component {
  const { write, read, revision = () => 0 } = component;
  return { write: cachedProbe(write, revision, now), read: cachedProbe(read, revision, now) };
}

/** Milliseconds for which a result is shared, and after which a probe without a result is given up. */
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
