/** Questions to which no majority of the trusted nodes gives the same answer. */
export type Disagreements = {
  /** Notes whether the nodes agree about something. `ask` asks them again, and notes the result. */
  readonly note: (what: string, isAgreed: boolean, ask: () => Promise<unknown>) => void;
  /** The disagreement that has lasted longest; undefined if the nodes agree. Milliseconds. */
  readonly oldest: () => { readonly what: string; readonly since: number } | undefined;
  readonly close: () => void;
};

type Timers = {
  readonly now: () => number;
  readonly after: (milliseconds: number, run: () => void) => () => void;
};

/** Most disagreements that are asked about again; one is enough to fail a health check. */
const maxOpen = 16;
/** Milliseconds until an open question is asked again: nodes that are a block apart disagree for a moment. */
const askInterval = 3000;

/** Creates a register of disagreements. Each stays until the nodes, asked again at an interval, agree. */
export function createDisagreements({ now, after }: Timers): Disagreements {
  const open = new Map<string, { readonly since: number; readonly ask: () => Promise<unknown> }>();
  let cancel: (() => void) | undefined;
  let isClosed = false;

  const askAgain = async (): Promise<void> => {
    // A node that does not answer now leaves the question open.
    await Promise.all([...open.values()].map(({ ask }) => ask().catch(() => undefined)));
    cancel = undefined;
    schedule();
  };
  const schedule = (): void => {
    if (cancel === undefined && open.size > 0 && !isClosed) cancel = after(askInterval, () => void askAgain());
  };
  return {
    note: (what, isAgreed, ask) => {
      if (isAgreed) open.delete(what);
      else if (!open.has(what) && open.size < maxOpen) open.set(what, { since: now(), ask });
      schedule();
    },
    oldest: () => {
      const [first] = open;
      return first && { what: first[0], since: first[1].since };
    },
    close: () => {
      isClosed = true;
      cancel?.();
    },
  };
}
