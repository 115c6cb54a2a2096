/** Runs one task at a time, in order of the calls. A failed task does not block the next. */
export type Mutex = <T>(work: () => Promise<T>) => Promise<T>;

export const createMutex = (): Mutex => createSlots({ total: 1 }).run;

/** Limits of tasks that run at the same time. */
type SlotCounts = {
  readonly total: number;
  /** Those of one owner. */
  readonly ofOwner?: number;
  /** Those that the tasks of all owners leave to tasks without an owner, and the other way around. */
  readonly reserved?: number;
};

export type Slots = ReturnType<typeof createSlots>;

/**
 * Runs at most `total` tasks at a time. Tasks without an owner run in order of the calls. Owners take free slots in turns, and an owner takes another
 * slot only while it has fewer than are free: the more slots are in use, the fewer one owner gets, so an owner with short tasks finds a free slot
 * although tasks of other owners are slow. `now`: the clock of `longestWait`.
 */
export function createSlots({ total, ofOwner = total, reserved = 0 }: SlotCounts, now: () => number = () => 0) {
  /** What waits, by owner, in the order of their turns. */
  const waiting = new Map<string | undefined, { readonly since: number; readonly start: () => void }[]>();
  /** The number of running tasks of each owner that has any; undefined: tasks without an owner. */
  const running = new Map<string | undefined, number>();
  let allRunning = 0;
  const runningOf = (owner: string | undefined): number => running.get(owner) ?? 0;

  const mayStart = (owner: string | undefined): boolean => {
    const ownerless = runningOf(undefined);
    const free = Math.min(total - allRunning, total - reserved - (owner === undefined ? ownerless : allRunning - ownerless));
    return owner === undefined ? free > 0 : runningOf(owner) < Math.min(ofOwner, free);
  };
  const take = (owner: string | undefined): void => {
    running.set(owner, runningOf(owner) + 1);
    allRunning++;
  };
  const release = (owner: string | undefined): void => {
    const left = runningOf(owner) - 1;
    if (left === 0) running.delete(owner);
    else running.set(owner, left);
    allRunning--;
  };
  /** The owner whose turn it is, among those that may start a task. */
  const findTurn = () => {
    for (const turn of waiting) if (mayStart(turn[0])) return turn;
    return undefined;
  };
  const startWaiting = (): void => {
    for (let turn = findTurn(); turn !== undefined; turn = findTurn()) {
      const [owner, tasks] = turn;
      // The next turn of this owner is after those of all others.
      waiting.delete(owner);
      const next = tasks.shift();
      if (tasks.length > 0) waiting.set(owner, tasks);
      take(owner);
      next?.start();
    }
  };
  const wait = (owner: string | undefined): Promise<void> =>
    new Promise((start) => {
      const tasks = waiting.get(owner) ?? [];
      tasks.push({ since: now(), start });
      waiting.set(owner, tasks);
    });
  return {
    /** Runs a task when a slot is free and its owner has a turn. Tasks of one owner start in order of the calls. A failed task frees its slot. */
    run: async <T>(work: () => Promise<T>, owner?: string): Promise<T> => {
      if (waiting.has(owner) || !mayStart(owner)) await wait(owner);
      else take(owner);
      try {
        return await work();
      } finally {
        release(owner);
        startWaiting();
      }
    },
    /** How long the oldest waiting task has waited, in units of `now`; 0 if none waits. */
    longestWait: (): number => Math.max(0, ...[...waiting.values()].map(([first]) => (first === undefined ? 0 : now() - first.since))),
  };
}
