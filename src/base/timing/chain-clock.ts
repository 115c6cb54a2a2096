/** A clock: Unix time in seconds and in nanoseconds. */
type UnixClock = { readonly unixSeconds: () => bigint; readonly unixNanos: () => bigint };

/**
 * The state of a chain clock as small JSON, for the database, snapshots, state files and reader processes. Times and the offset are in seconds, as
 * decimal digits. An empty object is the real clock.
 */
export type ClockState = { readonly offset?: string; readonly frozenAt?: string; readonly nextBlockTime?: string };

/** Times and offset in seconds. `offset`: how far the time is ahead of the real clock, or behind it if negative. */
type ClockReading = { readonly time: bigint; readonly offset: bigint; readonly isFrozen: boolean };

/**
 * The clock of the chain, one per process. It is the real clock until a developer sets, advances or freezes it, which only a local chain (`serac dev`)
 * lets them do, by the methods of api/dev/time-methods.ts; on every other node it stays the real clock.
 * Lock times, block times, metric buckets, health and page tokens use the clock of the chain. Rate limits, key expiry, timeouts and log times use the
 * real clock.
 */
export type ChainClock = UnixClock & {
  readonly read: () => ClockReading;
  /** Moves the clock to a time, from which it continues. A time out of range (below 0, above `maxTime`) is replaced by the nearest one in range. A clock that is frozen stays frozen, at the new time. */
  readonly set: (time: bigint) => void;
  readonly advance: (seconds: bigint) => void;
  /** Stops the clock at its present time. */
  readonly freeze: () => void;
  /** The next block gets this time, and the clock continues from it. The caller checks that the time is in range. */
  readonly setNextBlockTime: (time: bigint) => void;
  /** Called by the block builder. Returns the time that was set for the next block, and moves the clock to it; undefined if none was set. */
  readonly takeNextBlockTime: () => bigint | undefined;
  /** Returns to the real clock. */
  readonly reset: () => void;
  readonly save: () => ClockState;
  /** Replaces the state by one that `save` returned. */
  readonly restore: (state: ClockState) => void;
  /** Registers a listener that is called after each change, also by `restore`. */
  readonly onChange: (listener: () => void) => void;
};

/** The latest time that can be set: the last second of the year 9999. */
export const maxTime = 253_402_300_799n;

const nanosPerSecond = 1_000_000_000n;

const clamp = (time: bigint, max: bigint): bigint => (time < 0n ? 0n : time > max ? max : time);

/** Checks a value from a state file that a developer loads. Returns undefined if it is not a clock state. */
export function parseClockState(value: unknown): ClockState | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { offset, frozenAt, nextBlockTime } = value as Record<keyof ClockState, unknown>;
  const isTime = (text: unknown): boolean => text === undefined || (typeof text === 'string' && /^-?\d{1,12}$/.test(text));
  if (![offset, frozenAt, nextBlockTime].every(isTime)) return undefined;
  const times = [frozenAt, nextBlockTime].flatMap((text) => (text === undefined ? [] : [BigInt(text as string)]));
  if (times.some((time) => time < 0n || time > maxTime)) return undefined;
  // Through JSON, which leaves out what is undefined.
  return JSON.parse(JSON.stringify({ offset, frozenAt, nextBlockTime })) as ClockState;
}

export function createChainClock(real: UnixClock): ChainClock {
  const listeners: (() => void)[] = [];
  let offset = 0n;
  let frozenAt: bigint | undefined;
  let nextBlockTime: bigint | undefined;

  const replace = (state: ClockState): void => {
    offset = BigInt(state.offset ?? 0);
    frozenAt = toBigint(state.frozenAt);
    nextBlockTime = toBigint(state.nextBlockTime);
  };

  // Clamped, because the sum may be out of range: a clock that was set to `maxTime` runs on, and the offset of a state file is not limited.
  const unixSeconds = (): bigint => frozenAt ?? clamp(real.unixSeconds() + offset, maxTime);

  const save = (): ClockState => ({
    offset: offset === 0n ? undefined : String(offset),
    frozenAt: frozenAt?.toString(),
    nextBlockTime: nextBlockTime?.toString(),
  });

  const moveTo = (time: bigint): void => {
    const limited = clamp(time, maxTime);
    if (frozenAt !== undefined) frozenAt = limited;
    offset = limited - real.unixSeconds();
  };

  const change = (work: () => void): void => {
    work();
    for (const listener of listeners) listener();
  };

  return {
    unixSeconds,
    unixNanos: () =>
      frozenAt === undefined ? clamp(real.unixNanos() + offset * nanosPerSecond, maxTime * nanosPerSecond) : frozenAt * nanosPerSecond,
    read: () => {
      const time = unixSeconds();
      return { time, offset: time - real.unixSeconds(), isFrozen: frozenAt !== undefined };
    },
    set: (time) => change(() => moveTo(time)),
    advance: (seconds) => change(() => moveTo(unixSeconds() + seconds)),
    freeze: () =>
      change(() => {
        frozenAt = unixSeconds();
      }),
    setNextBlockTime: (time) =>
      change(() => {
        nextBlockTime = time;
      }),
    takeNextBlockTime: () => {
      const time = nextBlockTime;
      if (time === undefined) return undefined;
      change(() => {
        nextBlockTime = undefined;
        moveTo(time);
      });
      return time;
    },
    reset: () => change(() => replace({})),
    save,
    restore: (state) => {
      if (JSON.stringify(state) !== JSON.stringify(save())) change(() => replace(state));
    },
    onChange: (listener) => void listeners.push(listener),
  };
}

const toBigint = (text: string | undefined): bigint | undefined => (text === undefined ? undefined : BigInt(text));
