/** Runs the requests of all webhooks, so that slow receivers of one owner do not delay those of others. */
export type RequestSlots = ReturnType<typeof createRequestSlots>;

/** The API key of a webhook; undefined: the operator. */
type Owner = string | undefined;

/** Requests at the same time. */
type SlotCounts = {
  readonly total: number;
  /** Those that the API keys together leave to the operator, and the operator to them. */
  readonly reserved: number;
  /** Those of one API key. */
  readonly ofKey: number;
};

/**
 * Owners take free slots in turns. An API key takes another slot only while it has fewer than are free: the more of them are in use, the fewer
 * a key gets, so a key whose receivers answer finds a free slot although those of other keys hold theirs for as long as they may. `now`: Unix
 * seconds.
 */
export function createRequestSlots({ total, reserved, ofKey }: SlotCounts, now: () => number) {
  /** What waits, by owner, in the order of their turns. */
  const waiting = new Map<Owner, { readonly since: number; readonly request: () => Promise<void> }[]>();
  const running = new Map<Owner, number>();
  const runningOf = (owner: Owner): number => running.get(owner) ?? 0;

  const mayStart = (owner: Owner): boolean => {
    const all = [...running.values()].reduce((sum, count) => sum + count, 0);
    const ofOperator = runningOf(undefined);
    const free = Math.min(total - all, total - reserved - (owner === undefined ? ofOperator : all - ofOperator));
    return owner === undefined ? free > 0 : runningOf(owner) < Math.min(ofKey, free);
  };
  const run = async (owner: Owner, request: () => Promise<void>): Promise<void> => {
    running.set(owner, runningOf(owner) + 1);
    await request();
    if (runningOf(owner) === 1) running.delete(owner);
    else running.set(owner, runningOf(owner) - 1);
    startWaiting();
  };
  const startWaiting = (): void => {
    for (;;) {
      const turn = [...waiting].find(([owner]) => mayStart(owner));
      if (turn === undefined) return;
      const [owner, [next, ...later]] = turn;
      // The next turn of this owner is after those of all others.
      waiting.delete(owner);
      if (later.length > 0) waiting.set(owner, later);
      if (next !== undefined) void run(owner, next.request);
    }
  };
  return {
    /** Runs a request when its owner has a turn. Those of one owner start in the order of the calls. A request must not reject. */
    add: (owner: Owner, request: () => Promise<void>): void => {
      const requests = waiting.get(owner) ?? [];
      requests.push({ since: now(), request });
      waiting.set(owner, requests);
      startWaiting();
    },
    /** Seconds that the oldest waiting request has waited; 0 if none waits. */
    longestWait: (): number => Math.max(0, ...[...waiting.values()].map(([first]) => (first === undefined ? 0 : now() - first.since))),
  };
}
