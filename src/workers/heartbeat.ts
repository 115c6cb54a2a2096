/** How long another process of the node has been silent. */
export type Silence = { readonly heard: () => void; readonly stop: () => void };

/** Milliseconds between two pings, and until a silent process counts as hung: noticed within 5 s, whenever in the interval it stopped. */
export const pingEvery = 500;
export const hungAfter = 4500;

/**
 * Calls `onTick` every `pingEvery` milliseconds with the milliseconds since `heard` was last called. They are counted in ticks of this
 * process: if this process was itself stopped or suspended, that time does not count against the other one.
 */
export function watchSilence(
  { after }: { readonly after: (ms: number, run: () => void) => () => void },
  onTick: (silent: number) => void,
): Silence {
  let ticks = 0;
  let cancel = () => {};
  const next = (): void => {
    cancel = after(pingEvery, () => {
      next();
      onTick(++ticks * pingEvery);
    });
  };
  next();
  return {
    heard: () => {
      ticks = 0;
    },
    stop: () => cancel(),
  };
}
